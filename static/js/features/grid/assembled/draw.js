/**
 * Outlines of pieces over the picture of a whole tensor, names of processes where they fit, and missing values.
 * Stateless.
 *
 * @typedef {import("../../../drawing/draw.js").Theme & {onAccent: string}} Theme
 * @typedef {{rectangle: import("../../../drawing/boxes.js").Rectangle, labels: string[][], shown: boolean, hot: boolean, absent: boolean}} Outlined
 */
/** @import {View} from "../../../drawing/draw.js" */

const FONT = 11;
const LABEL_HEIGHT = 13;
const PADDING = 4;
/** Minimum size of a piece with an outline. */
const LEAST = 5;
/** Smaller pieces have thinner outlines. */
const SMALL = 30;

/** @param {CanvasRenderingContext2D} context @param {View} view @param {Theme} theme @param {readonly Outlined[]} pieces */
export function drawPieces(context, view, theme, pieces) {
  for (const piece of pieces) if (piece.absent) drawAbsent(context, onScreen(piece, view), theme);
  const order = [...pieces].sort((a, b) => weight(a) - weight(b));
  for (const piece of order) drawOutline(context, onScreen(piece, view), theme, piece);
  for (const piece of order) drawLabel(context, onScreen(piece, view), view, theme, piece);
}

/** Highlighted pieces are drawn last. @param {Outlined} piece @returns {number} */
const weight = ({ shown, hot }) => Number(shown) + 2 * Number(hot);

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** @param {Outlined} piece @param {View} view @returns {Box} */
function onScreen({ rectangle: { row, column, height, width } }, { camera, cell }) {
  const [x, y] = [Math.round((column - camera.left) * cell.x), Math.round((row - camera.top) * cell.y)];
  return {
    x,
    y,
    width: Math.round((column + width - camera.left) * cell.x) - x,
    height: Math.round((row + height - camera.top) * cell.y) - y,
  };
}

/** A light and a dark line are visible on every colour. @param {CanvasRenderingContext2D} context @param {Box} box @param {Theme} theme @param {Outlined} piece */
function drawOutline(context, { x, y, width, height }, theme, { shown, hot }) {
  const thin = Math.min(width, height) < LEAST;
  const strong = shown || hot;
  if (thin && !strong) return;
  const small = Math.min(width, height) < SMALL;
  const [inner, outer] = strong ? (small ? [2, 3] : [2.5, 5]) : [1, small ? 0 : 2.5];
  for (const [colour, line] of /** @type {[string, number][]} */ ([
    [theme.ground, outer],
    [shown ? theme.accent : theme.text, inner],
  ])) {
    if (line === 0) continue;
    context.strokeStyle = colour;
    context.lineWidth = line;
    const inset = Math.max(outer, 1) / 2;
    context.strokeRect(x + inset, y + inset, Math.max(0, width - 2 * inset), Math.max(0, height - 2 * inset));
  }
}

/** Hatching over missing values. @param {CanvasRenderingContext2D} context @param {Box} box @param {Theme} theme */
function drawAbsent(context, { x, y, width, height }, theme) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = theme.line;
  context.lineWidth = 1;
  context.beginPath();
  for (let across = -height; across < width; across += 9) {
    context.moveTo(x + across, y + height);
    context.lineTo(x + across + height, y);
  }
  context.stroke();
  context.restore();
}

/** The most informative label that fits, at the visible corner of the piece. @param {CanvasRenderingContext2D} context @param {Box} box @param {View} view @param {Theme} theme @param {Outlined} piece */
function drawLabel(context, box, { screen }, theme, { labels, shown }) {
  const [left, top] = [Math.max(box.x, 0) + 3, Math.max(box.y, 0) + 2];
  const [width, height] = [
    Math.min(box.x + box.width, screen.width) - left - 3,
    Math.min(box.y + box.height, screen.height) - top - 2,
  ];
  if (height < LABEL_HEIGHT || width < 12) return;
  context.font = `${shown ? "600 " : ""}${FONT}px ${theme.font}`;
  const wideOf = (/** @type {string[]} */ lines) =>
    Math.max(...lines.map((line) => context.measureText(line).width)) + 2 * PADDING;
  const lines = labels.find((label) => label.length * LABEL_HEIGHT <= height && wideOf(label) <= width);
  if (!lines) return;
  context.globalAlpha = shown ? 1 : 0.88;
  context.fillStyle = shown ? theme.accent : theme.ground;
  context.fillRect(left, top, wideOf(lines), LABEL_HEIGHT * lines.length);
  context.globalAlpha = 1;
  context.fillStyle = shown ? theme.onAccent : theme.text;
  context.textAlign = "left";
  context.textBaseline = "middle";
  lines.forEach((line, number) => context.fillText(line, left + PADDING, top + 0.5 + LABEL_HEIGHT * (number + 0.5)));
}
