/** Draws the recorded steps of the timeline into a canvas. One column of pixels looks at one stretch of steps; it holds no state. */
import { CHUNK } from "../../core/run/outline.js";
import { CROSS, drawFindings } from "../../drawing/marks.js";
import { coloursOf } from "../../ui/canvas.js";

const LEVELS = 8;
/** Pixels that a step needs to be drawn on its own. */
const ROOMY = 5;

/**
 * @typedef {{outline: import("../../core/run/outline.js").Outline, marks: Set<number>,
 *   findings: readonly {step: number, grade: import("../../core/types.js").FindingGrade}[]}} Picture
 */

/** @param {HTMLCanvasElement} canvas @param {Picture} picture */
export function drawTimeline(canvas, picture) {
  const scale = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext("2d");
  if (!context || width === 0) return;
  context.scale(scale, scale);
  const colour = coloursOf(canvas);
  const top = 8;
  const bottom = height - 6;
  drawGround(context, width, top, bottom, colour("--hover"));
  drawFrames(context, picture, width, top, bottom, colour);
  drawSteps(context, picture, width, bottom, colour("--chrome"));
  drawMarks(context, picture, width, top, colour("--breakpoint"));
  const places = picture.findings.map(({ step, grade }) => ({
    x: (step / Math.max(1, picture.outline.last)) * width,
    grade,
  }));
  drawFindings(context, places, { y: bottom - CROSS, width }, colour);
}

/** @param {CanvasRenderingContext2D} context @param {number} width @param {number} top @param {number} bottom @param {string} colour */
function drawGround(context, width, top, bottom, colour) {
  context.fillStyle = colour;
  context.fillRect(0, top, width, bottom - top);
}

/** How deep each column of pixels goes, and where frames change in it. @param {Picture} picture @param {number} width */
function columns({ outline }, width) {
  const { last, steps } = outline;
  const deepest = new Float32Array(width).fill(-1);
  const edges = new Uint8Array(width);
  const base = steps ? (outline.stepChunks[0]?.depth[0] ?? 0) : 0;
  let before = -1;
  for (let x = 0; x < width; x++) {
    const from = Math.floor((x / width) * (last || 1));
    const to = Math.max(from + 1, Math.floor(((x + 1) / width) * (last || 1)));
    // A few samples tell enough of a stretch of thousands.
    const stride = Math.max(1, Math.floor((to - from) / 64));
    for (let step = from; step < Math.min(to, steps); step += stride) {
      const chunk = outline.stepChunks[Math.floor(step / CHUNK)];
      if (!chunk || step % CHUNK >= chunk.count) continue;
      deepest[x] = Math.max(
        /** @type {number} */ (deepest[x]),
        /** @type {number} */ (chunk.depth[step % CHUNK]) - base,
      );
      const frame = /** @type {number} */ (chunk.frame[step % CHUNK]);
      if (before !== -1 && frame !== before) edges[x] = 1;
      before = frame;
    }
  }
  return { deepest, edges };
}

/** @param {CanvasRenderingContext2D} context @param {Picture} picture @param {number} width @param {number} top @param {number} bottom @param {(name: string) => string} colour */
function drawFrames(context, picture, width, top, bottom, colour) {
  const { deepest, edges } = columns(picture, width);
  const levels = Math.min(LEVELS, Math.max(0, ...deepest) + 1);
  const level = (bottom - top) / levels;
  const many = edges.reduce((sum, edge) => sum + edge, 0) > width / 3;
  for (let x = 0; x < width; x++) {
    const depth = /** @type {number} */ (deepest[x]);
    if (depth < 0) continue;
    const reach = (Math.min(depth, levels - 1) + 1) * level;
    context.fillStyle = depth === 0 ? colour("--line") : colour("--control");
    context.globalAlpha = depth === 0 ? 1 : 0.45 + 0.4 * (Math.min(depth, levels) / levels);
    context.fillRect(x, top, 1, reach);
    context.globalAlpha = 1;
    if (edges[x] && !many) {
      context.fillStyle = colour("--chrome");
      context.fillRect(x, top, 1, reach);
    }
  }
}

/** Few steps are told apart one by one. @param {CanvasRenderingContext2D} context @param {Picture} picture @param {number} width @param {number} bottom @param {string} colour */
function drawSteps(context, { outline }, width, bottom, colour) {
  const each = width / Math.max(1, outline.last);
  if (each < ROOMY) return;
  context.fillStyle = colour;
  for (let step = 1; step < outline.steps; step++) context.fillRect(Math.round(step * each), bottom - 4, 1, 4);
}

/** @param {CanvasRenderingContext2D} context @param {Picture} picture @param {number} width @param {number} top @param {string} colour */
function drawMarks(context, { outline, marks }, width, top, colour) {
  if (marks.size === 0) return;
  context.fillStyle = colour;
  let drawn = -4;
  outline.stepChunks.forEach((chunk, number) => {
    if (!chunk) return;
    for (let i = 0; i < chunk.count; i++) {
      if (!marks.has(/** @type {number} */ (chunk.op[i]))) continue;
      const x = ((number * CHUNK + i) / Math.max(1, outline.last)) * width;
      if (x - drawn < 3) continue;
      drawn = x;
      context.beginPath();
      context.arc(Math.max(3, Math.min(x, width - 3)), top - 4, 2.5, 0, 7);
      context.fill();
    }
  });
}
