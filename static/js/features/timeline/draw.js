/**
 * Draws the recorded steps of the timeline on a canvas: frames as named segments by depth, below them op families and
 * findings, above them breakpoints. Each pixel column covers a stretch of steps; holds no state.
 */
import { familyClass } from "../../core/run/op_names.js";
import { bytesInColumns } from "../../core/run/memory.js";
import { CHUNK } from "../../core/run/outline.js";
import { eachStop } from "../../core/run/stops.js";
import { CROSS, dotsIn, drawFindings } from "../../drawing/marks.js";
import { clearCanvas, coloursOf } from "../../drawing/canvas.js";
import { columnsOf, namedParts, segmentsOf } from "./segments.js";
/** @import {Outline} from "../../core/run/outline.js" */

const LEVELS = 8;
/** Height above the segments: the arrow of the position, and below it the breakpoints. */
const ABOVE = 14;
/** Height of a level with names. */
const LEVEL = 12;
/** Minimum width of a step that is drawn separately. */
const ROOMY = 5;
/** Height of the line of op families, and of the area below the segments: that line and the crosses. */
const FAMILIES = 3;
const BELOW = FAMILIES + CROSS + 2;
/** Space between a name and the ends of its segment, and minimum width of a name. */
const MARGIN = 3;
const LEAST_NAME = 24;
/** Minimum characters of a cut name, with the ellipsis: a shorter one is not recognisable. */
const LEAST_LEFT = 5;

/**
 * @typedef {{outline: Outline, program: import("../../core/run/program.js").Program|null, stops: import("../../core/run/stops.js").Stops,
 *   memory: import("../../core/types.js").MemoryInfo|null, findings: readonly {step: number, grade: import("../../core/types.js").FindingGrade}[]}} Picture
 * @typedef {{width: number, top: number, bottom: number}} Place
 * @typedef {(token: string) => string} Colours
 */

/** @param {HTMLCanvasElement} canvas @param {Picture} picture */
export function drawTimeline(canvas, picture) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = clearCanvas(canvas, { width, height });
  if (!context || width === 0) return;
  const colour = coloursOf(canvas);
  const place = { width, top: ABOVE, bottom: height - 2 - BELOW };
  drawGround(context, place, colour("--hover"));
  const names = drawFrames(context, picture, place, colour);
  drawFamilies(context, picture, place, colour);
  drawMemory(context, picture, place, colour, names);
  drawMarks(context, picture, width, place.top, colour("--breakpoint"));
  const places = picture.findings.map(({ step, grade }) => ({
    x: (step / Math.max(1, picture.outline.last)) * width,
    grade,
  }));
  drawFindings(context, places, { y: height - 2 - CROSS / 2, width }, colour);
}

/** @param {CanvasRenderingContext2D} context @param {Place} place @param {string} colour */
function drawGround(context, { width, top, bottom }, colour) {
  context.fillStyle = colour;
  context.fillRect(0, top, width, bottom - top);
}

/** Frames by depth, the outermost above; returns the boxes of their names. @param {CanvasRenderingContext2D} context @param {Picture} picture @param {Place} place @param {Colours} colour */
function drawFrames(context, { outline, program }, { width, top, bottom }, colour) {
  const columns = columnsOf(outline, width);
  const deepest = Math.max(0, ...columns.depths) + 1;
  const levels = Math.max(1, Math.min(LEVELS, deepest, Math.floor((bottom - top) / LEVEL)));
  const height = (bottom - top) / levels;
  context.font = `${Math.min(12, height - 2)}px ${colour("--face")}`;
  context.textBaseline = "middle";
  /** @type {[number, number, number, number][]} */
  const names = [];
  for (let level = 0; level < levels; level++) {
    const y = top + level * height;
    const segments = segmentsOf(outline, program, columns, level);
    const gap = segments.length > width / 3 ? 0 : 1;
    for (const segment of segments) {
      context.fillStyle = colour(level === 0 ? "--segment" : "--segment-inner");
      context.globalAlpha = level === 0 ? 1 : 0.32 + 0.3 * (level / levels);
      context.fillRect(segment.from, y, Math.max(1, segment.to - segment.from - gap), height - 1);
      context.globalAlpha = 1;
    }
    if (level === levels - 1) drawSteps(context, outline, { width, top, bottom }, colour("--chrome"));
    for (const segment of namedParts(segments, LEAST_NAME + 2 * MARGIN)) {
      const long = drawName(context, segment, y + height / 2 - 0.5, colour("--text"));
      if (long) names.push([segment.from, y, long + 2 * MARGIN, height - 1]);
    }
  }
  return names;
}

