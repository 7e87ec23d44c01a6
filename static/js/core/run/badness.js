/**
 * The grade of a non-finite or otherwise faulty value: an origin stands out, a value that only carries a fault is
 * paler, and an intended one looks like any other.
 *
 * @typedef {"harmful"|"masked"|"carried"|"neutral"} Badness
 */
import { isWithin, parseAddress } from "../addresses.js";
import * as store from "../store.js";
import { findingsAt } from "./findings.js";

/** @param {string} address @param {boolean} isNonfinite @returns {{badness: Badness, words: string}|null} null: no fault */
export function badnessOf(address, isNonfinite) {
  const { process, step } = parseAddress(address);
  const worst =
    step === null ? undefined : findingsAt(process, step).find(({ mark }) => isWithin(mark.address, address));
  if (worst) return { badness: worst.finding.grade, words: worst.mark.words };
  if (!isNonfinite) return null;
  return { badness: isGiven(process, step) ? "neutral" : "carried", words: "" };
}

/** Whether the program states the value. @param {number} process @param {number|null} step @returns {boolean} */
function isGiven(process, step) {
  const program = store.program.value;
  if (step === null || !program) return false;
  const outline = store.outlineOf(process);
  const op = store.whereHere(() => outline.op(step));
  return op !== null && isStated(program, op);
}

/** A constant: an op without operands, or one that only broadcasts or moves a constant. @param {import("./program.js").Program} program @param {number} id of an op */
function isStated(program, id) {
  const behind = new Set([id]);
  for (const op of behind) {
    const { operands, family } = program.op(op);
    if (operands.length > 0 && family !== "movement") return false;
    for (const value of operands) {
      const made = program.definition(value).op;
      if (made === null) return false;
      behind.add(made); // which this loop comes to as well
    }
  }
  return true;
}
