/** Which axes are shown, at which index of the others, in which colours. */
import { html } from "htm/preact";
import { axisName, heldAxes, moveTo, showAxis } from "../../tensor/axes.js";
import { CHOICES } from "../../tensor/colours.js";
import { canFold, foldWidth } from "../../tensor/fold.js";
import { look } from "./settings.js";

/** @typedef {import("./settings.js").Layout} Layout */

/** @param {{summary: import("../../types.js").ValueSummary, layout: Layout, axes: number[]|null, change: (layout: Layout) => void}} props */
export function AxisControls({ summary, layout, axes, change }) {
  const { shape, lanes } = summary;
  if (shape.length === 1) return html`<${FoldControl} count=${shape[0]} layout=${layout} change=${change} />`;
  if (shape.length < 2) return null;
  const set = (/** @type {import("../../tensor/axes.js").Slice} */ slice) => change({ ...layout, slice });
  const listed = axes ?? [...shape.keys()];
  const held = new Set(heldAxes(layout.slice));
  return html`<div class="tensor-axes" role="group" aria-label="Axes">
    <${AxisMenu} title="Rows" side="rows" axes=${listed} shape=${shape} lanes=${lanes} slice=${layout.slice} set=${set} />
    <${AxisMenu} title="Columns" side="columns" axes=${listed} shape=${shape} lanes=${lanes} slice=${layout.slice} set=${set} />
    ${listed.filter((axis) => held.has(axis)).map((axis) => html`<${IndexControl} key=${axis} axis=${axis} name=${axisName(axis, lanes)}
      size=${shape[axis]} slice=${layout.slice} set=${set} />`)}
  </div>`;
}

/**
 * @param {{title: string, side: "rows"|"columns", axes: number[], shape: number[], lanes: number[]|null,
 *   slice: import("../../tensor/axes.js").Slice, set: (slice: import("../../tensor/axes.js").Slice) => void}} props
 */
function AxisMenu({ title, side, axes, shape, lanes, slice, set }) {
  const choose = (/** @type {Event} */ event) =>
    set(showAxis(slice, side, Number(/** @type {HTMLSelectElement} */ (event.currentTarget).value)));
  return html`<label>${title} <select onChange=${choose}>
    ${axes.map((axis) => html`<option value=${axis} selected=${axis === slice[side]}>${axisName(axis, lanes)} : ${shape[axis]}</option>`)}
  </select></label>`;
}

/**
 * @param {{axis: number, name: string, size: number, slice: import("../../tensor/axes.js").Slice,
 *   set: (slice: import("../../tensor/axes.js").Slice) => void}} props
 */
function IndexControl({ axis, name, size, slice, set }) {
  const last = Math.max(0, size - 1);
  const move = (/** @type {Event} */ event) => {
    const index = Number(/** @type {HTMLInputElement} */ (event.currentTarget).value);
    if (Number.isInteger(index)) set(moveTo(slice, axis, Math.min(Math.max(0, index), last)));
  };
  const index = slice.at[axis] ?? 0;
  return html`<span class="tensor-index"><span>${name}</span>
    <input type="range" min="0" max=${last} value=${index} disabled=${last === 0} onInput=${move} aria-label=${`Index of ${name}`} />
    <input type="number" min="0" max=${last} value=${index} disabled=${last === 0} onChange=${move} aria-label=${`Index of ${name}, as a number`} />
    <span class="quiet">of ${size}</span></span>`;
}

/** @param {{count: number, layout: Layout, change: (layout: Layout) => void}} props */
function FoldControl({ count, layout, change }) {
  if (!canFold(count)) return null;
  const fold = (/** @type {number} */ width) => change({ ...layout, fold: Math.min(Math.max(0, Math.trunc(width) || 0), count) });
  const field = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.currentTarget);
  return html`<div class="tensor-axes" role="group" aria-label="Layout">
    <label><input type="checkbox" checked=${layout.fold > 0}
      onChange=${(/** @type {Event} */ event) => fold(field(event).checked ? foldWidth(count) : 0)} /> Wrap</label>
    ${layout.fold > 0 && html`<label>at <input type="number" min="1" max=${count} value=${layout.fold}
      onChange=${(/** @type {Event} */ event) => fold(Number(field(event).value) || layout.fold)} /></label>`}
  </div>`;
}

/** @type {[string, string][]} */
const RANGES = [["all", "Whole range"], ["robust", "Mean ± 3 std"], ["fixed", "Fixed range"]];
/** @type {[string, string][]} */
const SHAPES = [["linear", "Linear"], ["arcsinh", "Arcsinh"], ["log", "Logarithmic"]];
/** @type {[string, string][]} */
const BINS = [["mean", "Mean"], ["min", "Minimum"], ["max", "Maximum"]];
/** @type {[string, string][]} */
const PARTS = [["abs", "Magnitude"], ["phase", "Phase"], ["re", "Real part"], ["im", "Imaginary part"]];

/** @param {{kind: import("../../tensor/elements.js").Kind, binned: boolean}} props */
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
