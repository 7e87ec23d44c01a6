/**
 * Targets of the step keys: pure functions over the outline. `null`: beyond the recording. A forward search can
 * resume at `search`, the first unread step.
 */
import { CHUNK, NONE } from "./outline.js";
/** @import {Outline} from "./outline.js" */

/**
 * The first step from `search` on that is at most `depth` deep; at the end, the end.
 *
 * @param {Outline} outline @param {number} search @param {number} depth @returns {number|null}
 */
function firstNoDeeper(outline, search, depth) {
  for (let step = search; step < outline.steps;) {
    const { depth: depths, count } = outline.chunkOf(step);
    const base = step - (step % CHUNK);
    const end = Math.min(count, outline.steps - base);
    for (let i = step % CHUNK; i < end; i++) if (/** @type {number} */ (depths[i]) <= depth) return base + i;
    step = base + end;
  }
  return theEnd(outline);
}

/** @param {Outline} outline @param {number} search @param {number} depth @returns {number} */
function lastNoDeeper(outline, search, depth) {
  for (let step = search; step > 0;) {
    const depths = outline.chunkOf(step).depth;
    const base = step - (step % CHUNK);
    for (; step >= base; step--) if (/** @type {number} */ (depths[step - base]) <= depth) return step;
  }
  return 0;
}

/** Past the last step: the end of a finished run, the last step of a failed one, else unknown. @param {Outline} outline */
const theEnd = (outline) => (outline.complete ? outline.last : null);

/** The step after the op at `position` and everything that it opened. @param {Outline} outline @param {number} position @param {number} [search] */
export function after(outline, position, search = position + 1) {
  if (position >= outline.last && outline.complete) return outline.last;
  return firstNoDeeper(outline, Math.max(search, position + 1), outline.depth(position));
}

/** Step over the current op. @param {Outline} outline @param {number} position @param {number} [search] */
export const over = (outline, position, search) => after(outline, position, search);

/** Step to the next op, also inside a region or a callee. @param {Outline} outline @param {number} position @returns {number|null} */
export function into(outline, position) {
  if (position + 1 < outline.steps) return position + 1;
  return theEnd(outline);
}

/** Run to the op after the one that opened this frame. @param {Outline} outline @param {number} position @param {number} [search] */
export function out(outline, position, search) {
  const opener = outline.frames ? outline.opener(outline.frame(position)) : NONE;
  if (opener === NONE) return firstNoDeeper(outline, outline.steps, 0);
  return after(outline, opener, Math.max(search ?? 0, position + 1));
}

/** @param {Outline} _outline @param {number} position @returns {number} */
export const back = (_outline, position) => Math.max(0, position - 1);

/** The previous op in this block, else the op that opened it; skips frames that the previous op opened. @param {Outline} outline @param {number} position */
export const backOver = (outline, position) => lastNoDeeper(outline, position - 1, outline.depth(position));

/**
 * The next step that runs one of `ops`.
 *
 * @param {Outline} outline @param {number} position @param {ReadonlySet<number>} ops @param {number} [search]
 * @returns {number|null}
 */
export function continueTo(outline, position, ops, search = position + 1) {
  if (ops.size === 0) return theEnd(outline);
  for (let step = Math.max(search, position + 1); step < outline.steps;) {
    const { op, count } = outline.chunkOf(step);
    const base = step - (step % CHUNK);
    const end = Math.min(count, outline.steps - base);
    for (let i = step % CHUNK; i < end; i++) if (ops.has(/** @type {number} */ (op[i]))) return base + i;
    step = base + end;
  }
  return theEnd(outline);
}

/** The step before that runs one of `ops`, else the first. @param {Outline} outline @param {number} position @param {ReadonlySet<number>} ops @returns {number} */
export function reverseContinue(outline, position, ops) {
  if (ops.size === 0) return 0;
  for (let step = position - 1; step > 0;) {
    const { op } = outline.chunkOf(step);
    const base = step - (step % CHUNK);
    for (; step >= base; step--) if (ops.has(/** @type {number} */ (op[step - base]))) return step;
  }
  return 0;
}
