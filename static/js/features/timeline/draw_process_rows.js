/**
 * Draws the timeline of several processes: one row each, waits as hatched gaps, collectives and messages as lines
 * between rows, findings as crosses. Holds no state.
 *
 * @typedef {{strips: import("./process_rows.js").Strips, first: number, begin: number, ends: number[], ticks: number[], shown: number,
 *   lastTick: number, executions: import("../../core/grid/record_parts.js").CollectiveExecution[], broken: number[], marks: number[],
 *   findings: {process: number, tick: number, grade: import("../../core/types.js").FindingGrade}[]}} Picture
 * @typedef {{width: number, height: number}} Size
 * @typedef {(token: string) => string} Colours
 */

import { dotsIn, drawCross, drawFindings } from "../../drawing/marks.js";

/** Space above the rows for breakpoints and the hand of the clock. */
export const TOP = 14;
const BOTTOM = 3;
/** Minimum height of rows with gaps between them and hatching. */
const ROOMY = 5;
const MOST_JOINS = 4_000;

/** @param {Size} size @param {number} rows @returns {number} */
export const rowHeight = ({ height }, rows) => (height - TOP - BOTTOM) / Math.max(1, rows);

/** @param {number} tick @param {number} lastTick @param {number} width @returns {number} */
export const xOf = (tick, lastTick, width) => (tick / Math.max(1, lastTick)) * width;

/** @param {CanvasRenderingContext2D} context @param {Size} size @param {Picture} picture @param {Colours} colour */
export function drawRows(context, size, picture, colour) {
  const row = rowHeight(size, picture.strips.rows);
  const image = keptImage(picture, colour, row >= ROOMY);
  context.imageSmoothingEnabled = row < 1;
  for (let at = 0; at < picture.strips.rows; at++) {
    if (row < ROOMY) break;
    hatch(context, size, picture, at, row, colour);
    context.drawImage(image, 0, at, image.width, 1, 0, TOP + at * row, size.width, row - 1);
  }
  if (row < ROOMY) context.drawImage(image, 0, TOP, size.width, row * picture.strips.rows);
  drawShown(context, size, picture, row, colour);
  drawJoins(context, size, picture, row, colour);
  drawWrong(context, size, picture, row, colour);
  drawBroken(context, size, picture, row, colour);
  drawMarks(context, size, picture, colour);
  drawPositions(context, size, picture, row, colour);
}

/** @type {{strips: import("./process_rows.js").Strips, name: string, image: HTMLCanvasElement}|null} */
let kept = null;

/** The previous image, if it would be the same. @param {Picture} picture @param {Colours} colour @param {boolean} clear */
function keptImage(picture, colour, clear) {
  const name = `${clear} ${colour("--strip")} ${colour("--warning-tint")}`;
  if (kept?.strips !== picture.strips || kept.name !== name)
    kept = { strips: picture.strips, name, image: imageOf(picture, colour, clear) };
  return kept.image;
}

