/** Draws the bars of a flame chart, the outermost above; those around the current step have an outline. */
import { countText } from "../../core/tensor/elements.js";
import { clearCanvas } from "../../drawing/canvas.js";
/** @import {FlameBar} from "../../core/types.js" */

export const ROW = 18;
const MARGIN = 4;
/** Minimum width of a bar with a name. */
const LEAST_NAME = 28;

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{bars: readonly FlameBar[], step: number, familyOf: (op: number) => string}} chart step: the current one
 * @param {(token: string) => string} colour
 */
export function drawFlame(canvas, { bars, step, familyOf }, colour) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = clearCanvas(canvas, { width, height });
  if (!context || width === 0) return;
  context.font = `11px ${colour("--face")}`;
  context.textBaseline = "middle";
  for (const bar of bars) {
    const [x, wide] = [bar.left * width, Math.max(1, (bar.right - bar.left) * width - 1)];
    const y = bar.level * ROW;
    context.fillStyle = colour(bar.op === null ? "--line" : "--surface");
    context.fillRect(x, y, wide, ROW - 1);
    if (bar.op !== null) {
      context.fillStyle = colour(`--${familyOf(bar.op)}`);
      context.fillRect(x, y + ROW - 5, wide, 4);
    }
    if (bar.step <= step && step < bar.stop) {
      context.strokeStyle = colour("--accent");
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, Math.max(0, wide - 2), ROW - 3);
    }
    if (wide >= LEAST_NAME)
      drawName(context, nameOf(bar), x + MARGIN, y + ROW / 2 - (bar.op === null ? 0 : 1.5), wide - 2 * MARGIN, colour);
  }
}

/** `42 bars from iteration 3`: of several, that they are. @param {FlameBar} bar @returns {string} */
export const nameOf = ({ title, count }) => (count > 1 ? `${countText(count)} from ${title}` : title);

/** A name, cut at its end; none if little of it would remain. @param {CanvasRenderingContext2D} context @param {string} name @param {number} x @param {number} y @param {number} room @param {(token: string) => string} colour */
function drawName(context, name, x, y, room, colour) {
  let text = name;
  for (let kept = name.length - 1; kept > 2 && context.measureText(text).width > room; kept--)
    text = `${name.slice(0, kept)}…`;
  if (context.measureText(text).width > room) return;
  context.fillStyle = colour("--text");
  context.fillText(text, x, y);
}

/** The bar at a point. @param {readonly FlameBar[]} bars @param {number} share of the width @param {number} y @returns {FlameBar|undefined} */
export function barAt(bars, share, y) {
  const level = Math.floor(y / ROW);
  return bars.find((bar) => bar.level === level && bar.left <= share && share < bar.right);
}
