/** The iteration of a frame, in words, and the steps of iterations. */
import { executionsOf } from "./executions.js";
import { isIterated, shortName } from "./op_names.js";
import { CHUNK } from "./outline.js";
import { framesAround } from "./values.js";
/** @import {Outline} from "./outline.js" */

/**
 * @typedef {{iteration: number, block: number}} Last  the last frame that the op opened
 */

/** By the step that opened the frames; of complete runs only. @type {WeakMap<Outline, Map<number, Last>>} */
const known = new WeakMap();

/**
 * `iteration 0 of 2`, without the total while it is unknown; for the condition that ends a loop `after 2 iterations`;
 * "" outside loops.
 *
 * @param {Outline} outline @param {import("./program.js").Program} program @param {number} frame @returns {string}
 */
export function iterationText(outline, program, frame) {
  if (!isIterated(outline, program, frame)) return "";
  const iteration = outline.iteration(frame);
  const opener = outline.opener(frame);
  const op = program.op(outline.op(opener));
  const count = countOf(outline, opener, op);
  const number = iteration.toLocaleString("en");
  if (count === null) return `iteration ${number}`;
  if (iteration < count) return `iteration ${number} of ${count.toLocaleString("en")}`;
  return `after ${number} ${iteration === 1 ? "iteration" : "iterations"}`;
}

/** The number of iterations; null while it is unknown. @param {Outline} outline @param {number} opener @param {import("../types.js").OpInfo} op @returns {number|null} */
function countOf(outline, opener, op) {
  const last = lastFrames(outline)?.get(opener);
  if (!last) return null;
  if (shortName(op) !== "while") return last.iteration + 1;
  return last.block === op.regions[0] ? last.iteration : null;
}

/** @param {Outline} outline @returns {Map<number, Last>|null} */
function lastFrames(outline) {
  const found = known.get(outline);
  if (found) return found;
  const chunks = Array.from({ length: Math.ceil(outline.frames / CHUNK) }, (_, chunk) => chunk);
  if (!outline.done || !chunks.every((chunk) => outline.has("frames", chunk))) return null;
  const made = new Map();
  for (let frame = 0; frame < outline.frames; frame++)
    made.set(outline.opener(frame), { iteration: outline.iteration(frame), block: outline.block(frame) });
  known.set(outline, made);
  return made;
}

/**
 * The step at which iteration `iteration` of the innermost loop around a position runs the op that the position's iteration
 * runs; a sentence if there is none.
 *
 * @param {Outline} outline @param {import("./program.js").Program} program @param {number} position @param {number} iteration
 * @returns {number|string}
 */
export function stepOfIteration(outline, program, position, iteration) {
  const from = Math.min(position, outline.steps - 1);
  const frames = framesAround(outline, from);
  const at = frames.findIndex((frame) => isIterated(outline, program, frame));
  const own = frames[at];
  if (own === undefined) return "The current op is in no loop.";
  const here = at === 0 ? from : outline.opener(/** @type {number} */ (frames[at - 1]));
  const steps = executionsOf(outline, new Set([outline.op(here)])).filter(
    (step) => outline.opener(outline.frame(step)) === outline.opener(own),
  );
  const found = steps.find((step) => outline.iteration(outline.frame(step)) === iteration);
  if (found !== undefined) return found;
  const last = outline.iteration(outline.frame(/** @type {number} */ (steps.at(-1))));
  return `This op ran in the iterations 0 to ${last.toLocaleString("en")} of its loop${outline.complete ? "" : " so far"}.`;
}
