/** The legend of the colours: the histogram, the range, and the marks of NaN and infinities. */
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { parseAddress } from "../../core/addresses.js";
import { countText, kindOf, short } from "../../core/tensor/elements.js";
import { withPixels } from "../../drawing/canvas.js";
import { CHOICES, cssColour, LEVELS, mapWords, SPECIALS } from "../../drawing/colour_maps.js";
import { markPath } from "../../drawing/draw.js";
import { leveller, reader } from "../../drawing/scale.js";
import { locked } from "./colour_scale.js";
import { BrushWords, Histogram } from "./histogram.js";
import { coloursOpen, look } from "./settings.js";
import { Choice, valueOf } from "../../ui/fields.js";
/** @import {ValueSummary} from "../../core/types.js" */
/** @import {ColourScale} from "../../drawing/paint.js" */

/**
 * @typedef {import("./colour_scale.js").Fitted & Partial<import("./colour_scale.js").Used>} Colours  without `fits`: they are always those that fit
 */

/** The legend, and the controls of the colours, which open below. @param {{summary: ValueSummary, colours: Colours, binned: boolean}} props */
export function ColourLegend({ summary, colours, binned }) {
  const kind = kindOf(summary.elementType, summary.wire);
  const isScale = kind !== "boolean" && !Number.isNaN(colours.colourScale.scale.low);
  return html`<div class="tensor-legend"><${Legend} summary=${summary} colours=${colours} kind=${kind} />
      <span class="spring"></span>
      ${isScale && colours.fit && html`<${Hold} colours=${colours} />`}
      ${isScale && html`<button aria-expanded=${coloursOpen.value} onClick=${() => (coloursOpen.value = !coloursOpen.value)}>Colours ${coloursOpen.value ? "▴" : "▾"}</button>`}
    </div>
    ${isScale && coloursOpen.value && html`<${ColourControls} kind=${kind} binned=${binned} />`}`;
}

/** @param {{summary: ValueSummary, colours: Colours, kind: import("../../core/tensor/elements.js").Kind}} props */
function Legend({ summary, colours, kind }) {
  const { colourScale } = colours;
  const { statistics, histogram, address } = summary;
  const names = /** @type {(keyof typeof SPECIALS)[]} */ (Object.keys(SPECIALS));
  return html`${kind === "boolean" ? html`<${TwoColours} table=${colourScale.table} histogram=${histogram} />` : html`<${Key} colours=${colours} histogram=${histogram} address=${address} />`}
    ${names.map((name) => html`<${Special} key=${name} name=${name} count=${Number(statistics?.[name] ?? 0)} />`)}`;
}

/** @param {{colours: Colours, histogram: ValueSummary["histogram"], address: string}} props */
function Key({ colours, histogram, address }) {
  const { colourScale } = colours;
  const { scale, table, categories } = colourScale;
  if (categories) return html`<${Categories} colourScale=${colourScale} histogram=${histogram} />`;
  if (Number.isNaN(scale.low)) return html`<span class="quiet">no element is a number: there is no scale</span>`;
  if (scale.low === scale.high)
    return html`<span class="tensor-swatch"><${Swatch} colour=${cssColour(table[LEVELS / 2] ?? 0)} />${short(scale.low, 7)}</span>`;
  return html`<${Bar} colours=${colours} histogram=${histogram} address=${address} />`;
}

/** The integers that occur, where they are few. @param {{colourScale: ColourScale, histogram: ValueSummary["histogram"]}} props */
function Categories({ colourScale: { scale, table }, histogram }) {
  const { edges, counts } = histogram ?? { edges: [], counts: [] };
  const first = Number(edges[0]) + 0.5;
  if (counts.length > 10 || Number(edges.at(-1)) - first + 0.5 !== counts.length)
    return html`<span class="quiet">one colour for each last digit</span>`;
  const levelOf = leveller(scale, true);
  return counts.map(
    (count, bin) =>
      count > 0 &&
      html`<span key=${bin} class="tensor-swatch" title=${`${countText(count)} elements`}><${Swatch} colour=${cssColour(table[levelOf(first + bin)] ?? 0)} />${first + bin}</span>`,
  );
}

/** @param {{colours: Colours, histogram: ValueSummary["histogram"], address: string}} props */
function Bar({ colours, histogram, address }) {
  const { table, scale } = colours.colourScale;
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  // Before painting: an effect would need one more frame.
  useLayoutEffect(() => {
    if (canvas.current) paintBar(canvas.current, table);
  }, [table]);
  const at = reader(scale);
  const [low, middle, high] = [0, 0.5, 1].map((place) => short(at(place), 4));
  return html`<span class="tensor-bar"><${Histogram} histogram=${histogram} scale=${scale} address=${address} />
    <canvas ref=${canvas} aria-hidden="true"></canvas>
    <span>${scale.clipped && "≤ "}${low}</span><span>${middle}</span><span>${scale.clipped && "≥ "}${high}</span>
    <span class="tensor-scale quiet"><${BrushWords} address=${address} histogram=${histogram} otherwise=${scaleWords(colours)} /></span></span>`;
}

