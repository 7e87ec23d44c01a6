/** The canvas under the cells of a large grid: redrawn at most once a frame, whatever changes. */
import { effect } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import * as looking from "../../grid/looking.js";
import { drawTiles } from "../../grid/tiles.js";
import { arrivals, paint, thumbnail } from "../../run/thumbnails.js";
import * as store from "../../store.js";
import { themed } from "../../ui/themed.js";

/** @type {WeakMap<import("../../types.js").ThumbnailInfo, HTMLCanvasElement>} */
const pictures = new WeakMap();

/** @param {{layout: import("../../grid/layout.js").Layout}} props */
export function Tiles({ layout }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  useEffect(() => keepDrawn(canvas.current, layout), [JSON.stringify(layout)]);
  return html`<canvas class="grid-tiles" ref=${canvas} aria-hidden="true" style=${{ width: `${layout.width}px`, height: `${layout.height}px` }}></canvas>`;
}

/** @param {HTMLCanvasElement|null} canvas @param {import("../../grid/layout.js").Layout} layout */
function keepDrawn(canvas, layout) {
  if (!canvas) return undefined;
  let frame = 0;
  const end = effect(() => {
    themed.value;
    arrivals.value;
    const tiles = looking.all.value.map(tileOf);
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => draw(canvas, layout, tiles));
  });
  return () => {
    end();
    cancelAnimationFrame(frame);
  };
}

/** @param {import("../../grid/seeing.js").Seen|null} seen @returns {(import("../../grid/tiles.js").Tile & {token: number})|null} */
function tileOf(seen) {
  if (!seen) return null;
  const group = looking.groups.value.get(seen.process);
  const info = seen.address ? thumbnail(store.recordingKey.value ?? "", seen.address) : null;
  const lit = looking.lit.value;
  return { state: seen.state, picture: info ? pictureOf(info) : null, group: null, token: group ?? -1, dim: lit !== null && lit !== group };
}

/** @param {import("../../types.js").ThumbnailInfo} info @returns {HTMLCanvasElement} */
export function pictureOf(info) {
  const already = pictures.get(info);
  if (already) return already;
  const made = document.createElement("canvas");
  paint(made, info);
  pictures.set(info, made);
  return made;
}

/** @param {HTMLCanvasElement} canvas @param {import("../../grid/layout.js").Layout} layout @param {readonly ReturnType<typeof tileOf>[]} tiles */
function draw(canvas, layout, tiles) {
  const context = cleared(canvas, layout);
  if (!context) return;
  const colour = coloursOf(canvas);
  drawTiles(context, layout, tiles.map((tile) => tile && { ...tile, group: tile.token < 0 ? null : colour(`--group-${tile.token % looking.GROUP_COLOURS}`) }), colour);
}

/** A canvas in CSS pixels, empty. @param {HTMLCanvasElement} canvas @param {{width: number, height: number}} size @returns {CanvasRenderingContext2D|null} */
export function cleared(canvas, { width, height }) {
  const density = window.devicePixelRatio || 1;
  const [wide, high] = [Math.max(1, Math.round(width * density)), Math.max(1, Math.round(height * density))];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const context = canvas.getContext("2d");
  context?.setTransform(density, 0, 0, density, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

/** The page's colours by token, each looked up once. @param {HTMLElement} element @returns {(token: string) => string} */
export function coloursOf(element) {
  const style = getComputedStyle(element);
  /** @type {Map<string, string>} */
  const known = new Map();
  return (token) => {
    const found = known.get(token) ?? style.getPropertyValue(token).trim();
    known.set(token, found);
    return found;
  };
}
