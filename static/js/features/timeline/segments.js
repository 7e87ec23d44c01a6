/**
 * Frames as segments of the timeline: their first and last pixel column, and their names.
 *
 * @typedef {{depths: Int16Array, frames: Int32Array}} Columns  of the deepest step in each column of pixels, which a few of its steps
 *   stand for: how deep it is below the outermost frame, and its frame; -1 where nothing has run
 * @typedef {{from: number, to: number, names: string[], kind?: string}} Segment  names: the longest first; kind: of op that opened it
 */
import { countText } from "../../core/tensor/elements.js";
import { iterationText } from "../../core/run/iterations.js";
import { shortName } from "../../core/run/op_names.js";
import { CHUNK, Missing, NONE } from "../../core/run/outline.js";
import { frameTitle } from "../../core/run/frame_titles.js";
/** @import {Outline} from "../../core/run/outline.js" */
/** @import {Program} from "../../core/run/program.js" */

/** Maximum number of steps sampled for a stretch. */
const SAMPLES = 64;

/** @param {Outline} outline @param {number} width @returns {Columns} */
export function columnsOf(outline, width) {
  const { last, steps } = outline;
  const columns = { depths: new Int16Array(width).fill(-1), frames: new Int32Array(width).fill(-1) };
  const base = outline.stepChunks[0]?.depth[0] ?? 0;
  for (let x = 0; x < width; x++) {
    const from = Math.floor((x / width) * (last || 1));
    const to = Math.min(steps, Math.max(from + 1, Math.floor(((x + 1) / width) * (last || 1))));
    const stride = Math.max(1, Math.floor((to - from) / SAMPLES));
    for (let step = from; step < to; step += stride) {
      const chunk = outline.stepChunks[Math.floor(step / CHUNK)];
      if (!chunk || step % CHUNK >= chunk.count) continue;
      const depth = Number(chunk.depth[step % CHUNK]) - base;
      if (depth <= Number(columns.depths[x])) continue;
      columns.depths[x] = depth;
      columns.frames[x] = Number(chunk.frame[step % CHUNK]);
    }
  }
  return columns;
}

/** The frames of one level from left to right. @param {Outline} outline @param {Program|null} program @param {Columns} columns @param {number} level @returns {Segment[]} */
export function segmentsOf(outline, program, { depths, frames }, level) {
  /** @type {(Segment & {frame: number})[]} */
  const found = [];
  for (let x = 0; x < frames.length; x++) {
    const depth = Number(depths[x]);
    if (depth < level) continue;
    const frame = frameAbove(outline, Number(frames[x]), depth - level);
    const before = found.at(-1);
    if (before?.to === x && before.frame === frame) before.to = x + 1;
    else found.push({ from: x, to: x + 1, frame, ...namesOf(outline, program, frame) });
  }
  return found;
}

/** The ancestor of a frame; -1 while it is not loaded. @param {Outline} outline @param {number} frame @param {number} above @returns {number} */
function frameAbove(outline, frame, above) {
  try {
    for (let at = frame; ; at = outline.parent(at)) if (above-- === 0) return at;
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    return -1;
  }
}

/**
 * Adjacent segments that are too narrow for a name share one, such as `42 × fusion` or `50 × iteration`.
 *
 * @param {Segment[]} segments @param {number} least pixels that a name needs @returns {Segment[]}
 */
export function namedParts(segments, least) {
  /** @type {Segment[][]} */
  const runs = [];
  const isNarrow = (/** @type {Segment} */ { from, to }) => to - from < least;
  for (const segment of segments) {
    const before = runs.at(-1);
    const last = before?.at(-1);
    if (before && last && isNarrow(segment) && isNarrow(last) && last.to === segment.from) before.push(segment);
    else runs.push([segment]);
  }
  return runs.map((run) => (run.length === 1 ? /** @type {Segment} */ (run[0]) : together(run)));
}

/** @param {Segment[]} run @returns {Segment} */
function together(run) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { kind } of run) if (kind) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  // Iterations stand for their conditions.
  if (counts.has("iteration")) counts.delete("condition");
  const kinds = [...counts.keys()].join(", ");
  const counted = [...counts].map(([kind, count]) => `${countText(count)} × ${kind}`).join(", ");
  // Not all segments of one pixel are drawn.
  const isCounted = run.every(({ from, to }) => to - from > 1);
  return { from: run[0]?.from ?? 0, to: run.at(-1)?.to ?? 0, names: isCounted ? [counted, kinds] : [kinds] };
}

/** @param {Outline} outline @param {Program|null} program @param {number} frame @returns {{names: string[], kind?: string}} */
function namesOf(outline, program, frame) {
  if (program === null || frame < 0) return { names: [] };
  try {
    const title = frameTitle(outline, program, frame);
    const opener = outline.opener(frame);
    const kind = opener === NONE ? "" : shortName(program.op(outline.op(opener)));
    const iteration = iterationText(outline, program, frame);
    if (!iteration) return { kind, names: [...new Set([title, title.replace(/^.* · /, "")])] };
    // The body of a loop is named by its iteration, its condition by that word.
    const isCondition = title.startsWith("while condition");
    const shorter = isCondition ? ["condition"] : [iteration, iteration.replace("iteration ", "")];
    return { kind: isCondition ? "condition" : "iteration", names: [title, ...shorter] };
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    return { names: [] };
  }
}
