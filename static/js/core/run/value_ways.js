/**
 * The steps that made a value and that read it next. The outline may throw `Missing`.
 *
 * @typedef {{step: number, words: string}} Way  words: `step 40 by add, line 43`
 */
import { countText } from "../tensor/elements.js";
import { parseAddress } from "../addresses.js";
import * as store from "../store.js";
import { shortName } from "./op_names.js";
import { continueTo } from "./stepping.js";
import { framesAround } from "./values.js";
/** @import {Outline} from "./outline.js" */
/** @import {Program} from "./program.js" */

/** The step that made a value or passed it to its frame; null: an input of the run. @param {string} address @returns {Way & {isGiven: boolean}|null} */
export function wayToMaker(address) {
  const step = stepThatMade(store.outline.value, address);
  return step === null ? null : { ...wayTo(step), isGiven: parseAddress(address).frame !== null };
}

/** The first step from here on that reads a value; null for none. @param {{value: number, address: string}} kept @returns {Way|null} */
export function wayToReader(kept) {
  const program = store.program.value;
  const step = program && nextReader(store.outline.value, program, store.position.value, kept);
  return step === null ? null : wayTo(step);
}

/** @param {number} step @returns {Way} */
function wayTo(step) {
  const op = store.program.value?.op(store.outline.value.op(step));
  const by = op ? ` by ${shortName(op)}, line ${store.draftLine(op.line)}` : "";
  return { step, words: `step ${countText(step)}${by}` };
}

/** The readers of a value: the ops of the program, and the next of them in a run. */

/** Maximum number of executions in other frames that are skipped. */
const MOST_PASSED = 64;

/** The step that made the value at an address: for an argument, the step that opened its frame; null: the start of the run. @param {Outline} outline @param {string} address @returns {number|null} */
function stepThatMade(outline, address) {
  const { step, frame } = parseAddress(address);
  if (step !== null || frame === null || frame === 0) return step;
  const opener = outline.opener(frame);
  return opener < outline.steps ? opener : null;
}

/** The first step from a position on that reads the value at an address; null for none. @param {Outline} outline @param {Program} program @param {number} position @param {{value: number, address: string}} kept @returns {number|null} */
function nextReader(outline, program, position, { value, address }) {
  const ops = new Set(program.usersOf(value));
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
