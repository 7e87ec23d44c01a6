/**
 * Pointer and keys on the cells of a tensor: hover, select an element or a range by dragging or with Shift and arrow
 * keys, zoom and pan.
 *
 * @typedef {{tensor: import("../../core/indexing/related.js").Tensor, shape: number[], layout: import("./state.js").Layout,
 *   state: import("./state.js").PictureState, picture: import("../../drawing/camera.js").Size, spread: import("./dilation.js").Spread|null}} Grid
 *   as it is now; `picture` in elements, which are `spread`
 */
import { boxBetween, pointBox } from "../../core/indexing/regions.js";
import { indexAt } from "../../core/tensor/axes.js";
import { cellForKey } from "../../drawing/cell_keys.js";
import { followPointer, panOrZoom, ZOOM_KEYS } from "../../drawing/heat_map_gestures.js";
import { elementAt } from "./dilation.js";
import { foldedCell, foldedIndex } from "./folding.js";
/** @import {Cell, GridView} from "./grid_view.js" */

/** Maximum size of cells for which the wheel zooms without a key. */
const TINY = 12;

/** @param {HTMLElement} element what has the focus @param {HTMLCanvasElement} canvas @param {GridView} view @param {() => Grid} grid @returns {() => void} */
export function listenToGrid(element, canvas, view, grid) {
  const stop = new AbortController();
  const { signal } = stop;
  const hover = (/** @type {Cell|null} */ cell) => {
    const { state, tensor } = grid();
    const at = cell && indexUnder(grid(), cell);
    const before = state.hovered.peek();
    if (at && before?.side === tensor.side && before.number === tensor.number && before.at.join() === at.join()) return;
    state.hovered.value = at && { side: tensor.side, number: tensor.number, boxes: [pointBox(at)], at };
  };
  view.says.point = hover;
  canvas.addEventListener("pointermove", (event) => view.point({ x: event.offsetX, y: event.offsetY }), { signal });
  canvas.addEventListener("pointerleave", () => view.point(null), { signal });
  canvas.addEventListener("pointerdown", (event) => press(event, element, canvas, view, grid), { signal });
  canvas.addEventListener("wheel", (event) => wheel(event, view), { signal, passive: false });
  element.addEventListener("keydown", (event) => key(event, view, grid()), { signal });
  return () => stop.abort();
}

/** The element at a position; null in a hole. @param {Grid} grid @param {Cell} place @returns {number[]|null} */
function indexUnder(grid, place) {
  const cell = elementAt(place, grid.spread);
  return cell && indexOf(grid, cell);
}

/** The element of a cell; null past the end of a folded vector. @param {Grid} grid @param {Cell} cell @returns {number[]|null} */
export function indexOf({ shape, layout: { slice, fold, folding } }, { row, column }) {
  if (folding) return foldedIndex(folding, shape, { row, column });
  if (fold === 0) return indexAt(slice, row, column);
  const at = row * fold + column;
  return at < (shape[0] ?? 0) ? [at] : null;
}

/** The cell of an element; null in another slice. @param {number[]} index @param {import("./state.js").Layout} layout @param {number[]} shape @returns {Cell|null} */
export function cellOf(index, { slice, fold, folding }, shape) {
  if (folding) return foldedCell(folding, shape, index);
  if (fold > 0) return { row: Math.floor((index[0] ?? 0) / fold), column: (index[0] ?? 0) % fold };
  const cell = { row: index[slice.rows] ?? 0, column: index[slice.columns] ?? 0 };
  const here = indexAt(slice, cell.row, cell.column);
  return here.every((at, axis) => at === index[axis]) ? cell : null;
}

/** Select the range from the anchor to an element. @param {Grid} grid @param {number[]} anchor @param {number[]} at @param {import("../../core/indexing/regions.js").Box[]} [others] */
function choose({ state, tensor }, anchor, at, others = []) {
  state.select({ side: tensor.side, number: tensor.number, boxes: [...others, boxBetween(anchor, at)], at });
}

