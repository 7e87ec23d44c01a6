/** The steps at which ops ran. */
import * as stepping from "./stepping.js";

/**
 * The step nearest to `position` that runs one of `ops`: the one there, else the next, else the last before.
 *
 * @param {import("./outline.js").Outline} outline @param {number} position @param {Set<number>} ops
 * @returns {number|null} null: in no recorded step
 */
export function nearestRun(outline, position, ops) {
  const isRun = (/** @type {number|null} */ step) => step !== null && step < outline.steps && ops.has(outline.op(step));
  if (isRun(position)) return position;
  const next = stepping.continueTo(outline, position, ops);
  if (isRun(next)) return next;
  const before = outline.steps > 0 ? stepping.reverseContinue(outline, position, ops) : null;
  return isRun(before) ? before : null;
}
