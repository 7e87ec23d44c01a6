/**
 * Who reads a value: the ops of the program, and of these the one that comes next in a run.
 *
 * @typedef {import("./outline.js").Outline} Outline
 * @typedef {import("./program.js").Program} Program
 */
import { parseAddress } from "../addresses.js";
import { continueTo } from "./stepping.js";
import { framesAround } from "./values.js";

/** Runs of reading ops in other frames that are passed over. */
const MOST_PASSED = 64;

/** @type {WeakMap<Program, Map<number, number[]>>} */
const known = new WeakMap();

/** The ops that have a value as an operand. @param {Program} program @param {number} value @returns {readonly number[]} */
export function readersOf(program, value) {
  const found = known.get(program) ?? findReaders(program);
  known.set(program, found);
  return found.get(value) ?? [];
}

/** @param {Program} program @returns {Map<number, number[]>} */
function findReaders(program) {
  /** @type {Map<number, number[]>} */
  const readers = new Map();
  for (const { id, operands } of program.ops) {
    for (const value of new Set(operands)) {
      const here = readers.get(value);
      if (here) here.push(id);
      else readers.set(value, [id]);
    }
  }
  return readers;
}

/** The step that made what is at an address: of an argument, the one that opened its frame; null: the run began with it. @param {Outline} outline @param {string} address @returns {number|null} */
export function stepThatMade(outline, address) {
  const { step, frame } = parseAddress(address);
  if (step !== null || frame === null || frame === 0) return step;
  const opener = outline.opener(frame);
  return opener < outline.steps ? opener : null;
}

/** The first step from a position on that reads what is at an address; null: none does. @param {Outline} outline @param {Program} program @param {number} position @param {{value: number, address: string}} kept @returns {number|null} */
export function nextReader(outline, program, position, { value, address }) {
  const ops = new Set(readersOf(program, value));
  if (ops.size === 0 || outline.steps === 0) return null;
  const { step, frame } = parseAddress(address);
  const home = frame ?? outline.frame(step ?? 0);
  let at = Math.max(position, (step ?? -1) + 1) - 1;
  for (let passed = 0; passed < MOST_PASSED; passed++) {
    const next = continueTo(outline, at, ops, at + 1);
    if (next === null || next >= outline.steps || !ops.has(outline.op(next))) return null;
    if (framesAround(outline, next).includes(home)) return next;
    at = next;
  }
  return null;
}
