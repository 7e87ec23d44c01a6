/** Values at the position: their addresses and pictures, and the colour that a statistic of them gives to a node. */
import { argumentAddress, resultAddress } from "../../core/addresses.js";
import { badnessOf } from "../../core/run/badness.js";
import { lastFrames, lastRuns } from "../../core/run/values.js";
import * as store from "../../core/store.js";
import { bitsOf } from "../../core/tensor/elements.js";
import { LEVELS, lookupTable } from "../../drawing/colour_maps.js";
import { thumbnail } from "../../ui/thumbnails.js";
/** @import {ThumbnailInfo} from "../../core/types.js" */
/** @import {Program} from "../../core/run/program.js" */
/** @import {Node} from "./nest.js" */

/** Maximum number of values of a folded group that its statistic counts. */
const MOST_OF_GROUP = 8;

/** @typedef {{address: string, isAhead: boolean}} Seen */

/** The addresses of values, seen from the position of secondary panels; values that no step has made are omitted. @param {Program} program @param {readonly number[]} values @returns {Map<number, Seen>} */
export const seenValues = (program, values) =>
  store.atPosition((outline, at) => seenIn(outline, program, at, values), store.calmPosition.value) ?? new Map();

/** @param {import("../../core/run/outline.js").Outline} outline @param {Program} program @param {number} at @param {readonly number[]} values @returns {Map<number, Seen>} */
function seenIn(outline, program, at, values) {
  const made = values.map((value) => ({ value, ...program.definition(value) }));
  const runs = lastRuns(
    outline,
    program,
    at,
    made.flatMap(({ op }) => op ?? []),
  );
  const frames = lastFrames(
    outline,
    program,
    at,
    made.flatMap(({ op, block }) => (op === null ? [block] : [])),
  );
  /** @type {Map<number, Seen>} */
  const found = new Map();
  for (const { value, op, block, index } of made) {
    const [run, frame] = [op === null ? undefined : runs.get(op), op === null ? frames.get(block) : undefined];
    if (run && !run.open)
      found.set(value, { address: resultAddress(outline.process, run.step, index), isAhead: run.step === at });
    if (frame !== undefined)
      found.set(value, { address: argumentAddress(outline.process, frame, index), isAhead: false });
  }
  return found;
}

/** The values that a node is coloured by: its result, or what leaves a folded group. @param {Node} node @returns {readonly number[]} */
export function valuesOf(node) {
  if (node.kind === "argument" || node.kind === "op") return node.values.slice(0, 1);
  if (node.kind !== "group" || node.isOpen) return [];
  const leaving = [...(node.parent?.wires.get(node)?.values() ?? [])].flatMap(({ uses }) =>
    uses.map(({ value }) => value),
  );
  return [...new Set(leaving)].slice(0, MOST_OF_GROUP);
}

/** The thumbnail of a value; undefined while it is requested. @param {Seen|undefined} seen @returns {ThumbnailInfo|null|undefined} */
export function pictureOf(seen) {
  const key = store.recordingKey.value;
  return seen && key !== null ? thumbnail(key, seen.address) : null;
}

/** Whether a value has NaN or an infinity that is not intended. @param {Seen} seen @param {ThumbnailInfo} info */
export const isWrong = (seen, info) => {
  const found = badnessOf(seen.address, info.nonfinite === true);
  return found !== null && found.badness !== "neutral";
};

/** The largest magnitude; NaN where there is none. @param {ThumbnailInfo} info @returns {number} */
export const magnitudeOf = ({ min, max }) => Math.max(Math.abs(Number(min)), Math.abs(Number(max)));

/** The bytes of a value; NaN if its size is unknown. @param {Program} program @param {number} value @returns {number} */
export function bytesOf(program, value) {
  const { shape, elementType } = program.value(value);
  if (!shape || elementType === null) return NaN;
  return Math.ceil(
    (shape.reduce((/** @type {number} */ all, size) => all * (size ?? NaN), 1) * bitsOf(elementType)) / 8,
  );
}

/** @typedef {{low: number, high: number, text: (number: number) => string}} Range */

/** The range of numbers on a logarithmic scale; null for none. @param {readonly number[]} numbers @param {(number: number) => string} text @returns {Range|null} */
export function logRange(numbers, text) {
  const positive = numbers.filter((number) => number > 0 && Number.isFinite(number));
  return positive.length === 0
    ? null
    : { low: positive.reduce((a, b) => Math.min(a, b)), high: positive.reduce((a, b) => Math.max(a, b)), text };
}

/** @type {readonly string[]|null} */
let scale = null;

/** The colour of a number in a range. @param {number} number @param {Range} range @returns {string} */
export const colourIn = (number, { low, high }) =>
  colourAt(high > low ? Math.log(Math.max(number, low) / low) / Math.log(high / low) : 0.5);

/** @param {number} share of the scale @returns {string} */
export function colourAt(share) {
  scale ??= [...lookupTable("viridis")].map(
    (pixel) => `rgb(${pixel & 255},${(pixel >> 8) & 255},${(pixel >> 16) & 255})`,
  );
  return scale[Math.round(Math.min(1, Math.max(0, share)) * LEVELS)] ?? "";
}
