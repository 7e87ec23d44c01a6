/**
 * A whole tensor in the pieces of the processes: the piece of an element, and its index there. Pure functions.
 *
 * @typedef {import("../../../core/types.js").ShardingInfo} Sharding  `assembled`: every process holds the whole tensor
 * @typedef {Piece & {rectangle: Rectangle}} VisiblePiece  a piece that this slice crosses
 */
import { indexAt } from "../../../core/tensor/axes.js";
import { rectangleOf, sizeOf } from "../../../drawing/boxes.js";
/** @import {Slice} from "../../../core/tensor/axes.js" */
/** @import {Rectangle} from "../../../drawing/boxes.js" */
/** @import {ShardPiece as Piece} from "../../../core/types.js" */

/** Pieces that are not empty. @param {readonly Piece[]} pieces @returns {Piece[]} */
export const filledPieces = (pieces) => pieces.filter((piece) => sizeOf(piece) > 0);

/** The pieces in a slice, with their boxes. @param {readonly Piece[]} pieces @param {Slice} slice @returns {VisiblePiece[]} */
export const inSlice = (pieces, slice) =>
  filledPieces(pieces).flatMap((piece) => {
    const rectangle = rectangleOf(piece, slice);
    return rectangle ? [{ ...piece, rectangle }] : [];
  });

/** The piece at a point of the picture. @template {{rectangle: Rectangle}} T @param {readonly T[]} seen @param {number} row @param {number} column @returns {T|null} */
export const pieceAt = (seen, row, column) =>
  seen.find(
    ({ rectangle: { row: top, column: left, height, width } }) =>
      row >= top && row < top + height && column >= left && column < left + width,
  ) ?? null;

/** Convert an index of the whole to an index of a piece. @param {readonly number[]} index @param {Piece} piece @returns {number[]} */
export const indexIn = (index, { start }) => index.map((at, axis) => at - (start[axis] ?? 0));

/** The same slice of a piece. @param {Slice} slice @param {Piece} piece @returns {Slice} */
export const sliceIn = ({ rows, columns, at }, { start, sizes }) => ({
  rows,
  columns,
  at: at.map((index, axis) => Math.min(Math.max(0, index - (start[axis] ?? 0)), Math.max(0, (sizes[axis] ?? 1) - 1))),
});

/** An element in the whole and in its piece. @param {Slice} slice @param {readonly VisiblePiece[]} seen @param {number} row @param {number} column @returns {{index: number[], piece: VisiblePiece|null, inside: number[]|null}} */
export function elementPlace(slice, seen, row, column) {
  const index = indexAt(slice, row, column);
  const piece = pieceAt(seen, row, column);
  return { index, piece, inside: piece && indexIn(index, piece) };
}

/** The process whose copy of a piece is shown: the shown one if it has one, else the first with a value. @param {Piece} piece @param {number} shown @param {ReadonlyMap<number, string>} addresses @returns {number|null} */
export function holderOf({ processes }, shown, addresses) {
  if (processes.includes(shown) && addresses.has(shown)) return shown;
  return processes.find((process) => addresses.has(process)) ?? null;
}

/** Labels of a piece in lines, the most informative first: all its processes, or their number. @param {readonly string[]} names `(0, 1)` @returns {string[][]} */
export function labelsOf(names) {
  const [first = ""] = names;
  const brief = (/** @type {string} */ name) => name.replace(/[() ]/g, "");
  if (names.length < 2) return [[first], [brief(first)]];
  const more = `+${names.length - 1}`;
  const all = names.length <= 4 ? [[names.join(" ")], [...names], names.map(brief)] : [];
  return [...all, [`${first} and ${names.length - 1} more`], [`${first} ${more}`], [first, more], [brief(first), more]];
}

/** The number of empty pieces, if any. @param {readonly Piece[]} pieces @returns {string} */
export function emptyWords(pieces) {
  const count = pieces.filter((piece) => sizeOf(piece) === 0).length;
  return count === 0 ? "" : count === 1 ? "; one of them is empty" : `; ${count} of them are empty`;
}
