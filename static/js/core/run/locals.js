/**
 * The values that a frame has at a position, without building a list: its arguments, and the results of the ops of
 * its block before the current one. A block runs its ops in order, so one number states which values exist.
 *
 * @typedef {{values: Uint32Array, before: Uint32Array, inputs: number}} BlockValues the arguments, then the results
 *   of a block; how many exist before each op; how many are arguments
 * @typedef {{block: number, table: BlockValues, known: number}} Locals the first `known` values of the table exist
 */
import { upperBound } from "../prefix_sums.js";
import { framesAround } from "./values.js";
import { keptFor } from "../kept.js";
/** @import {Program} from "./program.js" */

/** The tables of blocks, as far as they are made. @type {(program: Program) => Map<number, BlockValues>} */
const tablesOf = keptFor(() => new Map());

/** @param {Program} program @param {number} block @returns {BlockValues} */
export function valuesOf(program, block) {
  const tables = tablesOf(program);
  const found = tables.get(block) ?? listValues(program, block);
  tables.set(block, found);
  return found;
}

/** @param {Program} program @param {number} block @returns {BlockValues} */
function listValues(program, block) {
  const { arguments: inputs, ops } = program.block(block);
  const before = new Uint32Array(ops.length + 1);
  const values = [...inputs];
  ops.forEach((op, at) => {
    before[at] = values.length;
    for (const value of program.op(op).results) values.push(value);
  });
  before[ops.length] = values.length;
  return { values: Uint32Array.from(values), before, inputs: inputs.length };
}

/** The index of each op in its block. */
const placesOf = keptFor((/** @type {Program} */ { ops: all, blocks }) => {
  const places = new Int32Array(all.length);
  for (const { ops } of blocks) ops.forEach((op, at) => (places[op] = at));
  return places;
});

/** The number of values of an op's block that exist once it has run. @param {Program} program @param {number} op @returns {number} */
export const knownAfter = (program, op) =>
  valuesOf(program, program.op(op).block).before[(placesOf(program)[op] ?? 0) + 1] ?? 0;

/** @param {import("./outline.js").Outline} outline @param {Program} program @param {number} position @returns {Locals} */
export const localsAt = (outline, program, position) =>
  localsIn(outline, program, framesAround(outline, position)[0] ?? 0, position);

/** The values that a frame has at its current step. @param {import("./outline.js").Outline} outline @param {Program} program @param {number} frame @param {number} step @returns {Locals} */
export function localsIn(outline, program, frame, step) {
  const block = outline.block(frame);
  const table = valuesOf(program, block);
  const at = step < outline.steps ? (placesOf(program)[outline.op(step)] ?? 0) : table.before.length - 1;
  return { block, table, known: table.before[at] ?? table.values.length };
}

/** The index of a value in the table of its block. @param {Program} program @param {number} value @returns {number} */
export function placeInTable(program, value) {
  const { block, op, index } = program.definition(value);
  if (op === null) return index;
  return (valuesOf(program, block).before[placesOf(program)[op] ?? 0] ?? 0) + index;
}

/**
 * Values of a block from latest to earliest, then its arguments.
 *
 * @param {Locals} locals @param {Uint32Array|null} chosen the wanted indices in the table, ascending; null: all
 * @param {readonly number[]} left values that are shown elsewhere
 * @param {(value: number) => number} placeOf
 * @returns {{count: number, at: (row: number) => number, rowOf: (place: number) => number}} values by row, rows by place
 */
export function latestFirst({ table, known }, chosen, left, placeOf) {
  const [count, inputs] = chosen
    ? [upperBound(chosen, known - 1), upperBound(chosen, table.inputs - 1)]
    : [known, table.inputs];
  const rowAt = (/** @type {number} */ rank) => (rank < inputs ? count - inputs + rank : count - 1 - rank);
  const rankAt = (/** @type {number} */ row) => (row < count - inputs ? count - 1 - row : row - (count - inputs));
  const rankOf = (/** @type {number} */ place) => (chosen ? upperBound(chosen, place) - 1 : place);
  const skipped = left
    .map(placeOf)
    .filter((place) => rankOf(place) < count && (!chosen || chosen[rankOf(place)] === place))
    .map((place) => rowAt(rankOf(place)))
    .sort((a, b) => a - b);
  // The number of rows kept before each omitted one: ascending, so a binary search finds a row.
  const stay = skipped.map((row, at) => row - at);
  return {
    count: count - skipped.length,
    at: (row) => {
      const rank = rankAt(row + upperBound(stay, row));
      return /** @type {number} */ (table.values[chosen ? /** @type {number} */ (chosen[rank]) : rank]);
    },
    rowOf: (place) => {
      const row = rowAt(rankOf(place));
      return row - upperBound(skipped, row);
    },
  };
}