/** The choice of map, range and scale. @param {Colours} colours @returns {string} */
export function scaleWords({ map, colourScale: { scale } }) {
  const shapes = { linear: "", log: "logarithmic", arcsinh: "symmetric log" };
  const range = scale.robust
    ? "percentiles 0.5 to 99.5"
    : scale.clipped
      ? "values beyond the ends have one colour"
      : "";
  return [mapWords(map), shapes[scale.shape], range].filter(Boolean).join(" · ");
}

/** A button that fits the scale to the value, and one that locks it for all values. @param {{colours: Colours}} props */
function Hold({ colours: { fits, fit, ...own } }) {
  const isLocked = locked.value !== null;
  const toggle = () => (locked.value = isLocked ? null : own);
  return html`<span class="tensor-hold">
    ${(!fits || isLocked) && html`<span class="quiet">${isLocked ? "Locked to" : "Scale of"} ${placeOf(own)}</span>`}
    ${!fits && html`<button title="Fit the scale to the shown value" onClick=${fit}>Fit scale</button>`}
    <button aria-pressed=${isLocked} title="Draw every value in this view with this scale" onClick=${toggle}>Lock scale</button></span>`;
}

/** @param {{name: string, address: string}} fitted @returns {string} */
function placeOf({ name, address }) {
  const { step } = parseAddress(address);
  return step === null ? name : `${name}, step ${countText(step)}`;
}

/** @param {HTMLCanvasElement} canvas @param {Uint32Array} table */
const paintBar = (canvas, table) => withPixels(canvas, table.slice(0, LEVELS + 1), { width: LEVELS + 1, height: 1 });

/** @param {{table: Uint32Array, histogram: ValueSummary["histogram"]}} props */
function TwoColours({ table, histogram }) {
  const counts = new Map(histogram?.counts.map((count, bin) => [Number(histogram.edges[bin]) + 0.5, count]));
  const swatch = (/** @type {number} */ value, /** @type {number|undefined} */ pixel) =>
    html`<span class="tensor-swatch"><${Swatch} colour=${cssColour(pixel ?? 0)} />${value ? "true" : "false"} <span class="quiet">${countText(counts.get(value) ?? 0)}</span></span>`;
  return html`${swatch(0, table[0])}${swatch(1, table[LEVELS])}`;
}

/** @param {{colour: string, mark?: string, ink?: string}} props */
function Swatch({ colour, mark, ink }) {
  return html`<svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" fill=${colour} />
    ${mark && html`<path d=${mark} fill="none" stroke=${ink} stroke-width="1.4" />`}</svg>`;
}

/** @param {{name: keyof typeof SPECIALS, count: number}} props */
function Special({ name, count }) {
  if (count === 0) return null;
  const { colour, mark, name: text } = SPECIALS[name];
  return html`<span class="tensor-swatch"><${Swatch} colour=${colour} mark=${markPath(name, 6, 6, 3.4)} ink=${mark} />${text} <span class="quiet">${countText(count)}</span></span>`;
}

const RANGES = {
  auto: "Automatic",
  all: "Minimum to maximum",
  robust: "Percentiles 0.5 to 99.5",
  fixed: "Fixed range",
};
const SHAPES = { auto: "Automatic", linear: "Linear", arcsinh: "Symmetric log", log: "Logarithmic" };
const BINS = { mean: "Mean", min: "Minimum", max: "Maximum" };
const PARTS = { abs: "Magnitude", phase: "Phase", re: "Real part", im: "Imaginary part" };

/** @param {{kind: import("../../core/tensor/elements.js").Kind, binned: boolean}} props */
function ColourControls({ kind, binned }) {
  if (kind === "boolean") return null;
  const { map, range, shape, bins, part, low, high } = look.value;
  return html`<div class="tensor-colours" role="group" aria-label="Colours">
    ${kind === "complex" && html`<${Menu} title="Show" field="part" value=${part} options=${PARTS} />`}
    <${Menu} title="Colours" field="map" value=${map} options=${[["auto", "Automatic"], ...CHOICES]} />
    <${Menu} title="Range" field="range" value=${range} options=${RANGES} />
    ${range === "fixed" && html`<${End} title="from" field="low" value=${low} /><${End} title="to" field="high" value=${high} />`}
    <${Menu} title="Scale" field="shape" value=${shape} options=${SHAPES} />
    ${binned && html`<${Menu} title="Bins show" field="bins" value=${bins} options=${BINS} />`}
    <span class="quiet">Small pictures and index maps keep automatic colours.</span>
  </div>`;
}

/** @param {{title: string, field: string, value: string, options: [string, string][]|Record<string, string>}} props */
function Menu({ title, field, value, options }) {
  const choose = (/** @type {string} */ id) => (look.value = { ...look.value, [field]: id });
  return html`<label>${title} <${Choice} options=${options} value=${value} choose=${choose} /></label>`;
}

/** @param {{title: string, field: "low"|"high", value: number}} props */
function End({ title, field, value }) {
  const set = (/** @type {Event} */ event) => {
    const typed = Number(valueOf(event));
    if (Number.isFinite(typed)) look.value = { ...look.value, [field]: typed };
  };
  return html`<label>${title} <input class="end" type="number" step="any" value=${value} onChange=${set} /></label>`;
}
