/** The cells in the shape of a mesh: the names of its axes, and lines between the cells of a group. */
import { html } from "htm/preact";
import { placeOf } from "./layout.js";
import * as gridView from "./state.js";
/** @import {MeshInfo} from "../../core/types.js" */
/** @import {Layout} from "./layout.js" */

/** Space for the names, left of the cells and above them. */
export const MESH_MARGINS = { left: 64, top: 22 };
/** Maximum number of processes whose groups are linked. */
export const LINKED = 64;
/** Minimum size of a cell that has a name beside it. */
const NAMED = 18;

/** The last axis is named above the columns, the one before it left of the rows, further ones at the first row of a plane. @param {{mesh: MeshInfo, layout: Layout}} props */
export function MeshNames({ mesh, layout }) {
  const { columns, rows, cell, plane = rows } = layout;
  const [across, down, ...outer] = mesh.axes.toReversed();
  const at = (/** @type {number} */ row, /** @type {number} */ column) =>
    placeOf({ ...layout, slots: undefined }, row * columns + column);
  const columnNames = cell.width >= NAMED ? Array.from({ length: columns }, (_, column) => column) : [];
  const rowNames = down && cell.height >= NAMED ? Array.from({ length: rows }, (_, row) => row) : [];
  return html`<div class="mesh-names" aria-hidden="true">
    ${across && columnNames.map((column) => html`<span class="across" key=${`c${column}`} style=${{ left: `${at(0, column).x}px`, width: `${cell.width}px` }}>${column === 0 || cell.width > 60 ? `${across.name} = ${column}` : column}</span>`)}
    ${across && columnNames.length === 0 && html`<span class="across" style=${{ left: 0 }}>${across.name}</span>`}
    ${down && rowNames.length === 0 && html`<span class="down" style=${{ top: 0 }}>${down.name}</span>`}
    ${rowNames.map(
      (
        row,
      ) => html`<span class="down" key=${`r${row}`} style=${{ top: `${at(row, 0).y}px`, height: `${cell.height}px` }}>
      ${row % plane === 0 && outer.length > 0 && html`<b>${planeName(outer, Math.floor(row / plane))}</b>`}<span>${/** @type {{name: string}} */ (down).name} = ${row % plane}</span></span>`,
    )}
  </div>`;
}

/** `z = 1, w = 0`. @param {readonly {name: string, size: number}[]} outer the innermost axis first @param {number} plane @returns {string} */
function planeName(outer, plane) {
  let rest = plane;
  const parts = outer.map(({ name, size }) => {
    const found = `${name} = ${rest % size}`;
    rest = Math.floor(rest / size);
    return found;
  });
  return parts.reverse().join(", ");
}

/** Lines under the cells, from each member of a group to the next. @param {{layout: Layout, members: readonly number[]}} props */
export function MeshLinks({ layout, members }) {
  const first = members[0] ?? 0;
  const groups = gridView.execution.value?.info.groups ?? [];
  const middle = (/** @type {number} */ process) => {
    const { x, y } = placeOf(layout, process - first);
    return `${x + layout.cell.width / 2},${y + layout.cell.height / 2}`;
  };
  const slot = (/** @type {number} */ process) => layout.slots?.[process - first] ?? 0;
  return html`<svg class="mesh-links" aria-hidden="true" width=${layout.width} height=${layout.height}>
    ${groups.map(
      (group, number) =>
        html`<polyline points=${group
          .toSorted((a, b) => slot(a) - slot(b))
          .map(middle)
          .join(
            " ",
          )} style=${{ stroke: gridView.groupColour(number) }} class=${gridView.lit.value === null || gridView.lit.value === number ? "" : "dim"} />`,
    )}</svg>`;
}
