/** The element under the pointer or at the cursor, in words. */
import { indexAt } from "../../core/tensor/axes.js";
import { elementAt, elementText, short } from "../../core/tensor/elements.js";
import { hasOtherOrder, offsetOf } from "../../core/tensor/memory_layout.js";
import { exactElement } from "../../core/tensor/window_source.js";

/**
 * @typedef {{index: string, value: string, exact: boolean, offset: number|null}} Readout  offset: elements before it in memory
 * @typedef {{source: import("../../core/tensor/window_source.js").WindowSource, summary: import("../../core/types.js").ValueSummary,
 *   layout: import("../../core/tensor/axes.js").Layout}} Seen
 */

/** @param {Seen} seen @param {number} row @param {number} column @returns {Readout|null} */
export function readout({ source, summary, layout }, row, column) {
  const layer = source.at(row, column);
  if (!layer) return null;
  const { level } = layer.request;
  const bin = 2 ** level;
  if (level > 0)
    return binReadout(layer, cellIn(layer, row, column), indexText(layout, source.picture, row, column, bin), bin);
  const { wire } = summary;
  const found = exactElement({ source, wire }, row, column);
  if (!found) return null;
  return {
    index: indexText(layout, source.picture, row, column, 1),
    value: elementText(elementAt(found.plane, wire, found.at), summary.elementType, wire),
    exact: true,
    offset: memoryOffset(summary, layout.slice, row, column),
  };
}

/** @param {import("../../core/tensor/window_source.js").Layer} layer @param {number} row @param {number} column */
function cellIn({ request: { level, from }, window: { header } }, row, column) {
  const bin = 2 ** level;
  return (Math.floor(row / bin) - from[0]) * header.width + Math.floor(column / bin) - from[1];
}

/** The index of an element of the picture. @param {import("../../core/tensor/axes.js").Layout} layout @param {{row: number, column: number}} place @returns {number[]} */
export const elementIn = ({ slice, fold }, { row, column }) =>
  fold > 0 ? [row * fold + column] : indexAt(slice, row, column);

/** The offset of an element in memory, if it differs from its row-major number. @param {import("../../core/types.js").ValueSummary} summary @param {import("../../core/tensor/axes.js").Slice} slice @param {number} row @param {number} column @returns {number|null} */
export function memoryOffset({ layout, shape }, slice, row, column) {
  if (!layout || !(hasOtherOrder(layout, shape) || layout.tiles.length > 0)) return null;
  return offsetOf(layout, shape, indexAt(slice, row, column));
}

/** @param {import("../../core/tensor/window_source.js").Layer} layer @param {number} cell @param {string} index @param {number} bin @returns {Readout} */
function binReadout({ window: { planes } }, cell, index, bin) {
  const bad = Number(planes.nonfinite?.[cell] ?? 0);
  const [low, mean, high] = [planes.min, planes.mean, planes.max].map((plane) => short(Number(plane?.[cell] ?? NaN)));
  const numbers = `min ${low}  mean ${mean}  max ${high}`;
  const note = bad ? `  ${bad} not finite` : "";
  return { index, value: `${numbers}${note}  of ${bin} × ${bin}`, exact: false, offset: null };
}

/** `[3, 17]`, or `[0…7, 16…23]` for a bin. @param {import("../../core/tensor/axes.js").Layout} layout @param {import("../../drawing/camera.js").Size} picture @param {number} row @param {number} column @param {number} bin @returns {string} */
export function indexText({ slice, fold }, picture, row, column, bin) {
  if (fold > 0) return `[${row * fold + column}]`;
  if (slice.planes && bin > 1) return `[${indexAt(slice, row, column).join(", ")}] and around`;
  const first = indexAt(slice, Math.floor(row / bin) * bin, Math.floor(column / bin) * bin);
  const end = (/** @type {number} */ start, /** @type {number} */ size) => Math.min(size, start + bin) - 1;
  const parts = first.map((index, axis) => {
    const shown = axis === slice.rows ? picture.height : axis === slice.columns ? picture.width : 0;
    return bin > 1 && shown > 1 ? `${index}…${end(index, shown)}` : String(index);
  });
  return `[${parts.join(", ")}]`;
}
