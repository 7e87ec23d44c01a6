/** Rows of the profile: ops or groups of ops, sorted; and what their numbers are called. */
import { countText, percentText, short } from "../../core/tensor/elements.js";
/** @import {ProfileInfo} from "../../core/types.js" */

/** @typedef {"op"|"kind"|"function"|"scope"} By */
/** @typedef {"title"|"seconds"|"total"|"count"|"read"|"written"|"flops"|"intensity"|"live"} Column */
/**
 * `places`: the ops of the row, as positions in the columns of the answer; `op`: of a single op, its number.
 *
 * @typedef {{title: string, op: number|null, places: number[], count: number, seconds: number, total: number, read: number, written: number,
 *   flops: number, live: number, intensity: number}} Row intensity: -1 without operations or bytes
 */

/** @type {readonly {id: Column, head: string, title: string}[]} */
export const COLUMNS = [
  { id: "title", head: "Name", title: "Op, or group of ops" },
  {
    id: "seconds",
    head: "Time",
    title: "Measured time of all executions; of a loop, branch or call without what it runs",
  },
  {
    id: "total",
    head: "Total",
    title: "The time with what the op runs: the iterations of a loop, a branch, a function",
  },
  { id: "count", head: "Runs", title: "Executions" },
  { id: "read", head: "Read", title: "Bytes of the operands, each in full, of all executions" },
  { id: "written", head: "Written", title: "Bytes of the results of all executions" },
  { id: "flops", head: "FLOP", title: "Floating-point operations of all executions, at most" },
  { id: "intensity", head: "FLOP/B", title: "Intensity: floating-point operations per byte read or written" },
  { id: "live", head: "Live", title: "Most bytes live during an op, in one process, from the text alone" },
];

/** A row for each op. @param {ProfileInfo} profile @param {(op: number) => string} titleOf @returns {Row[]} */
export const opRows = (profile, titleOf) =>
  profile.ops.map((op, at) => sumOf(profile, titleOf(op), [at], Number(profile.totals[at]), op));

/** @param {ProfileInfo} profile @param {string} title @param {number[]} places @param {number} total @param {number|null} [op] @returns {Row} */
function sumOf(profile, title, places, total, op = null) {
  const sum = (/** @type {readonly number[]} */ column) =>
    places.reduce((total, at) => total + /** @type {number} */ (column[at]), 0);
  const [read, written, flops] = [sum(profile.read), sum(profile.written), sum(profile.flops)];
  const live = places.reduce((most, at) => Math.max(most, /** @type {number} */ (profile.live[at])), 0);
  const intensity = flops > 0 && read + written > 0 ? flops / (read + written) : -1;
  return {
    title,
    op,
    places,
    count: sum(profile.counts),
    seconds: sum(profile.seconds),
    total,
    read,
    written,
    flops,
    live,
    intensity,
  };
}

/** The sum of all rows. @param {ProfileInfo} profile @returns {Row} */
export const totalOf = (profile) =>
  sumOf(
    profile,
    "all ops",
    [...profile.ops.keys()],
    profile.seconds.reduce((sum, each) => sum + each, 0),
  );

/** A row for each group. @param {ProfileInfo} profile @param {Exclude<By, "op">} by @param {(title: string, by: By) => string} nameOf @returns {Row[]} */
export function groupRows(profile, by, nameOf) {
  const { titles, of, totals } =
    profile[/** @type {const} */ ({ kind: "kinds", function: "functions", scope: "scopes" })[by]];
  /** @type {number[][]} */
  const places = titles.map(() => []);
  of.forEach((group, at) => places[group]?.push(at));
  return titles.map((title, group) => sumOf(profile, nameOf(title, by), places[group] ?? [], Number(totals[group])));
}

/** @param {readonly Row[]} rows @param {Column} column @param {boolean} isDown the largest first @returns {Row[]} */
export function sorted(rows, column, isDown) {
  const turn = isDown ? -1 : 1;
  if (column === "title")
    return rows.toSorted((a, b) => turn * a.title.localeCompare(b.title, "en", { numeric: true }));
  return rows.toSorted((a, b) => turn * (a[column] - b[column]));
}

/** `1.25 s`, `3.4 ms`, `12 µs`. @param {number} seconds @returns {string} */
export function secondsText(seconds) {
  if (seconds === 0) return "0 s";
  const [factor, unit] = seconds >= 1 ? [1, "s"] : seconds >= 1e-3 ? [1e3, "ms"] : [1e6, "µs"];
  return `${short(seconds * factor, 3)} ${unit}`;
}

/** `1.57 M`: a count in three digits. @param {number} count @returns {string} */
export function largeText(count) {
  const power = Math.min(5, Math.max(0, Math.floor((String(Math.round(count)).length - 1) / 3)));
  return power === 0 || count < 10_000 ? countText(count) : `${short(count / 1000 ** power, 3)} ${" kMGTP"[power]}`;
}

/** @param {number} part @param {number} whole @returns {string} */
export const shareText = (part, whole) => (whole > 0 ? percentText(part / whole) : "");
