/** How many processes the next run has. */
import { html } from "htm/preact";
import { isSameGrid, processesOf } from "./ways.js";

/** @typedef {import("../../types.js").GridSize} GridSize */

/** @param {{grid: GridSize, needed: GridSize, change: (grid: GridSize) => void}} props */
export function GridSizeFields({ grid, needed, change }) {
  const count = processesOf(grid);
  const set = (/** @type {"replicas"|"partitions"} */ side) => (/** @type {Event} */ event) => {
    const size = Number(/** @type {HTMLInputElement} */ (event.currentTarget).value);
    if (Number.isSafeInteger(size) && size >= 1) change({ ...grid, [side]: size });
  };
  const field = (/** @type {"replicas"|"partitions"} */ side) => html`<label class="input-seed">${side}
    <input type="number" min="1" value=${grid[side]} aria-label=${side === "replicas" ? "Replicas" : "Partitions"} onChange=${set(side)} /></label>`;
  const said = isSameGrid(grid, needed) ? "as the program says" : `the program says ${needed.replicas} × ${needed.partitions}`;
  return html`<div class="input-grid" role="group" aria-label="Grid of processes">
    ${field("replicas")} × ${field("partitions")}
    <span class="quiet">${count === 1 ? "one process" : `${count.toLocaleString("en")} processes`}, ${said}</span>
    ${!isSameGrid(grid, needed) && html`<button class="plain" onClick=${() => change(needed)}>As the program says</button>`}
  </div>`;
}
