/**
 * The run of a small program: the values shown at a position.
 *
 * @typedef {{name: string, line: number, endLine: number, depth: number, results: Result[],
 *   printed?: string, failed?: string}} Step
 * @typedef {{diagnostics: Problem[], steps: Step[], state: Ending|null}} Trial
 */
import { withHint } from "../../core/messages.js";
/** @import {QuickRunResult as Result, Diagnostic as Problem, QuickRunEnd as Ending} from "../../core/types.js" */

/** The text shows the value of a constant already. */
const WRITTEN = /^(stablehlo|chlo)\.constant$/;
const CHECK = /^check\./;

/**
 * The results below each line: those of the current step and of completed ones. The last execution of a line counts.
 *
 * @param {readonly Step[]} steps @param {number} position @returns {Map<number, Step>}
 */
export function resultsAt(steps, position) {
  const shown = new Map();
  for (const [number, step] of steps.slice(0, position + 1).entries()) {
    if (number === position || hasEnded(steps, number, position)) shown.set(step.endLine, step);
  }
  return new Map([...shown].filter(([, step]) => hasWords(step)));
}

/** Whether the position has left the frames that a step opened. @param {readonly Step[]} steps @param {number} number @param {number} position */
function hasEnded(steps, number, position) {
  const depth = steps[number]?.depth ?? 0;
  return steps.slice(number + 1, position + 1).some((later) => later.depth <= depth);
}

/** @param {Step} step */
const hasWords = ({ name, results, printed, failed }) =>
  failed !== undefined || printed !== undefined || CHECK.test(name) || (!WRITTEN.test(name) && results.length > 0);

/** The steps; the last one of a failed run gets the reason. @param {Trial} trial @returns {Step[]} */
export const addEnding = ({ steps, state }) =>
  steps.map((step, at) =>
    at === steps.length - 1 && state?.kind === "failed" ? { ...step, failed: state.reason } : step,
  );

/** The texts below a line, one per result. @param {Step} step @returns {{name: string, text: string, kind: "value"|"check"|"printed"|"failed"}[]} */
export function wordsOf({ name, results, printed, failed }) {
  if (failed !== undefined) return [{ name: "✗", text: failed, kind: "failed" }];
  if (printed !== undefined) return [{ name: "prints", text: printed, kind: "printed" }];
  if (CHECK.test(name) && results.length === 0) return [{ name: "✓", text: "as expected", kind: "check" }];
  return results.map((result) => ({
    name: result.name,
    text: result.text || result.type,
    kind: /** @type {const} */ ("value"),
  }));
}

/** The position as a sentence. @param {Trial} trial @param {number} position @returns {string} */
export function sentenceAt({ steps, state }, position) {
  const step = steps[position];
  if (!step) return state?.reason ?? "";
  const ending = position === steps.length - 1 && state && state.kind !== "failed" ? `: ${state.reason}` : "";
  return `step ${position + 1} of ${steps.length}, line ${step.line}${ending}`;
}

/** @param {Problem} problem @returns {string} */
export function problemText({ line, op, label, message, hint }) {
  const what = [op, label].filter(Boolean).join(" ");
  return withHint(`Line ${line}: ${what ? `${what}: ` : ""}${message}`, hint);
}
