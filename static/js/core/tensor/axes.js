/**
 * Which two axes of a value are shown, at which index of the others.
 *
 * @typedef {{rows: number, columns: number, at: number[]}} Slice  -1: no axis; one row, or one column
 * @typedef {{slice: Slice, fold: number}} Layout fold: elements per row of a folded vector; 0: not folded
 */
import { MAX_CELLS } from "./window_source.js";
/** @import {ValueWindow} from "../view_types.js" */

/** The last two axes, in the order of `axes`; a vector is a row. @param {number[]} shape @param {number[]|null} [axes] @returns {Slice} */
export function defaultSlice(shape, axes = null) {
  const [columns = -1, rows = -1] = [...(axes ?? shape.keys())].reverse();
  return { rows, columns, at: shape.map(() => 0) };
}

/** `slice` if it fits a value of this shape, else the default. @param {Slice|undefined} slice @param {number[]} shape @param {number[]|null} [axes] @returns {Slice} */
export function fittingSlice(slice, shape, axes = null) {
  const rank = shape.length;
  if (!slice || slice.at.length !== rank || slice.rows >= rank || slice.columns >= rank)
    return defaultSlice(shape, axes);
  return { ...slice, at: slice.at.map((index, axis) => Math.max(0, Math.min(index, (shape[axis] ?? 1) - 1))) };
}

/** Show `axis` as rows or columns; the axis there takes its former role. @param {Slice} slice @param {"rows"|"columns"} side @param {number} axis @returns {Slice} */
export function showAxis(slice, side, axis) {
  const other = side === "rows" ? "columns" : "rows";
  const swapped = slice[other] === axis && axis >= 0 ? { [other]: slice[side] } : {};
  return { ...slice, ...swapped, [side]: axis };
}

/** @param {Slice} slice @param {number} axis @param {number} index @returns {Slice} */
export function moveTo(slice, axis, index) {
  return { ...slice, at: slice.at.map((old, other) => (other === axis ? index : old)) };
}

/** Axes that are fixed at an index. @param {Slice} slice @returns {number[]} */
export function heldAxes({ rows, columns, at }) {
  return at.map((_, axis) => axis).filter((axis) => axis !== rows && axis !== columns);
}

/** Rows and columns of the picture. @param {Slice} slice @param {number[]} shape @returns {[number, number]} */
export function pictureSize({ rows, columns }, shape) {
  return [rows < 0 ? 1 : (shape[rows] ?? 1), columns < 0 ? 1 : (shape[columns] ?? 1)];
}

/** Lanes are the leading axes: one for each element that a region was run on together. @param {number} axis @param {number[]|null} lanes @returns {string} */
export function axisName(axis, lanes) {
  const count = lanes?.length ?? 0;
  return axis < count ? `lane ${axis}` : `d${axis - count}`;
}

/** The index of an element of the picture, one number an axis. @param {Slice} slice @param {number} row @param {number} column @returns {number[]} */
export function indexAt({ rows, columns, at }, row, column) {
  return at.map((index, axis) => (axis === rows ? row : axis === columns ? column : index));
}

/** `[:, 3, :]`: the part of a tensor that is drawn. @param {Slice} slice @returns {string} */
export const sliceText = ({ rows, columns, at }) =>
  `[${at.map((index, axis) => (axis === rows || axis === columns ? ":" : index)).join(", ")}]`;

/** The number of elements. @param {readonly number[]} sizes @returns {number} */
export const countOf = (sizes) => sizes.reduce((count, size) => count * size, 1);

/** The key of a picture of a value. @param {Slice} slice @returns {string} */
export function sliceKey(slice) {
  const { rows, columns, at } = slice;
  const held = new Set(heldAxes(slice));
  return `${rows},${columns};${at.map((index, axis) => (held.has(axis) ? index : "")).join(",")}`;
}

/** A vector folded into rows, like text. It arrives as one strip and is folded here. */

/** A longer vector stays a strip: it would not fit one window. @param {number} count @returns {boolean} */
export const canFold = (count) => count > 1 && count <= MAX_CELLS;

/** The smallest power of two that makes the picture wider than high. @param {number} count @returns {number} */
export function foldWidth(count) {
  let width = 1;
  while (width * width < 2 * count && width < count) width *= 2;
  return Math.min(width, count);
}

/** @param {number} count @param {number} width @returns {import("../../drawing/camera.js").Size} */
export const foldedSize = (count, width) => ({ width, height: Math.ceil(count / width) });

/** Rows `from[0]` to `from[0] + size[0]` of the folded strip; cells past the end of the vector are absent. @param {ValueWindow} strip @param {number} width @returns {ValueWindow} */
export function foldWindow(strip, width) {
  const { header, planes } = strip;
  const count = header.height * header.width;
  const height = Math.ceil(count / width);
  return { planes, header: { ...header, height, width, total: [height, width] } };
}

/** Conversion between elements and row-major numbers. */

/** The element with a row-major number. @param {readonly number[]} shape @param {number} number @returns {number[]} */
export function elementOf(shape, number) {
  const index = new Array(shape.length);
  let rest = number;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const size = shape[axis] || 1;
    index[axis] = rest % size;
    rest = Math.floor(rest / size);
  }
  return index;
}

/** @param {readonly number[]} shape @param {readonly number[]} index @returns {number} */
export const numberOf = (shape, index) => index.reduce((place, at, axis) => place * (shape[axis] ?? 1) + at, 0);
