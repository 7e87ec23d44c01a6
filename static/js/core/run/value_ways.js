/**
 * From a value to the steps that made it and that reads it next. They ask the outline, which may throw `Missing`.
 *
 * @typedef {{step: number, words: string}} Way  words: `step 40 by add, line 43`
 */
import { parseAddress } from "../addresses.js";
import * as store from "../store.js";
import { shortName } from "./op_names.js";
import { nextReader, stepThatMade } from "./readers.js";

/** Where a value was made, or given to its frame; null: it is an input of the run. @param {string} address @returns {Way & {isGiven: boolean}|null} */
export function wayToMaker(address) {
  const step = stepThatMade(store.outline.value, address);
  return step === null ? null : { ...wayTo(step), isGiven: parseAddress(address).frame !== null };
}

/** The first step from here on that reads a value; null: none does. @param {{value: number, address: string}} kept @returns {Way|null} */
export function wayToReader(kept) {
  const program = store.program.value;
  const step = program && nextReader(store.outline.value, program, store.position.value, kept);
  return step === null ? null : wayTo(step);
}

/** @param {number} step @returns {Way} */
function wayTo(step) {
  const op = store.program.value?.op(store.outline.value.op(step));
  const by = op ? ` by ${shortName(op)}, line ${store.draftLine(op.line)}` : "";
  return { step, words: `step ${step.toLocaleString("en")}${by}` };
}
