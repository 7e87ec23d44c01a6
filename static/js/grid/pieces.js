/** What each process gets from a meeting, fetched when it is looked at; what came once stays. */
import { signal } from "@preact/signals";
import { getJson, valueSummary } from "../api.js";
import { gridPath } from "./fetching.js";

const KEPT = 4_000;

/** Grows with every arrival. */
export const pieceArrivals = signal(0);

/** @type {Map<string, import("./motion.js").PieceInfo[]|Error|null>} null: on its way */
const here = new Map();
/** @type {Map<string, number[]|null>} */
const shapes = new Map();

/**
 * The pieces of one receiver; undefined while they are on their way, an error where there is no answer.
 *
 * @param {string} key @param {number} meeting @param {number} process @returns {import("./motion.js").PieceInfo[]|Error|undefined}
 */
export function pieces(key, meeting, process) {
  const name = `${key} ${meeting} ${process}`;
  const found = here.get(name);
  if (found !== undefined) return found ?? undefined;
  if (here.size > KEPT) here.clear();
  here.set(name, null);
  getJson(`${gridPath(key)}/pieces?meeting=${meeting}&process=${process}`).then(
    (answer) => here.set(name, answer.pieces),
    (error) => here.set(name, error instanceof Error ? error : new Error(String(error))),
  ).finally(() => pieceArrivals.value++);
  return undefined;
}

/** @type {Map<string, {receivers: Record<string, import("./motion.js").PieceInfo[]>, complete: boolean}|Error|null>} */
const together = new Map();

/**
 * The pieces of all receivers, by process; of a crowd those of the first ones only. Undefined while they are on their way.
 *
 * @param {string} key @param {number} meeting
 * @returns {{receivers: Record<string, import("./motion.js").PieceInfo[]>, complete: boolean}|Error|undefined}
 */
export function allPieces(key, meeting) {
  const name = `${key} ${meeting}`;
  const found = together.get(name);
  if (found !== undefined) return found ?? undefined;
  if (together.size > KEPT / 100) together.clear();
  together.set(name, null);
  getJson(`${gridPath(key)}/pieces?meeting=${meeting}`).then(
    (answer) => together.set(name, answer),
    (error) => together.set(name, error instanceof Error ? error : new Error(String(error))),
  ).finally(() => pieceArrivals.value++);
  return undefined;
}

/** The shape of a value; undefined while it is not known. @param {string} key @param {string} address @returns {number[]|undefined} */
export function shapeOf(key, address) {
  const name = `${key} ${address}`;
  const found = shapes.get(name);
  if (found !== undefined) return found ?? undefined;
  shapes.set(name, null);
  valueSummary(key, address).then(({ shape }) => shapes.set(name, shape ?? []), () => undefined).finally(() => pieceArrivals.value++);
  return undefined;
}