/** The strips as pixels. @param {Picture} picture @param {Colours} colour @param {boolean} clear whether gaps are left to the hatching below */
function imageOf({ strips, ends, begin }, colour, clear) {
  const canvas = document.createElement("canvas");
  canvas.width = strips.columns;
  canvas.height = strips.rows;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(strips.columns, strips.rows);
  const [run, gap] = [rgb(colour("--strip")), rgb(colour("--warning-tint"))];
  for (let row = 0, cell = 0; row < strips.rows; row++) {
    const end = ((ends[row] ?? 0) / strips.ticks) * strips.columns;
    const start = (begin / strips.ticks) * strips.columns;
    for (let column = 0; column < strips.columns; column++, cell++) {
      const share = (strips.shares[cell] ?? 0) / 255;
      const inside = column >= start && column < end;
      for (let channel = 0; channel < 3; channel++)
        image.data[4 * cell + channel] = clear
          ? (run[channel] ?? 0)
          : (run[channel] ?? 0) * share + (gap[channel] ?? 0) * (1 - share);
      image.data[4 * cell + 3] = clear ? 255 * share : inside ? 255 : 0;
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** The channels of a colour in any notation. @param {string} colour @returns {[number, number, number]} */
function rgb(colour) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

/** The hatching under the strip of a row, visible while the process waits. @param {CanvasRenderingContext2D} context @param {Size} size @param {Picture} picture @param {number} at @param {number} row @param {Colours} colour */
function hatch(context, { width }, { ends, begin, strips }, at, row, colour) {
  const [from, to] = [xOf(begin, strips.ticks, width), xOf(ends[at] ?? 0, strips.ticks, width)];
  const top = TOP + at * row;
  context.fillStyle = colour("--hover");
  context.fillRect(0, top, width, row - 1);
  context.save();
  context.beginPath();
  context.rect(from, top, Math.max(0, to - from), row - 1);
  context.clip();
  context.fillStyle = colour("--warning-tint");
  context.fillRect(from, top, to - from, row - 1);
  context.strokeStyle = colour("--warning");
  context.globalAlpha = 0.55;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = from - row; x < to; x += 6) {
    context.moveTo(x, top + row);
    context.lineTo(x + row, top);
  }
  context.stroke();
  context.restore();
}

/** @param {CanvasRenderingContext2D} context @param {Size} size @param {Picture} picture @param {number} row @param {Colours} colour */
function drawShown(context, { width }, { shown, first }, row, colour) {
  context.strokeStyle = colour("--accent");
  context.lineWidth = 1;
  context.strokeRect(0.5, TOP + (shown - first) * row - 0.5, width - 1, Math.max(2, row));
}

/** Connect the participants of a collective, and the sender of a message to its receiver. @param {CanvasRenderingContext2D} context @param {Size} size @param {Picture} picture @param {number} row @param {Colours} colour */
function drawJoins(context, { width }, { executions, first, strips, lastTick }, row, colour) {
  const drawn = new Set();
  context.strokeStyle = context.fillStyle = colour("--family-collective");
  context.lineWidth = 1;
  const middle = (/** @type {number} */ process) => TOP + (process - first + 0.5) * row;
  for (const execution of executions) {
    const members = execution.info.group.filter(
      (process) => process >= first && process < first + strips.rows && execution.arrivals.has(process),
    );
    if (members.length === 0 || drawn.size > MOST_JOINS) continue;
    const ticks = members.map((process) => execution.arrivals.get(process)?.tick ?? 0);
    const [from, to] = execution.isMessage
      ? [ticks[0] ?? 0, ticks.at(-1) ?? 0]
      : [Math.max(...ticks), Math.max(...ticks)];
    const [x, end] = [Math.round(xOf(from + 0.5, lastTick, width)), Math.round(xOf(to + 0.5, lastTick, width))];
    const [low, high] = execution.isMessage
      ? [middle(members[0] ?? 0), middle(members.at(-1) ?? 0)]
      : [middle(Math.min(...members)), middle(Math.max(...members))];
    const name = `${x} ${end} ${Math.round(low)} ${Math.round(high)}`;
    if (drawn.has(name)) continue;
    drawn.add(name);
    context.globalAlpha = row < ROOMY ? 0.5 : 0.9;
    context.beginPath();
    context.moveTo(x + 0.5, low);
    context.lineTo(end + 0.5, high);
    context.stroke();
    context.globalAlpha = 1;
    if (row >= ROOMY)
      for (const process of members)
        context.fillRect(
          (execution.isMessage && process === members.at(-1) ? end : x) - 1.5,
          middle(process) - 2,
          4,
          4,
        );
  }
}

/** @param {CanvasRenderingContext2D} context @param {Size} size @param {Picture} picture @param {number} row @param {Colours} colour */
function drawBroken(context, { width }, { broken, first, ends, lastTick }, row, colour) {
  const reach = Math.max(2.5, Math.min(4, row / 2));
  context.strokeStyle = colour("--alarm");
  context.lineWidth = 2;
  for (const process of broken) {
    const x = Math.min(width - reach - 1, xOf((ends[process - first] ?? 0) - 0.5, lastTick, width));
    const y = TOP + (process - first + 0.5) * row;
    drawCross(context, x, y, 2 * reach);
  }
}

/** Findings in the row of their process. @param {CanvasRenderingContext2D} context @param {Size} size @param {Picture} picture @param {number} row @param {Colours} colour */
function drawWrong(context, { width }, { findings, first, strips, lastTick }, row, colour) {
  for (let at = 0; at < strips.rows; at++) {
    const places = findings
      .filter(({ process }) => process === first + at)
      .map(({ tick, grade }) => ({ x: xOf(tick + 0.5, lastTick, width), grade }));
    if (places.length > 0)
      drawFindings(
        context,
        places,
        { y: TOP + (at + 0.5) * row, width, size: Math.max(4, Math.min(7, row - 2)) },
        colour,
      );
  }
}

/** Breakpoints of the shown process, at the top. @param {CanvasRenderingContext2D} context @param {Size} size @param {Picture} picture @param {Colours} colour */
function drawMarks(context, { width }, { marks, lastTick }, colour) {
  context.fillStyle = colour("--breakpoint");
  const dot = dotsIn(context, width, TOP - 4);
  for (const tick of marks) dot(xOf(tick, lastTick, width));
}

/** The positions: one hand if all are at the same tick, else one per row. @param {CanvasRenderingContext2D} context @param {Size} size @param {Picture} picture @param {number} row @param {Colours} colour */
function drawPositions(context, { width, height }, { ticks, first, shown, strips, lastTick }, row, colour) {
  const at = (/** @type {number} */ process) =>
    Math.max(1, Math.min(xOf(ticks[process] ?? 0, lastTick, width), width - 1));
  const members = Array.from({ length: strips.rows }, (_, index) => first + index);
  context.fillStyle = colour("--accent");
  if (members.every((process) => ticks[process] === ticks[shown]))
    context.fillRect(at(shown) - 1, TOP, 2, height - TOP - 2);
  else
    for (const process of members)
      context.fillRect(at(process) - 1, TOP + (process - first) * row, process === shown ? 3 : 2, Math.max(1, row - 1));
  const head = Math.max(5, Math.min(at(shown), width - 5)); // whole at both ends of the clock
  context.beginPath();
  context.moveTo(head - 5, 0);
  context.lineTo(head + 5, 0);
  context.lineTo(at(shown), 7);
  context.fill();
}
