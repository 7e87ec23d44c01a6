/**
 * A vector folded into rows, as text is. It comes as one strip and is folded here.
 *
 * @typedef {import("../types.js").ValueWindow} ValueWindow
 */
import { MAX_CELLS } from "./windows.js";

/** A longer vector stays a strip: it would not come in one window. @param {number} count @returns {boolean} */
export const canFold = (count) => count > 1 && count <= MAX_CELLS;

/** The smallest power of two that makes the picture lie rather than stand. @param {number} count @returns {number} */
export function foldWidth(count) {
  let width = 1;
  while (width * width < 2 * count && width < count) width *= 2;
  return Math.min(width, count);
}

/** @param {number} count @param {number} width @returns {import("./camera.js").Size} */
export const foldedSize = (count, width) => ({ width, height: Math.ceil(count / width) });

/** Rows `from[0]` to `from[0] + size[0]` of the folded strip; past the end of the vector cells are absent. @param {ValueWindow} strip @param {number} width @returns {ValueWindow} */
export function folded(strip, width) {
  const { header, planes } = strip;
  const count = header.height * header.width;
  const height = Math.ceil(count / width);
  return { planes, header: { ...header, height, width, total: [height, width] } };
}
