/** Draws many processes as coloured tiles. Holds no state. */
import { placeOf } from "./layout.js";
import { MARKS } from "../ui/process_marks.js";

/**
 * `picture`: the selected value, small; `group`: a colour.
 *
 * @typedef {{state: import("./moments.js").ProcessState, picture: CanvasImageSource|null, group: string|null, dim: boolean}} Tile
 * @typedef {(token: string) => string} Colours
 */

/** @type {Map<string, Path2D>} */
const paths = new Map();

/** @param {CanvasRenderingContext2D} context @param {import("./layout.js").Layout} layout @param {readonly (Tile|null)[]} tiles @param {Colours} colour */
export function drawTiles(context, layout, tiles, colour) {
  const { width, height } = layout.cell;
  context.imageSmoothingEnabled = false;
  tiles.forEach((tile, index) => {
    const { x, y } = placeOf(layout, index);
    context.globalAlpha = tile?.dim ? 0.3 : 1;
    context.fillStyle = colour(GROUNDS[tile?.state ?? "ready"]);
    context.fillRect(x, y, width, height);
    if (!tile) return;
    const edge = tile.group ? Math.max(2, Math.round(width / 12)) : 1;
    if (tile.picture) context.drawImage(tile.picture, x + edge, y + edge, width - 2 * edge, height - 2 * edge);
    context.strokeStyle = tile.group ?? colour("--line");
    context.lineWidth = edge;
    context.strokeRect(x + edge / 2, y + edge / 2, width - edge, height - edge);
    if (tile.state !== "running" || !tile.picture) drawMark(context, tile.state, x, y, layout, colour);
  });
  context.globalAlpha = 1;
}

/** @type {Record<import("./moments.js").ProcessState, string>} */
const GROUNDS = {
  ready: "--surface", running: "--surface", waiting: "--warning-tint", done: "--chrome", failed: "--alarm-tint", queue: "--warning-tint",
};

/** The mark of what a process does, on a ground of its own over the picture. @param {CanvasRenderingContext2D} context @param {import("./moments.js").ProcessState} state @param {number} x @param {number} y @param {import("./layout.js").Layout} layout @param {Colours} colour */
function drawMark(context, state, x, y, { cell }, colour) {
  const size = Math.max(6, Math.min(14, Math.round(cell.width * 0.55)));
  const { path, filled, colour: token } = MARKS[state];
  context.save();
  context.translate(x + cell.width - size - 1, y + cell.height - size - 1);
  context.fillStyle = colour("--surface");
  context.globalAlpha *= 0.92;
  context.fillRect(0, 0, size, size);
  context.scale(size / 16, size / 16);
  const shape = paths.get(path) ?? new Path2D(path);
  paths.set(path, shape);
  context.fillStyle = context.strokeStyle = colour(token);
  context.lineWidth = 2.4;
  if (filled) context.fill(shape);
  else context.stroke(shape);
  context.restore();
}
