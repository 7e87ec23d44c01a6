/**
 * What a value that is not finite means, and what else went wrong with a value: an origin stands out, what only hands
 * on is paler, and what is meant to be is like any other value.
 *
 * @typedef {"harmful"|"masked"|"carried"|"neutral"} Badness
 */
import { isWithin, parseAddress } from "../addresses.js";
import * as store from "../store.js";
import { findingsAt } from "./findings.js";

/** @param {string} address @param {boolean} isNonfinite @returns {{badness: Badness, words: string}|null} null: nothing is wrong */
export function badnessOf(address, isNonfinite) {
  const { process, step } = parseAddress(address);
  const worst =
    step === null ? undefined : findingsAt(process, step).find(({ mark }) => isWithin(mark.address, address));
  if (worst) return { badness: worst.finding.grade, words: worst.mark.words };
  if (!isNonfinite) return null;
  return { badness: isGiven(process, step) ? "neutral" : "carried", words: "" };
}

/** Whether the program states the value: a constant has no operands. @param {number} process @param {number|null} step @returns {boolean} */
function isGiven(process, step) {
  if (step === null) return false;
  const outline = store.outlineOf(process);
  const op = store.whereHere(() => outline.op(step));
  return op !== null && store.program.value?.op(op).operands.length === 0;
}
