/** Executions of ops: their steps in a recording, and the step before a position. */
import { CHUNK, NONE } from "./outline.js";
import { previousInFrame } from "./values.js";
/** @import {Outline} from "./outline.js" */

/** The steps that ran one of `ops`, in order. @param {Outline} outline @param {ReadonlySet<number>} ops @returns {number[]} */
export function executionsOf(outline, ops) {
  const steps = [];
  for (let base = 0; base < outline.steps; base += CHUNK) {
    const { op, count } = outline.chunkOf(base);
    const end = Math.min(count, outline.steps - base);
    for (let i = 0; i < end; i++) if (ops.has(/** @type {number} */ (op[i]))) steps.push(base + i);
  }
  return steps;
}

/**
 * The neighbours of a position in an ascending list: the indices of the last step before it and of the first one after it.
 *
 * @param {readonly number[]} steps @param {number} position @returns {{before: number|null, after: number|null}}
 */
export function neighbours(steps, position) {
  const after = steps.findIndex((step) => step > position);
  const notBefore = steps.findIndex((step) => step >= position);
  const before = (notBefore < 0 ? steps.length : notBefore) - 1;
  return { before: before < 0 ? null : before, after: after < 0 ? null : after };
}

/**
 * The step before `position` in its frame, with all steps that it opened; at the start of a frame, the step before in
 * time. Null at the start of the run, and in a frame whose opener is the step before.
 *
 * @param {Outline} outline @param {number} position @returns {number|null}
 */
export function previousStep(outline, position) {
  if (position === 0 || outline.steps === 0) return null;
  const frame = outline.frame(position);
  const own = previousInFrame(outline, position, frame);
  if (own !== null) return own;
  const opener = outline.opener(frame);
  return opener === NONE || opener !== position - 1 ? position - 1 : null;
}

/** The first step of an op; null if no recorded step is one. Throws `MissingChunk` for steps that are not loaded. @param {import("./outline.js").Outline} outline @param {number} op @returns {number|null} */
export function firstStepOf(outline, op) {
  for (let step = 0; step < outline.steps; step++) if (outline.op(step) === op) return step;
  return null;
}
