/** What a value's elements are like, all of them: numbers and a histogram. */
import { html } from "htm/preact";
import { bitsOf, bytesText, counted, short } from "../../tensor/elements.js";

const [WIDTH, HEIGHT] = [240, 44];

/** @param {{summary: import("../../types.js").ValueSummary}} props */
export function Statistics({ summary }) {
  const { statistics, count, elementType } = summary;
  /** @type {[string, string, boolean][]} */
  const facts = [
    ["elements", counted(count), false],
    ["bytes", bytesText(Math.ceil((count * bitsOf(elementType)) / 8)), false],
    ...(count > 0 && statistics ? factsOf(statistics, summary.wire.components === 2) : []),
  ];
  return html`<section class="tensor-statistics" aria-label="Statistics">
    <dl>${facts.map(([name, text, alarming]) => html`<div key=${name} class=${alarming ? "alarming" : ""}><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>
    <${Histogram} histogram=${summary.histogram} />
  </section>`;
}

/** @param {Record<string, string|number|null>} statistics @param {boolean} isComplex @returns {[string, string, boolean][]} */
function factsOf(statistics, isComplex) {
  const bars = (/** @type {string} */ name) => (isComplex ? `|${name}|` : name);
  const count = (/** @type {string} */ name) => Number(statistics[name] ?? 0);
  /** @type {[string, string, number][]} */
  const special = [["NaN", "nan", count("nan")], ["+Inf", "posinf", count("posinf")], ["-Inf", "neginf", count("neginf")]];
  // Zeros are not worth three places.
  const finite = special.every(([, , found]) => found === 0);
  return [
    ...["min", "max", "mean", "std"].map((name) => /** @type {[string, string, boolean]} */ ([bars(name), exactOrShort(statistics[name]), false])),
    ["zeros", counted(count("zeros")), false],
    ...(finite ? [/** @type {[string, string, boolean]} */ (["NaN, Inf", "0", false])] : special.map(([name, , found]) => /** @type {[string, string, boolean]} */ ([name, counted(found), found > 0]))),
  ];
}

/** Long integers come as text and stay whole. @param {string|number|null|undefined} value @returns {string} */
function exactOrShort(value) {
  if (typeof value === "string" && /^-?\d+$/.test(value)) return value;
  if (typeof value === "number" && Number.isInteger(value)) return String(value);
  return short(value, 5);
}

/** @param {{histogram: import("../../types.js").ValueSummary["histogram"]}} props */
function Histogram({ histogram }) {
  if (!histogram || histogram.counts.length < 2) return null;
  const { counts, edges } = histogram;
  const most = Math.max(...counts);
  const width = WIDTH / counts.length;
  const [low, high] = [short(edges[0], 3), short(edges[edges.length - 1], 3)];
  const bars = counts.map((count, bin) => {
    const height = count === 0 ? 0 : Math.max(1, (count / most) * HEIGHT);
    const gap = width > 4 ? 1 : 0;
    return html`<rect key=${bin} x=${bin * width} y=${HEIGHT - height} width=${width - gap} height=${height}>
      <title>${short(edges[bin], 3)} to ${short(edges[bin + 1], 3)}: ${counted(count)}</title></rect>`;
  });
  const fullest = counts.indexOf(most);
  const label = `Histogram from ${low} to ${high}; most elements, ${counted(most)}, lie between ${short(edges[fullest], 3)} and ${short(edges[fullest + 1], 3)}.`;
  return html`<figure class="tensor-histogram">
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}>${bars}</svg>
    <figcaption aria-hidden="true"><span>${low}</span><span>${high}</span></figcaption>
  </figure>`;
}
