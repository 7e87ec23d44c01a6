/** Controls for the shown axes of a tensor and the indices of the others. */
import { html } from "htm/preact";
import {
  axisName,
  canFold,
  foldWidth,
  hasPlanes,
  heldAxes,
  moveTo,
  showAxis,
  withoutPlanes,
  withPlanes,
} from "../core/tensor/axes.js";
import { Choice, valueOf } from "./fields.js";
/** @import {Layout} from "../core/tensor/axes.js" */

/** The symbol that replaces the words in a narrow panel. */
const ARROWS = { rows: "↓", columns: "→" };

/** The width of a field for numbers up to `most`, with its arrows. @param {number} most */
const wideFor = (most) => ({ width: `calc(${String(most).length}ch + 34px)` });

/** @param {{summary: import("../core/types.js").ValueSummary, layout: Layout, axes: number[]|null, change: (layout: Layout) => void, planes?: boolean}} props  planes: offers all planes at once */
export function AxisControls({ summary, layout, axes, change, planes = false }) {
  const { shape, lanes } = summary;
  if (shape.length === 1) return html`<${FoldControl} count=${shape[0]} layout=${layout} change=${change} />`;
  if (shape.length < 2) return null;
  const set = (/** @type {import("../core/tensor/axes.js").Slice} */ slice) => change({ ...layout, slice });
  const listed = axes ?? [...shape.keys()];
  const held = new Set(heldAxes(layout.slice));
  return html`<div class="tensor-axes" role="group" aria-label="Axes">
    <${AxisMenu} title="Rows" side="rows" axes=${listed} shape=${shape} lanes=${lanes} slice=${layout.slice} set=${set} />
    <${AxisMenu} title="Columns" side="columns" axes=${listed} shape=${shape} lanes=${lanes} slice=${layout.slice} set=${set} />
    ${listed
      .filter((axis) => held.has(axis) && (shape[axis] ?? 0) > 1)
      .map(
        (axis) => html`<${IndexControl} key=${axis} axis=${axis} name=${axisName(axis, lanes)}
      size=${shape[axis]} slice=${layout.slice} set=${set} />`,
      )}
    ${planes && hasPlanes(layout.slice, shape) && html`<${PlanesControl} shape=${shape} slice=${layout.slice} set=${set} />`}
  </div>`;
}

/**
 * @param {{title: string, side: "rows"|"columns", axes: number[], shape: number[], lanes: number[]|null,
 *   slice: import("../core/tensor/axes.js").Slice, set: (slice: import("../core/tensor/axes.js").Slice) => void}} props
 */
function AxisMenu({ title, side, axes, shape, lanes, slice, set }) {
  const options = axes.map((axis) => [axis, `${axisName(axis, lanes)} : ${shape[axis]}`]);
  return html`<label><span class="word">${title}</span><span class="arrow" aria-hidden="true">${ARROWS[side]}</span> <${Choice} options=${options} value=${slice[side]} choose=${(/** @type {number} */ axis) => set(showAxis(slice, side, axis))} /></label>`;
}

/**
 * @param {{axis: number, name: string, size: number, slice: import("../core/tensor/axes.js").Slice,
 *   set: (slice: import("../core/tensor/axes.js").Slice) => void}} props
 */
function IndexControl({ axis, name, size, slice, set }) {
  const last = Math.max(0, size - 1);
  const move = (/** @type {Event} */ event) => {
    const index = Number(valueOf(event));
    if (Number.isInteger(index)) set(moveTo(slice, axis, Math.min(Math.max(0, index), last)));
  };
  const index = slice.at[axis] ?? 0;
  return html`<span class="tensor-index" title=${`Index of ${name}, of ${size}`}><span>${name}</span>
    <input type="range" min="0" max=${last} value=${index} disabled=${last === 0} onInput=${move} aria-label=${`Index of ${name}`} />
    <input type="number" style=${wideFor(last)} min="0" max=${last} value=${index} disabled=${last === 0} onChange=${move} aria-label=${`Index of ${name}, as a number`} />
    <span class="quiet">of ${size}</span></span>`;
}

/** Shows all planes at once. @param {{shape: number[], slice: import("../core/tensor/axes.js").Slice, set: (slice: import("../core/tensor/axes.js").Slice) => void}} props */
function PlanesControl({ shape, slice, set }) {
  const toggle = () => set(slice.planes ? withoutPlanes(slice) : withPlanes(slice, shape));
  return html`<label title="Show the planes of all other dimensions as a grid"><input type="checkbox" checked=${Boolean(slice.planes)} onChange=${toggle} aria-label="All planes" /> all</label>`;
}

/** @param {{count: number, layout: Layout, change: (layout: Layout) => void}} props */
function FoldControl({ count, layout, change }) {
  if (!canFold(count)) return null;
  const fold = (/** @type {number} */ width) =>
    change({ ...layout, fold: Math.min(Math.max(0, Math.trunc(width) || 0), count) });
  const field = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.currentTarget);
  return html`<div class="tensor-axes" role="group" aria-label="Layout">
    <label><input type="checkbox" checked=${layout.fold > 0}
      onChange=${(/** @type {Event} */ event) => fold(field(event).checked ? foldWidth(count) : 0)} /> Wrap</label>
    ${
      layout.fold > 0 &&
      html`<label>at <input type="number" style=${wideFor(count)} min="1" max=${count} value=${layout.fold}
      onChange=${(/** @type {Event} */ event) => fold(Number(field(event).value) || layout.fold)} /></label>`
    }
  </div>`;
}
