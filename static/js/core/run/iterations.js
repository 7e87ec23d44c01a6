/** The iteration of a frame, in words. */
import { countText } from "../tensor/elements.js";
import { executionsOf } from "./executions.js";
import { isIterated, shortName } from "./op_names.js";
import { CHUNK } from "./outline.js";
import { framesAround } from "./values.js";
/** @import {Outline} from "./outline.js" */

/** @typedef {{iteration: number, block: number}} Last  the last frame that the op opened */

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
  const number = countText(iteration);
  if (count === null) return `iteration ${number}`;
  if (iteration < count) return `iteration ${number} of ${countText(count)}`;
  return `after ${number} ${iteration === 1 ? "iteration" : "iterations"}`;
}

/**
 * The steps at which an iteration of each loop around a position is reached, the innermost first: at the op that is
 * current in the loop, else at the first op of its body. Outside of loops those of all loops, in the nearest execution.
 *
 * @param {Outline} outline @param {import("./program.js").Program} program @param {number} position @param {number} iteration
 * @returns {{step: number, op: number}[]} op: the loop
 */
export function iterationSteps(outline, program, position, iteration) {
  const around = framesAround(outline, position).filter((frame) => isIterated(outline, program, frame));
  const found = around.flatMap((frame) => {
    const opener = outline.opener(frame);
    const isIn = position < outline.steps && outline.frame(position) === frame;
    const op = isIn ? outline.op(position) : program.block(outline.block(frame)).ops[0];
    const steps = op === undefined ? [] : executionsOf(outline, new Set([op]));
    const at = (/** @type {number} */ step) => {
      const inner = outline.frame(step);
      return [outline.opener(inner), outline.iteration(inner)];
    };
    // Steps of one op are in the order of executions of the loop, then of iterations.
    const step = steps.find((each) => String(at(each)) === String([opener, iteration]));
    return step === undefined ? [] : [{ step, op: outline.op(opener) }];
  });
  return around.length > 0 ? found : ofAllLoops(outline, program, position, iteration);
}

/** @param {Outline} outline @param {import("./program.js").Program} program @param {number} position @param {number} iteration */
const ofAllLoops = (outline, program, position, iteration) =>
  program.ops
    .filter(({ name }) => name.endsWith(".while"))
    .flatMap(({ id, regions }) => {
      const first = program.block(regions.at(-1) ?? 0).ops[0];
      const steps = first === undefined ? [] : executionsOf(outline, new Set([first]));
      const reached = steps.filter((each) => outline.iteration(outline.frame(each)) === iteration);
      const step = reached.find((each) => each >= position) ?? reached.at(-1);
      return step === undefined ? [] : [{ step, op: id }];
    });

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
