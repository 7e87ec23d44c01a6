/**
 * Which two axes of a value are shown, at which index of the others.
 *
 * @typedef {{rows: number, columns: number, at: number[], planes?: Planes}} Slice  -1: no axis; one row, or one column
 * @typedef {{across: number, shape: readonly number[]}} Planes  the planes of all other axes as a grid: planes in a row of it, and the value's shape
 * @typedef {{slice: Slice, fold: number}} Layout fold: elements per row of a folded vector; 0: not folded
 */
import { MAX_CELLS } from "./window_source.js";
/** @import {ValueWindow} from "../view_types.js" */

/** As `columns` of a window: all axes, flattened in row-major order. */
export const EVERY_AXIS = -2;

/**
 * The two largest axes, of equal ones the last; a vector is a row. In the order of memory, `axes`, the last two, so that
 * rows follow one another.
 *
 * @param {number[]} shape @param {number[]|null} [axes] @returns {Slice}
 */
export function defaultSlice(shape, axes = null) {
  const size = (/** @type {number} */ axis) => shape[axis] ?? 0;
  const largest = [...shape.keys()].sort((one, other) => size(other) - size(one) || other - one).slice(0, 2);
  const [columns = -1, rows = -1] = axes ? axes.slice(-2).reverse() : largest.sort((one, other) => other - one);
  return { rows, columns, at: shape.map(() => 0) };
}

/** Maximum number of elements of all planes together. */
const MOST_IN_PLANES = 1 << 24;

/** Whether all planes of a value can be shown at once. @param {Slice} slice @param {readonly number[]} shape @returns {boolean} */
export const hasPlanes = (slice, shape) =>
  slice.rows >= 0 && outerCount(slice, shape) > 1 && countOf(shape) <= MOST_IN_PLANES;

/** The axes that a slice does not draw. @param {Slice} slice @returns {number[]} */
const outerAxes = ({ rows, columns, at }) =>
  at.map((_, axis) => axis).filter((axis) => axis !== rows && axis !== columns);

/** @param {Slice} slice @param {readonly number[]} shape */
const outerSizes = (slice, shape) => outerAxes(slice).map((axis) => shape[axis] ?? 1);

/** @param {Slice} slice @param {readonly number[]} shape */
const outerCount = (slice, shape) => countOf(outerSizes(slice, shape));

/** Width of a picture of all planes, relative to its height. */
const WIDE = 1.6;

/** A slice with all planes at once: the last axis of several runs across, one alone is wrapped. @param {Slice} slice @param {readonly number[]} shape @returns {Slice} */
export function withPlanes(slice, shape) {
  const sizes = outerSizes(slice, shape).filter((size) => size > 1);
  const count = countOf(sizes);
  const [height = 1, width = 1] = [shape[slice.rows], shape[slice.columns]];
  const form = (/** @type {number} */ across) =>
    Math.abs(Math.log((across * across * width) / (count * height * WIDE)));
  const divisors = Array.from({ length: count }, (_, at) => at + 1).filter((size) => count % size === 0);
  const [wrapped = count] = divisors.sort((one, other) => form(one) - form(other));
  return { ...slice, planes: { across: (sizes.length > 1 ? sizes.at(-1) : wrapped) ?? 1, shape } };
}

/** @param {Slice} slice @returns {Slice} */
export const withoutPlanes = ({ planes: _, ...slice }) => slice;

/** Height and width of a plane; null without planes. @param {Slice} slice @returns {{height: number, width: number}|null} */
export const planeSize = ({ rows, columns, planes }) =>
  planes ? { height: planes.shape[rows] ?? 1, width: planes.shape[columns] ?? 1 } : null;

/** The row and column of an element where all planes are shown. @param {Slice} slice @param {readonly number[]} index @returns {{row: number, column: number}} */
export function placeInPlanes(slice, index) {
  const { across, shape } = /** @type {Planes} */ (slice.planes);
  const { height, width } = /** @type {{height: number, width: number}} */ (planeSize(slice));
  const plane = numberOf(
    outerSizes(slice, shape),
    outerAxes(slice).map((axis) => index[axis] ?? 0),
  );
  return {
    row: Math.floor(plane / across) * height + (index[slice.rows] ?? 0),
    column: (plane % across) * width + (index[slice.columns] ?? 0),
  };
}

