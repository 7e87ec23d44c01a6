/**
 * A value compared across processes: groups of equal copies, and the differences from one process. Pure functions.
 *
 * @typedef {import("../../../core/types.js").Comparison} Comparison  as the server answers; numbers are indices in the request
 * @typedef {{process: number, address: string}} Holder
 * @typedef {{letter: string, processes: number[], address: string, difference: Pair, shape: number[]}} Same  equal values, and their difference from the first holder's
 */
import { countText, short } from "../../../core/tensor/elements.js";
/** @import {ValuePair as Pair} from "../../../core/types.js" */

/** The holders of the value in the order of the request: the reference first. @param {readonly Holder[]} holders @param {number} shown @returns {Holder[]} */
export const inQuestionOrder = (holders, shown) =>
  [...holders].sort((a, b) => Number(b.process === shown) - Number(a.process === shown));

/** Groups of processes with equal values, that of the lowest process first: letters stay when another process is shown. @param {readonly Holder[]} asked @param {Comparison} answer @returns {Same[]} */
export function groupsOf(asked, { groups, pairs, shapes }) {
  const found = groups.map((places) => ({
    processes: places.map((place) => /** @type {Holder} */ (asked[place]).process).sort((a, b) => a - b),
    place: places[0] ?? 0,
  }));
  found.sort((a, b) => (a.processes[0] ?? 0) - (b.processes[0] ?? 0));
  return found.map(({ processes, place }, number) => ({
    letter: letterOf(number),
    processes,
    address: /** @type {Holder} */ (asked[place]).address,
    difference: /** @type {Pair} */ (pairs[place]),
    shape: shapes[place] ?? [],
  }));
}

/** A, B, … Z, AA, AB, … @param {number} number @returns {string} */
export function letterOf(number) {
  const last = String.fromCharCode(65 + (number % 26));
  return number < 26 ? last : letterOf(Math.floor(number / 26) - 1) + last;
}

/** The number of equal copies, in one sentence. @param {readonly Same[]} groups @param {number} without processes without a value @returns {string} */
export function verdict(groups, without) {
  const count = groups.reduce((sum, { processes }) => sum + processes.length, 0);
  const rest =
    without === 0
      ? ""
      : without === 1
        ? " One process has no value of it yet."
        : ` ${without} processes have no value of it yet.`;
  if (count === 0) return "No process has a value of it yet.";
  if (count === 1) return `One process has it.${rest}`;
  if (groups.length === 1) return `All ${count} have the same value.${rest}`;
  if (groups.length === count) return `All ${count} differ from each other.${rest}`;
  return `${groups.length} different values among ${count} processes.${rest}`;
}

/** The difference of a value from that of `other`. @param {Pair} difference @param {number[]} shape @param {string} other @returns {string} */
export function differenceWords({ different, of, largest, first }, shape, other) {
  if (different === 0) return `as ${other} has it`;
  if (different === null) return `of another shape than ${other}'s: ${shape.join(" × ") || "one number"}`;
  const elements =
    of === 1
      ? "differs"
      : `${countText(different)} of ${countText(of)} elements ${different === 1 ? "differs" : "differ"}`;
  const place = first && first.length > 0 ? `, first at [${first.join(", ")}]` : "";
  const most =
    largest === null
      ? ", with NaN on one side"
      : different === 1
        ? `, by ${short(largest)}`
        : `, by ${short(largest)} at most`;
  return `${elements} from ${other}'s${place}${most}`;
}
