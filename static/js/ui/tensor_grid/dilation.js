/**
 * A dilated tensor as its windows see it: elements drawn apart, with holes between them.
 *
 * @typedef {{rows: number, columns: number}} Spread  how far apart elements are, down and to the right
 * @typedef {{row: number, column: number}} Cell
 */
import { pictureSize } from "../../core/tensor/axes.js";
import { rearranged, WindowSource } from "../../core/tensor/window_source.js";

/** Maximum number of positions for which elements are drawn apart. */
export const MOST_SPREAD = 1 << 20;

/** The distance between elements; null if they are adjacent. @param {import("../../core/indexing/window_positions.js").Padding|null} padding @param {import("./state.js").Layout} layout @param {number[]} shape @returns {Spread|null} */
export function spreadOf(padding, { slice, fold, folding }, shape) {
  if (!padding || folding || fold > 0) return null;
  const spread = { rows: padding.base[slice.rows] ?? 1, columns: padding.base[slice.columns] ?? 1 };
  const { height, width } = spreadPicture(slice, shape, spread);
  return (spread.rows > 1 || spread.columns > 1) && height * width <= MOST_SPREAD ? spread : null;
}

/** @param {import("../../core/tensor/axes.js").Slice} slice @param {number[]} shape @param {Spread} spread @returns {import("../../drawing/camera.js").Size} */
export function spreadPicture(slice, shape, { rows, columns }) {
  const [height, width] = pictureSize(slice, shape);
  return { height: (height - 1) * rows + 1, width: (width - 1) * columns + 1 };
}

/** The position of an element. @param {Cell} cell @param {Spread|null|undefined} spread @returns {Cell} */
export const placeOf = ({ row, column }, spread) => ({
  row: row * (spread?.rows ?? 1),
  column: column * (spread?.columns ?? 1),
});

/** The element at a position; null in a hole. @param {Cell} place @param {Spread|null|undefined} spread @returns {Cell|null} */
export function elementAt({ row, column }, spread) {
  const [down, right] = [spread?.rows ?? 1, spread?.columns ?? 1];
  return row % down === 0 && column % right === 0 ? { row: row / down, column: column / right } : null;
}

/** The view in elements, for the rulers. @param {import("../../drawing/draw.js").View} view @param {Spread|null} spread @returns {import("../../drawing/draw.js").View} */
export function rulerView(view, spread) {
  if (!spread) return view;
  const { camera, cell, seen } = view;
  const { rows, columns } = spread;
  const from = (/** @type {number} */ place, /** @type {number} */ apart) => (place - 0.5) / apart + 0.5;
  return {
    ...view,
    camera: { ...camera, top: from(camera.top, rows), left: from(camera.left, columns) },
    cell: { x: cell.x * columns, y: cell.y * rows },
    seen: {
      top: Math.ceil(seen.top / rows),
      bottom: Math.ceil(seen.bottom / rows),
      left: Math.ceil(seen.left / columns),
      right: Math.ceil(seen.right / columns),
    },
  };
}

/** @param {import("../../core/indexing/regions.js").Span} span @param {number} apart @returns {import("../../core/indexing/regions.js").Span} */
const spreadSpan = ({ start, size, stride }, apart) => ({ start: start * apart, size, stride: stride * apart });

/** @param {import("../../core/indexing/regions.js").Rectangle[]} rectangles @param {Spread|null|undefined} spread @returns {import("../../core/indexing/regions.js").Rectangle[]} */
export const spreadRectangles = (rectangles, spread) =>
  spread
    ? rectangles.map(({ row, column }) => ({
        row: spreadSpan(row, spread.rows),
        column: spreadSpan(column, spread.columns),
      }))
    : rectangles;

/** Request all elements of the slice and put them at their positions. @param {NonNullable<import("./sources.js").Source["window"]>} load @param {number[]} shape @param {import("../../core/tensor/axes.js").Slice} slice @param {Spread} spread */
export function spreadWindows(load, shape, slice, spread) {
  const picture = spreadPicture(slice, shape, spread);
  const { rows, columns, at } = slice;
  const size = pictureSize(slice, shape);
  // Holes have a number too, which is drawn over.
  const placeOf = (/** @type {number} */ from) =>
    Math.floor(from / size[1]) * spread.rows * picture.width + (from % size[1]) * spread.columns;
  return WindowSource.ofOne(picture, async (signal) =>
    rearranged(await load({ rows, columns, at, level: 0, from: [0, 0], size }, signal), picture, placeOf),
  );
}
