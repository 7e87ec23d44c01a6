/** The histogram of a value over its colour bar. */
import { html } from "htm/preact";
import { countText, short } from "../../core/tensor/elements.js";
import { placer } from "../../drawing/scale.js";

const [WIDTH, HEIGHT] = [240, 28];
/** Minimum width of a bar, in units of the picture. */
const THINNEST = 1;

/** Maximum share of a bar: bins have equal widths, and on a logarithmic scale the first may cover nearly everything. */
const TELLING = 0.6;

/** @typedef {NonNullable<import("../../core/types.js").ValueSummary["histogram"]>} Counts */

/** @param {{histogram: Counts|null, scale: import("../../drawing/scale.js").Scale}} props */
export function Histogram({ histogram, scale }) {
  if (!histogram || histogram.counts.length < 2 || scale.cyclic) return null;
  const found = barsOf(histogram, scale);
  if (found.some(({ width }) => width > TELLING * WIDTH)) return null;
  const bars = found.map(
    ({ x, width, height, title }) =>
      html`<rect key=${title} x=${x} y=${HEIGHT - height} width=${width} height=${height}><title>${title}</title></rect>`,
  );
  return html`<svg class="tensor-histogram" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${histogramWords(histogram)}>${bars}</svg>`;
}

/**
 * A bar per bin, above its colours; bins outside the scale are omitted.
 *
 * @param {Counts} histogram @param {import("../../drawing/scale.js").Scale} scale
 */
export function barsOf({ counts, edges }, scale) {
  const place = placer(scale);
  const within = (/** @type {unknown} */ edge) => Math.min(1, Math.max(0, placeOf(place(Number(edge))))) * WIDTH;
  const most = Math.max(...counts);
  return counts.flatMap((count, bin) => {
    const [from, to] = [within(edges[bin]), within(edges[bin + 1])];
    if (count === 0 || (from === to && (from === 0 || from === WIDTH))) return [];
    const width = Math.max(THINNEST, to - from);
    const title = `${short(edges[bin], 4)} to ${short(edges[bin + 1], 4)}: ${countText(count)}`;
    return [{ x: Math.min(from, WIDTH - width), width, height: Math.max(1, (count / most) * HEIGHT), title }];
  });
}

/** A logarithmic scale has no position for 0 and negative numbers. @param {number} place @returns {number} */
const placeOf = (place) => (Number.isNaN(place) ? 0 : place);

/** @param {Counts} histogram @returns {string} */
function histogramWords({ counts, edges }) {
  const most = Math.max(...counts);
  const fullest = counts.indexOf(most);
  const [low, high] = [short(edges[0], 3), short(edges[edges.length - 1], 3)];
  return `Histogram from ${low} to ${high}; most elements, ${countText(most)}, lie between ${short(edges[fullest], 3)} and ${short(edges[fullest + 1], 3)}.`;
}
