/**
 * Boxes of values: their rectangle in a flat picture, and their description.
 *
 * @typedef {{start: number[], sizes: number[]}} Box
 * @typedef {{rows: number, columns: number, at: number[]}} Slice  as in core/tensor/axes.js
 * @typedef {{row: number, column: number, height: number, width: number}} Rectangle  in elements
 */
import { countOf } from "../core/tensor/axes.js";

/**
 * The two axes that separate the boxes best: those along which they differ, then the last ones.
 *
 * @param {number[]} shape @param {readonly Box[]} boxes @returns {Slice}
 */
export function sliceFor(shape, boxes) {
  const split = [...shape.keys()].filter((axis) => boxes.some(({ sizes }) => sizes[axis] !== shape[axis]));
  const rest = [...shape.keys()].filter((axis) => !split.includes(axis)).reverse();
  const [one = -1, other = -1] = [...split, ...rest].slice(0, 2);
  const at = shape.map(() => 0);
  if (other < 0) return { rows: -1, columns: one, at };
  return { rows: Math.min(one, other), columns: Math.max(one, other), at };
}

/** The rectangle of the box; null outside this slice. @param {Box} box @param {Slice} slice @returns {Rectangle|null} */
export function rectangleOf({ start, sizes }, { rows, columns, at }) {
  const outside = at.some(
    (index, axis) =>
      axis !== rows &&
      axis !== columns &&
      (index < (start[axis] ?? 0) || index >= (start[axis] ?? 0) + (sizes[axis] ?? 1)),
  );
  if (outside) return null;
  const along = (/** @type {number} */ axis) => (axis < 0 ? [0, 1] : [start[axis] ?? 0, sizes[axis] ?? 1]);
  const [[row = 0, height = 1], [column = 0, width = 1]] = [along(rows), along(columns)];
  return { row, column, height, width };
}

/** "rows 4 to 7", "elements 0 to 2", "d0 1, d2 4 to 7"; "all of it" for the whole value. @param {Box} box @param {number[]} shape @returns {string} */
export function boxWords({ start, sizes }, shape) {
  const names =
    shape.length === 1 ? ["elements"] : shape.length === 2 ? ["rows", "columns"] : shape.map((_, axis) => `d${axis}`);
  const parts = shape.flatMap((size, axis) => {
    const [from, count] = [start[axis] ?? 0, sizes[axis] ?? size];
    if (count === size) return [];
    const name = names[axis] ?? "";
    return [count === 1 ? `${name.replace(/s$/, "")} ${from}` : `${name} ${from} to ${from + count - 1}`];
  });
  return parts.length === 0 ? (shape.length === 0 ? "the number" : "all of it") : parts.join(", ");
}

/** The number of elements. @param {Box} box @returns {number} */
export const sizeOf = ({ sizes }) => countOf(sizes);

/**
 * A common slice for the boxes read and written: axes along which either is split, if both have them.
 *
 * @param {number[]} read shape @param {number[]} written shape @param {readonly {read: Box, written: Box}[]} pieces
 * @returns {{read: Slice, written: Slice}}
 */
export function commonSlices(read, written, pieces) {
  const reads = pieces.map((piece) => piece.read);
  const writes = pieces.map((piece) => piece.written);
  if (read.length !== written.length) return { read: sliceFor(read, reads), written: sliceFor(written, writes) };
  // A box of one shape, split where the boxes of the other are.
  const split = [...read.keys()].filter(
    (axis) =>
      reads.some(({ sizes }) => sizes[axis] !== read[axis]) ||
      writes.some(({ sizes }) => sizes[axis] !== written[axis]),
  );
  const marked = { start: read.map(() => 0), sizes: written.map((size, axis) => (split.includes(axis) ? -1 : size)) };
  const slice = sliceFor(written, [marked]);
  return { read: slice, written: slice };
}
