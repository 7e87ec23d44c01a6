/**
 * The execution that a name of the program means at a position. A frame runs each op of its block at most once, so a
 * name means one value in one frame; the frames around the position are searched from the inside out.
 */
import { argumentAddress, resultAddress } from "../addresses.js";
import { NONE } from "./outline.js";
import { after } from "./stepping.js";
/** @import {Outline} from "./outline.js" */
/** @import {Program} from "./program.js" */

/** Maximum number of steps searched back for the last execution of an op in a completed frame. */
const LOOK_BACK = 65_536;

/** Frames around the position, the innermost first. @param {Outline} outline @param {number} position @returns {number[]} */
export function framesAround(outline, position) {
  /** @type {number[]} */
  const frames = [];
  if (outline.frames === 0) return frames;
  for (let frame = outline.frame(position); frame !== NONE; frame = outline.parent(frame)) frames.push(frame);
  return frames;
}

/**
 * The step before `step` that `frame` itself made, not a frame that it opened; null at its start.
 *
 * @param {Outline} outline @param {number} step @param {number} frame @returns {number|null}
 */
export function previousInFrame(outline, step, frame) {
  if (step === 0) return null;
  let inner = outline.frame(step - 1);
  if (inner === frame) return step - 1;
  // Climb out of the opened frames; frame 0 is the last frame outside `frame`.
  for (;;) {
    const parent = outline.parent(inner);
    if (parent === NONE) return null;
    if (parent === frame) return outline.opener(inner);
    inner = parent;
  }
}

/** The last step that `frame` itself made at `from` or earlier. @param {Outline} outline @param {number} from @param {number} frame */
const lastInFrame = (outline, from, frame) =>
  from < outline.steps && outline.frame(from) === frame ? from : previousInFrame(outline, from, frame);

/**
 * The step in which `frame` ran `op`, at `from` or earlier.
 *
 * @param {Outline} outline @param {number} from @param {number} frame @param {number} op @returns {number|null}
 */
export function stepOf(outline, from, frame, op) {
  let step = lastInFrame(outline, from, frame);
  while (step !== null && outline.op(step) !== op) step = previousInFrame(outline, step, frame);
  return step;
}

/** Whether the results of the step are recorded: an op that opens frames ends after them. @param {Outline} outline @param {number} step @param {boolean} opens */
function isDone(outline, step, opens) {
  if (!opens) return step < outline.steps - 1 || outline.done || !(outline.complete || outline.waits);
  const end = after(outline, step);
  return end !== null && (outline.done || outline.depth(end) <= outline.depth(step));
}

/**
 * The address of an SSA value at `position`, or null if it has none yet.
 *
 * @param {Outline} outline @param {Program} program @param {number} position @param {number} value
 * @returns {string|null}
 */
export function addressOf(outline, program, position, value) {
  const { block, op, index } = program.definition(value);
  const frame = framesAround(outline, position).find((candidate) => outline.block(candidate) === block);
  if (frame === undefined) return null;
  if (op === null) return argumentAddress(outline.process, frame, index);
  const step = stepOf(outline, position, frame, op);
  if (step === null || !isDone(outline, step, opensFrames(outline, step))) return null;
  return resultAddress(outline.process, step, index);
}

/**
 * The address of a value seen at `position`: the current one, else that of its last execution in a completed frame.
 *
 * @param {Outline} outline @param {Program} program @param {number} position @param {number} value
 * @returns {{address: string, when: "now"|"earlier"}|null}
 */
export function visibleAddress(outline, program, position, value) {
  const now = addressOf(outline, program, position, value);
  const address = now ?? earlierAddress(outline, program, position, value);
  return address === null ? null : { address, when: now ? "now" : "earlier" };
}

/** @param {Outline} outline @param {Program} program @param {number} position @param {number} value @returns {string|null} */
function earlierAddress(outline, program, position, value) {
  const { block, op, index } = program.definition(value);
  const frame = op === null ? lastFrames(outline, program, position, [block]).get(block) : undefined;
  if (op === null) return frame === undefined ? null : argumentAddress(outline.process, frame, index);
  const last = lastRuns(outline, program, position, [op]).get(op);
  return last && last.when === "earlier" && !last.open ? resultAddress(outline.process, last.step, index) : null;
}

/** Whether the step opened frames: the next step is deeper. @param {Outline} outline @param {number} step */
const opensFrames = (outline, step) => step + 1 < outline.steps && outline.depth(step + 1) > outline.depth(step);

/**
 * The last execution of each of `ops`, seen from `position`: in a frame around it ("now") or in a completed one
 * ("earlier"). Ops that did not run are omitted.
 *
 * @param {Outline} outline @param {Program} program @param {number} position @param {Iterable<number>} ops
 * @returns {Map<number, {step: number, when: "now"|"earlier", open: boolean}>}
 */
export function lastRuns(outline, program, position, ops) {
  /** @type {Map<number, {step: number, when: "now"|"earlier", open: boolean}>} */
  const runs = new Map();
  const wanted = new Set(ops);
  if (outline.steps === 0) return runs;
  for (const frame of framesAround(outline, position)) collect(outline, program, position, frame, wanted, runs);
  const stop = Math.max(0, position - LOOK_BACK);
  for (let step = Math.min(position, outline.steps - 1); step >= stop && wanted.size > 0; step--) {
    const op = outline.op(step);
    if (!wanted.delete(op)) continue;
    runs.set(op, { step, when: "earlier", open: false });
  }
  return runs;
}

/**
 * The last frame of each of `blocks`, seen from `position`: around it, or completed.
 *
 * @param {Outline} outline @param {Program} program @param {number} position @param {Iterable<number>} blocks
 * @returns {Map<number, number>}
 */
export function lastFrames(outline, program, position, blocks) {
  /** @type {Map<number, number>} */
  const frames = new Map();
  const around = framesAround(outline, position);
  /** @type {Map<number, number>} */
  const missing = new Map();
  for (const block of new Set(blocks)) {
    const frame = around.find((candidate) => outline.block(candidate) === block);
    const first = program.block(block).ops[0];
    if (frame !== undefined) frames.set(block, frame);
    else if (first !== undefined) missing.set(first, block);
  }
  if (missing.size === 0) return frames;
  for (const [op, { step }] of lastRuns(outline, program, position, missing.keys())) {
    frames.set(/** @type {number} */ (missing.get(op)), outline.frame(step));
  }
  return frames;
}

/** @param {Outline} outline @param {Program} program @param {number} position @param {number} frame @param {Set<number>} wanted @param {ReturnType<typeof lastRuns>} runs */
function collect(outline, program, position, frame, wanted, runs) {
  const block = outline.block(frame);
  for (let step = lastInFrame(outline, position, frame); step !== null; step = previousInFrame(outline, step, frame)) {
    const op = outline.op(step);
    if (wanted.delete(op)) runs.set(op, { step, when: "now", open: isOpen(outline, position, step) });
  }
  // What this block has not run yet has no value here, even if an iteration before ran it.
  for (const op of program.block(block).ops) wanted.delete(op);
}

/** Whether the position is inside what the step opened, or that is not recorded to its end. @param {Outline} outline @param {number} position @param {number} step */
function isOpen(outline, position, step) {
  if (!opensFrames(outline, step)) return !isDone(outline, step, false);
  if (step === position) return !isDone(outline, step, true);
  return outline.depth(position) > outline.depth(step) && position < outline.steps && within(outline, position, step);
}

/** @param {Outline} outline @param {number} position @param {number} step @returns {boolean} */
const within = (outline, position, step) =>
  framesAround(outline, position).some((frame) => outline.opener(frame) === step);