/** A press selects an element and a drag a range; with the middle button or Alt it pans. @param {PointerEvent} event @param {HTMLElement} element @param {HTMLCanvasElement} canvas @param {GridView} view @param {() => Grid} grid */
function press(event, element, canvas, view, grid) {
  const moves = event.button === 1 || (event.button === 0 && event.altKey);
  if (!moves && event.button !== 0) return;
  const first = view.cellAt({ x: event.offsetX, y: event.offsetY });
  const anchor = first && indexUnder(grid(), first);
  if (!moves && !anchor) return;
  event.preventDefault();
  element.focus({ preventScroll: true });
  const own = grid();
  const before = own.state.selected.peek();
  const same = before && before.side === own.tensor.side && before.number === own.tensor.number ? before : null;
  const start = event.shiftKey && same ? anchorOf(same) : anchor;
  const others = (event.ctrlKey || event.metaKey) && same ? same.boxes : [];
  const to = (/** @type {PointerEvent} */ moved) => {
    const cell = view.cellAt({ x: moved.offsetX, y: moved.offsetY });
    const at = cell && indexUnder(grid(), cell);
    if (at && start) choose(grid(), start, at, others);
  };
  if (!moves) to(event);
  followPointer(canvas, event, moves ? (moved, by) => view.pan(-by.x, -by.y) : to);
}

/** The fixed corner of a range. @param {import("../../core/indexing/related.js").Chosen} chosen @returns {number[]} */
function anchorOf({ boxes, at }) {
  const box = boxes.at(-1);
  return at.map((place, axis) => {
    const start = box?.start[axis] ?? place;
    return place === start ? start + (box?.sizes[axis] ?? 1) - 1 : start;
  });
}

/** @param {WheelEvent} event @param {GridView} view */
function wheel(event, view) {
  const small = Math.min(view.view().cell.x, view.view().cell.y) < TINY;
  // Pictures that fit the view let the page scroll.
  if (!event.ctrlKey && view.fitted && (event.deltaY > 0 || !small)) return;
  panOrZoom(event, view);
}

/** @param {KeyboardEvent} event @param {GridView} view @param {Grid} grid */
function key(event, view, grid) {
  if (event.altKey || event.metaKey) return;
  const zoom = event.ctrlKey ? undefined : ZOOM_KEYS[event.key];
  const act = zoom
    ? () => zoom(view)
    : PICTURE_KEYS[event.key]
      ? () => PICTURE_KEYS[event.key]?.(grid)
      : cellKey(event, view, grid);
  if (!act) return;
  event.preventDefault();
  act();
}

/** @type {Record<string, (grid: Grid) => void>} */
const PICTURE_KEYS = {
  Enter: ({ state }) => state.togglePin(),
  Escape: ({ state }) => {
    state.hovered.value = null;
    state.select(null);
  },
};

/** @param {KeyboardEvent} event @param {GridView} view @param {Grid} grid @returns {(() => void)|null} */
function cellKey(event, view, grid) {
  const { picture, state, tensor } = grid;
  const before = state.selected.peek();
  const same = before && before.side === tensor.side && before.number === tensor.number ? before : null;
  // Not the picture's cursor: it follows with the next drawing, and keys may come faster.
  const here = (same && cellOf(same.at, grid.layout, grid.shape)) ?? { row: 0, column: 0 };
  const target = cellForKey(event, here, picture, pageOf(view, grid.spread?.rows ?? 1));
  if (!target) return null;
  return () => {
    // The first key press shows the current element.
    const at = indexOf(grid, same ? target : here);
    if (!at) return;
    const anchor = event.shiftKey && same ? anchorOf(same) : at;
    state.hovered.value = null;
    choose(grid, anchor, at);
  };
}

/** Number of rows that Page Up and Page Down move by. @param {GridView} view @param {number} apart @returns {number} */
function pageOf(view, apart) {
  const { seen } = view.innerView();
  return Math.max(1, Math.floor((seen.bottom - seen.top) / apart) - 1);
}
