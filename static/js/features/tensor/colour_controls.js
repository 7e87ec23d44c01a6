/** In which colours the elements of a tensor are drawn. */
import { html } from "htm/preact";
import { CHOICES } from "../../drawing/colour_maps.js";
import { look } from "./settings.js";

/** @type {[string, string][]} */
const RANGES = [
  ["auto", "Automatic"],
  ["all", "Minimum to maximum"],
  ["robust", "Percentiles 0.5 to 99.5"],
  ["fixed", "Fixed range"],
];
/** @type {[string, string][]} */
const SHAPES = [
  ["auto", "Automatic"],
  ["linear", "Linear"],
  ["arcsinh", "Symmetric log"],
  ["log", "Logarithmic"],
];
/** @type {[string, string][]} */
const BINS = [
  ["mean", "Mean"],
  ["min", "Minimum"],
  ["max", "Maximum"],
];
/** @type {[string, string][]} */
const PARTS = [
  ["abs", "Magnitude"],
  ["phase", "Phase"],
  ["re", "Real part"],
  ["im", "Imaginary part"],
];

/** @param {{kind: import("../../core/tensor/elements.js").Kind, binned: boolean}} props */
export function ColourControls({ kind, binned }) {
  if (kind === "boolean") return null;
  const { map, range, shape, bins, part, low, high } = look.value;
  return html`<div class="tensor-colours" role="group" aria-label="Colours">
    ${kind === "complex" && html`<${Menu} title="Show" field="part" value=${part} options=${PARTS} />`}
    <${Menu} title="Colours" field="map" value=${map} options=${[["auto", "Automatic"], ...CHOICES]} />
    <${Menu} title="Range" field="range" value=${range} options=${RANGES} />
    ${range === "fixed" && html`<${End} title="from" field="low" value=${low} /><${End} title="to" field="high" value=${high} />`}
    <${Menu} title="Scale" field="shape" value=${shape} options=${SHAPES} />
    ${binned && html`<${Menu} title="Bins show" field="bins" value=${bins} options=${BINS} />`}
  </div>`;
}

/** @param {{title: string, field: string, value: string, options: [string, string][]}} props */
function Menu({ title, field, value, options }) {
  const choose = (/** @type {Event} */ event) => {
    look.value = { ...look.value, [field]: /** @type {HTMLSelectElement} */ (event.currentTarget).value };
  };
  return html`<label>${title} <select onChange=${choose}>
    ${options.map(([id, text]) => html`<option value=${id} selected=${id === value}>${text}</option>`)}</select></label>`;
}

/** @param {{title: string, field: "low"|"high", value: number}} props */
function End({ title, field, value }) {
  const set = (/** @type {Event} */ event) => {
    const typed = Number(/** @type {HTMLInputElement} */ (event.currentTarget).value);
    if (Number.isFinite(typed)) look.value = { ...look.value, [field]: typed };
  };
  return html`<label>${title} <input class="end" type="number" step="any" value=${value} onChange=${set} /></label>`;
}
