/** The data that each process receives in a collective execution, loaded when it is shown and then kept. */
import { signal } from "@preact/signals";
import { AnswerCache } from "../../../core/answers.js";
import { getJson, valueSummary } from "../../../core/api.js";
import { gridPath } from "../../../core/grid/loading.js";
/** @import {PieceInfo} from "../../../core/types.js" */

/**
 * @typedef {import("../../../core/types.js").AllPieces} AllPieces  by process; of many receivers only the first ones
 */

/** Grows with every arrival. */
export const pieceArrivals = signal(0);

/** @type {AnswerCache<PieceInfo[]>} */
const ofReceivers = new AnswerCache(4_000, { arrivals: pieceArrivals });
/** @type {AnswerCache<AllPieces>} */
const ofExecutions = new AnswerCache(40, { arrivals: pieceArrivals });
/** @type {AnswerCache<number[]>} */
const shapes = new AnswerCache(4_000, { arrivals: pieceArrivals });

/**
 * The pieces of one receiver; undefined while they are loading, or an error.
 *
 * @param {string} key @param {number} execution @param {number} process @returns {PieceInfo[]|Error|undefined}
 */
export function pieces(key, execution, process) {
  const path = `${gridPath(key)}/pieces?execution=${execution}&process=${process}`;
  return ofReceivers.read(path, async () => (await getJson(path)).pieces);
}

/** The pieces of all receivers; undefined while they are loading. @param {string} key @param {number} execution @returns {AllPieces|Error|undefined} */
export function allPieces(key, execution) {
  const path = `${gridPath(key)}/pieces?execution=${execution}`;
  return ofExecutions.read(path, () => getJson(path));
}

/** The shape of a value; undefined while it is unknown. @param {string} key @param {string} address @returns {number[]|undefined} */
export function shapeOf(key, address) {
  const found = shapes.read(`${key} ${address}`, async () => (await valueSummary(key, address)).shape ?? []);
  return found instanceof Error ? undefined : found;
}
