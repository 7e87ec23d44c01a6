/** What each process gets from a meeting, fetched when it is looked at; what came once stays. */
import { signal } from "@preact/signals";
import { AnswerCache } from "../../../core/answers.js";
import { getJson, valueSummary } from "../../../core/api.js";
import { gridPath } from "../../../core/grid/loading.js";
/** @import {PieceInfo} from "../../../core/types.js" */

/**
 * @typedef {import("../../../core/types.js").AllPieces} AllPieces  by process; of many receivers those of the first ones only
 */

/** Grows with every arrival. */
export const pieceArrivals = signal(0);

/** @type {AnswerCache<PieceInfo[]>} */
const ofReceivers = new AnswerCache(4_000, { arrivals: pieceArrivals });
/** @type {AnswerCache<AllPieces>} */
const ofMeetings = new AnswerCache(40, { arrivals: pieceArrivals });
/** @type {AnswerCache<number[]>} */
const shapes = new AnswerCache(4_000, { arrivals: pieceArrivals });

/**
 * The pieces of one receiver; undefined while they are on their way, an error where there is no answer.
 *
 * @param {string} key @param {number} meeting @param {number} process @returns {PieceInfo[]|Error|undefined}
 */
export function pieces(key, meeting, process) {
  const path = `${gridPath(key)}/pieces?meeting=${meeting}&process=${process}`;
  return ofReceivers.read(path, async () => (await getJson(path)).pieces);
}

/** The pieces of all receivers; undefined while they are on their way. @param {string} key @param {number} meeting @returns {AllPieces|Error|undefined} */
export function allPieces(key, meeting) {
  const path = `${gridPath(key)}/pieces?meeting=${meeting}`;
  return ofMeetings.read(path, () => getJson(path));
}

/** The shape of a value; undefined while it is not known. @param {string} key @param {string} address @returns {number[]|undefined} */
export function shapeOf(key, address) {
  const found = shapes.read(`${key} ${address}`, async () => (await valueSummary(key, address)).shape ?? []);
  return found instanceof Error ? undefined : found;
}