/** `slice` if it fits a value of this shape, else the default. @param {Slice|undefined} slice @param {number[]} shape @param {number[]|null} [axes] @returns {Slice} */
export function fittingSlice(slice, shape, axes = null) {
  const rank = shape.length;
  if (!slice || slice.at.length !== rank || slice.rows >= rank || slice.columns >= rank)
    return defaultSlice(shape, axes);
  const found = { ...slice, at: slice.at.map((index, axis) => Math.max(0, Math.min(index, (shape[axis] ?? 1) - 1))) };
  return slice.planes && slice.planes.shape.join() !== shape.join() ? withPlanes(found, shape) : found;
}

/** Show `axis` as rows or columns; the axis there takes its former role. @param {Slice} slice @param {"rows"|"columns"} side @param {number} axis @returns {Slice} */
export function showAxis(slice, side, axis) {
  const other = side === "rows" ? "columns" : "rows";
  const swapped = slice[other] === axis && axis >= 0 ? { [other]: slice[side] } : {};
  const found = { ...slice, ...swapped, [side]: axis };
  return found.planes ? withPlanes(found, found.planes.shape) : found;
}

/** @param {Slice} slice @param {number} axis @param {number} index @returns {Slice} */
export const moveTo = (slice, axis, index) => ({
  ...slice,
  at: slice.at.map((old, other) => (other === axis ? index : old)),
});

/** Axes that are fixed at an index. @param {Slice} slice @returns {number[]} */
export const heldAxes = (slice) => (slice.planes ? [] : outerAxes(slice));

/** Rows and columns of the picture. @param {Slice} slice @param {number[]} shape @returns {[number, number]} */
export function pictureSize(slice, shape) {
  const { rows, columns, planes } = slice;
  if (planes) {
    const { height, width } = /** @type {{height: number, width: number}} */ (planeSize(slice));
    return [(outerCount(slice, shape) / planes.across) * height, planes.across * width];
  }
  return [rows < 0 ? 1 : (shape[rows] ?? 1), columns < 0 ? 1 : (shape[columns] ?? 1)];
}

/** Lanes are the leading axes: one for each element that a region was run on together. @param {number} axis @param {number[]|null} lanes @returns {string} */
export function axisName(axis, lanes) {
  const count = lanes?.length ?? 0;
  return axis < count ? `lane ${axis}` : `d${axis - count}`;
}

/** The index of an element of the picture, one number an axis. @param {Slice} slice @param {number} row @param {number} column @returns {number[]} */
export function indexAt(slice, row, column) {
  const { rows, columns, at, planes } = slice;
  const size = planeSize(slice);
  if (planes && size) {
    const plane = Math.floor(row / size.height) * planes.across + Math.floor(column / size.width);
    const outer = elementOf(outerSizes(slice, planes.shape), plane);
    const index = new Array(at.length);
    outerAxes(slice).forEach((axis, place) => (index[axis] = outer[place]));
    [index[rows], index[columns]] = [row % size.height, column % size.width];
    return index;
  }
  return at.map((index, axis) => (axis === rows ? row : axis === columns ? column : index));
}

/** `[:, 3, :]`: the part of a tensor that is drawn. @param {Slice} slice @returns {string} */
export const sliceText = ({ rows, columns, at, planes }) =>
  `[${at.map((index, axis) => (planes || axis === rows || axis === columns ? ":" : index)).join(", ")}]`;

/** The number of elements. @param {readonly number[]} sizes @returns {number} */
export const countOf = (sizes) => sizes.reduce((count, size) => count * size, 1);

/** The key of a picture of a value. @param {Slice} slice @returns {string} */
export function sliceKey(slice) {
  const { rows, columns, at, planes } = slice;
  const held = new Set(heldAxes(slice));
  return `${rows},${columns};${at.map((index, axis) => (held.has(axis) ? index : "")).join(",")};${planes?.across ?? ""}`;
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
