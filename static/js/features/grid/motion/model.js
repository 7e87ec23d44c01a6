/**
 * The moves of a collective execution in phases: one receiver or sender after the other, or all at once. Pure functions.
 *
 * `from`, `to`: null where a value has no address: the result of a started op is a value of the op that ends it.
 *
 * @typedef {PieceInfo & {receiver: number}} Piece
 * @typedef {"receiver"|"sender"|"all"} Order
 * @typedef {{process: number|null, pieces: Piece[]}} Phase
 */
/** @import {PieceInfo} from "../../../core/types.js" */
/** @import {Box} from "../../../drawing/boxes.js" */

/** @param {Map<number, PieceInfo[]>} byReceiver @param {readonly number[]} group @returns {Piece[]} */
export const piecesOf = (byReceiver, group) =>
  group.flatMap((receiver) => (byReceiver.get(receiver) ?? []).map((piece) => ({ ...piece, receiver })));

/** Phases in the order of the group; processes that receive or send nothing have none. @param {Piece[]} pieces @param {readonly number[]} group @param {Order} order @returns {Phase[]} */
export function phasesOf(pieces, group, order) {
  if (order === "all") return pieces.length > 0 ? [{ process: null, pieces }] : [];
  const side = order === "receiver" ? "receiver" : "source";
  return group
    .map((process) => ({ process, pieces: pieces.filter((piece) => piece[side] === process) }))
    .filter((phase) => phase.pieces.length > 0);
}

/** The next phase and its progress after a time. @param {{phase: number, time: number}} at @param {number} passed in phases @param {number} count of phases @returns {{phase: number, time: number, ended: boolean}} */
export function advance({ phase, time }, passed, count) {
  const all = phase + time + passed;
  if (all >= count) return { phase: Math.max(0, count - 1), time: 1, ended: true };
  return { phase: Math.floor(all), time: all - Math.floor(all), ended: false };
}
