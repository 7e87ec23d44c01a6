/** Draws live bytes over the schedule as a filled curve, with the peak and the current op marked; holds no state. */
import { clearCanvas } from "../../drawing/canvas.js";
import { columnsOf } from "./model.js";

/** Space above the curve for the mark of the peak, and below it. */
const TOP = 10;
const BOTTOM = 2;

/**
 * @typedef {{bytes: readonly number[], peak: number, at: number}} Curve
 *   bytes: at each position of the schedule; peak, at: positions; at is -1 where the current op is not in it
 * @typedef {(token: string) => string} Colours
 */

/** @param {HTMLCanvasElement} canvas @param {Curve} curve @param {Colours} colour */
export function drawCurve(canvas, curve, colour) {
  const size = { width: canvas.clientWidth, height: canvas.clientHeight };
  const context = clearCanvas(canvas, size);
  if (!context || size.width === 0 || curve.bytes.length === 0) return;
  const most = Math.max(1, curve.bytes[curve.peak] ?? 1);
  const foot = size.height - BOTTOM;
  const y = (/** @type {number} */ bytes) => foot - (Math.max(0, bytes) / most) * (foot - TOP);
  drawArea(context, size, curve.bytes, y, colour);
  const x = (/** @type {number} */ place) => middleOf(place, curve.bytes.length, size.width);
  drawPeak(context, size, x(curve.peak), colour("--alarm"));
  if (curve.at >= 0) drawPosition(context, size, x(curve.at), colour("--accent"));
}

/** The middle of a position's stretch. @param {number} place @param {number} count @param {number} width */
export const middleOf = (place, count, width) => ((place + 0.5) / Math.max(1, count)) * width;

/** @param {CanvasRenderingContext2D} context @param {{width: number, height: number}} size @param {readonly number[]} bytes @param {(bytes: number) => number} y @param {Colours} colour */
function drawArea(context, { width, height }, bytes, y, colour) {
  const columns = columnsOf(bytes, width);
  context.beginPath();
  context.moveTo(0, height - BOTTOM);
  columns.forEach((most, column) => {
    context.lineTo(column, y(most));
    context.lineTo(column + 1, y(most));
  });
  context.lineTo(width, height - BOTTOM);
  context.closePath();
  context.fillStyle = colour("--tint-line");
  context.fill();
  context.beginPath();
  columns.forEach((most, column) => {
    context.lineTo(column, y(most));
    context.lineTo(column + 1, y(most));
  });
  context.strokeStyle = colour("--accent");
  context.lineWidth = 1.5;
  context.stroke();
}

/** A triangle over the peak, and a dashed line below it. @param {CanvasRenderingContext2D} context @param {{width: number, height: number}} size @param {number} x @param {string} colour */
function drawPeak(context, { width, height }, x, colour) {
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x, TOP);
  context.lineTo(x, height - BOTTOM);
  context.stroke();
  context.setLineDash([]);
  const tip = Math.max(5, Math.min(x, width - 5));
  context.beginPath();
  context.moveTo(tip - 5, 1);
  context.lineTo(tip + 5, 1);
  context.lineTo(tip, TOP - 1);
  context.closePath();
  context.fill();
}

/** @param {CanvasRenderingContext2D} context @param {{width: number, height: number}} size @param {number} x @param {string} colour */
function drawPosition(context, { height }, x, colour) {
  context.fillStyle = colour;
  context.fillRect(Math.round(x) - 1, 0, 2, height);
}