/** The longest name that fits, else the shortest, cut in its middle; none if too little would remain; returns its width. @param {CanvasRenderingContext2D} context @param {import("./segments.js").Segment} segment @param {number} y @param {string} colour @returns {number} */
function drawName(context, { from, to, names }, y, colour) {
  const room = to - from - 2 * MARGIN;
  if (room < LEAST_NAME) return 0;
  const fits = (/** @type {string} */ text) => context.measureText(text).width <= room;
  const shortest = names.at(-1) ?? "";
  let name = names.find(fits) ?? shortest;
  for (let kept = shortest.length - 2; kept >= LEAST_LEFT - 1 && !fits(name); kept--)
    name = cutInMiddle(shortest, kept);
  if (!fits(name)) return 0;
  context.fillStyle = colour;
  context.fillText(name, from + MARGIN, y);
  return context.measureText(name).width;
}

/** Cut a name to its beginning and its end, which distinguishes it; a single word to its beginning. @param {string} name @param {number} kept */
function cutInMiddle(name, kept) {
  const end = /^\w{1,12}$/.test(name) ? 0 : Math.floor(kept / 2);
  return `${name.slice(0, kept - end)}…${name.slice(name.length - end)}`;
}

/** Draw live bytes over the segments, but not over their names, as a line; a dot marks the first peak. @param {CanvasRenderingContext2D} context @param {Picture} picture @param {Place} place @param {Colours} colour @param {[number, number, number, number][]} names */
function drawMemory(context, { outline, memory }, { width, top, bottom }, colour, names) {
  if (!memory) return;
  const columns = bytesInColumns(memory, outline, Math.max(1, Math.round(width)));
  context.strokeStyle = colour("--accent");
  context.lineWidth = 1.5;
  context.save();
  context.beginPath();
  for (const box of [[0, 0, width, bottom], ...names])
    context.rect(.../** @type {[number, number, number, number]} */ (box));
  context.clip("evenodd");
  context.beginPath();
  let known = 0;
  columns.forEach((bytes, x) => {
    if (bytes >= 0) known = bytes;
    const y = bottom - 1 - (known / Math.max(1, memory.peakBytes)) * (bottom - top - 2);
    context.lineTo(x, y);
    context.lineTo(x + 1, y);
  });
  context.stroke();
  context.restore();
  const peak = columns.indexOf(memory.peakBytes);
  if (peak < 0) return;
  context.fillStyle = colour("--alarm");
  context.beginPath();
  context.arc(peak + 0.5, top + 2, 3, 0, 7);
  context.fill();
}

/** Draw a line of op families; each pixel column has that of its first op. @param {CanvasRenderingContext2D} context @param {Picture} picture @param {Place} place @param {Colours} colour */
function drawFamilies(context, { outline, program }, { width, bottom }, colour) {
  if (!program) return;
  for (let x = 0; x < width; x++) {
    const step = Math.floor((x / width) * Math.max(1, outline.last));
    const chunk = outline.stepChunks[Math.floor(step / CHUNK)];
    if (!chunk || step % CHUNK >= chunk.count) continue;
    context.fillStyle = colour(`--${familyClass(program.op(Number(chunk.op[step % CHUNK])))}`);
    context.fillRect(x, bottom, 1, FAMILIES);
  }
}

/** Separate few steps from each other. @param {CanvasRenderingContext2D} context @param {Outline} outline @param {Place} place @param {string} colour */
function drawSteps(context, outline, { width, bottom }, colour) {
  const each = width / Math.max(1, outline.last);
  if (each < ROOMY) return;
  context.fillStyle = colour;
  for (let step = 1; step < outline.steps; step++) context.fillRect(Math.round(step * each), bottom - 3, 1, 3);
}

/** @param {CanvasRenderingContext2D} context @param {Picture} picture @param {number} width @param {number} top @param {string} colour */
function drawMarks(context, { outline, stops }, width, top, colour) {
  context.fillStyle = colour;
  const dot = dotsIn(context, width, top - 4);
  eachStop(stops, outline, (step, isFirst) => dot((step / Math.max(1, outline.last)) * width, isFirst));
}
