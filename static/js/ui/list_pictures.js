/** The thumbnails of a list on one canvas: a row costs a copy of pixels instead of an element. */
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { clearCanvas } from "../drawing/canvas.js";
import { inGrey, paint } from "./thumbnails.js";
import { keptFor } from "../core/kept.js";
/** @import {ThumbnailInfo} from "../core/types.js" */

const WIDTH = 48;
const HEIGHT = 16;

/** The painted picture. */
export const pixelsOf = keptFor((/** @type {ThumbnailInfo} */ info) => {
  const canvas = document.createElement("canvas");
  paint(canvas, info);
  return canvas;
});

/** The pictures of rows from the first drawn one on. @param {{pictures: readonly (ThumbnailInfo|null)[], row: number, top: number}} props */
export function ListPictures({ pictures, row, top }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const drawn = useRef({ row: 0, pictures: /** @type {readonly (ThumbnailInfo|null)[]} */ ([]) });
  // Not after the rows are painted: that would cost a frame.
  useLayoutEffect(() => {
    const { row: before, pictures: old } = drawn.current;
    const same =
      row === before && pictures.length === old.length && pictures.every((picture, at) => picture === old[at]);
    if (canvas.current && !same) draw(canvas.current, pictures, row);
    drawn.current = { row, pictures };
  });
  return html`<canvas class="list-pictures" ref=${canvas} aria-hidden="true" style=${{ top: `${top}px` }}></canvas>`;
}

/** @param {HTMLCanvasElement} canvas @param {readonly (ThumbnailInfo|null)[]} pictures @param {number} row */
function draw(canvas, pictures, row) {
  const height = pictures.length * row;
  canvas.style.height = `${height}px`;
  const context = clearCanvas(canvas, { width: WIDTH, height });
  if (!context) return;
  context.imageSmoothingEnabled = false;
  context.strokeStyle = "#808080";
  const margin = (row - HEIGHT) / 2;
  pictures.forEach((picture, at) => {
    if (!picture || picture.width * picture.height === 0) return;
    const top = at * row + margin;
    context.drawImage(pixelsOf(picture), 0, top, WIDTH, HEIGHT);
    // Grey infinities are nearly black or white, and the page may be too.
    if (inGrey.has(picture)) context.strokeRect(0.5, top + 0.5, WIDTH - 1, HEIGHT - 1);
  });
}
