/** The canvas under the cells of a large grid: redrawn at most once per frame. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import * as store from "../../core/store.js";
import { clearCanvas, coloursOf } from "../../drawing/canvas.js";
import { keepDrawn } from "../../ui/canvas.js";
import { MARKS } from "../../ui/process_marks.js";
import { arrivals, paint, thumbnail } from "../../ui/thumbnails.js";
import { placeOf } from "./layout.js";
import * as gridView from "./state.js";

/** @type {WeakMap<import("../../core/types.js").ThumbnailInfo, {picture: HTMLCanvasElement, scale: string}>} */
const pictures = new WeakMap();

/** @param {{layout: import("./layout.js").Layout}} props */
export function Tiles({ layout }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  useEffect(() => keepDrawn(canvas.current, (drawn) => look(drawn, layout)), [JSON.stringify(layout)]);
  return html`<canvas class="grid-tiles" ref=${canvas} aria-hidden="true" style=${{ width: `${layout.width}px`, height: `${layout.height}px` }}></canvas>`;
}

/** @param {HTMLCanvasElement} canvas @param {import("./layout.js").Layout} layout */
function look(canvas, layout) {
  arrivals.value;
  const tiles = gridView.all.value.map(tileOf);
  return () => draw(canvas, layout, tiles);
}

/** @param {import("./process_view.js").ProcessView|null} seen @returns {Tile|null} */
function tileOf(seen) {
  if (!seen) return null;
  const group = gridView.groups.value.get(seen.process) ?? null;
  const info = seen.address ? thumbnail(store.recordingKey.value ?? "", seen.address) : null;
  const lit = gridView.lit.value;
  return { state: seen.state, picture: info ? pictureOf(info) : null, group, dim: lit !== null && lit !== group };
}

/** @param {import("../../core/types.js").ThumbnailInfo} info @returns {HTMLCanvasElement} */
function pictureOf(info) {
  const colours = gridView.colourScale.value;
  const scale = JSON.stringify(colours);
  const already = pictures.get(info);
  if (already?.scale === scale) return already.picture;
  const picture = already?.picture ?? document.createElement("canvas");
  paint(picture, info, colours);
  pictures.set(info, { picture, scale });
  return picture;
}

/**
 * `picture`: the thumbnail of the selected value
 *
 * @typedef {{state: import("../../core/grid/record_parts.js").ProcessState, picture: CanvasImageSource|null, group: number|null, dim: boolean}} Tile
 * @typedef {(token: string) => string} Colours
 */

/** @type {Map<string, Path2D>} */
const paths = new Map();

/** Draw many processes as coloured tiles. @param {HTMLCanvasElement} canvas @param {import("./layout.js").Layout} layout @param {readonly (Tile|null)[]} tiles */
function draw(canvas, layout, tiles) {
  const context = clearCanvas(canvas, layout);
  if (!context) return;
  const colour = coloursOf(canvas);
  const { width, height } = layout.cell;
  context.imageSmoothingEnabled = false;
  tiles.forEach((tile, index) => {
    const { x, y } = placeOf(layout, index);
    context.globalAlpha = tile?.dim ? 0.3 : 1;
    context.fillStyle = colour(GROUNDS[tile?.state ?? "ready"]);
    context.fillRect(x, y, width, height);
    if (!tile) return;
    const isGrouped = tile.group !== null;
    const edge = isGrouped ? Math.max(2, Math.round(width / 12)) : 1;
    if (tile.picture) context.drawImage(tile.picture, x + edge, y + edge, width - 2 * edge, height - 2 * edge);
    context.strokeStyle = colour(isGrouped ? `--group-${Number(tile.group) % gridView.GROUP_COLOURS}` : "--line");
    context.lineWidth = edge;
    context.strokeRect(x + edge / 2, y + edge / 2, width - edge, height - edge);
    if (tile.state !== "running" || !tile.picture) drawMark(context, tile.state, x, y, layout, colour);
  });
  context.globalAlpha = 1;
}

/** @type {Record<import("../../core/grid/record_parts.js").ProcessState, string>} */
const GROUNDS = {
  ready: "--surface",
  running: "--surface",
  waiting: "--warning-tint",
  done: "--chrome",
  failed: "--alarm-tint",
  queue: "--warning-tint",
};

/** The mark of a process's state, on its own background over the picture. @param {CanvasRenderingContext2D} context @param {import("../../core/grid/record_parts.js").ProcessState} state @param {number} x @param {number} y @param {import("./layout.js").Layout} layout @param {Colours} colour */
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
