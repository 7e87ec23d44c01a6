/** Tensors as images: NHWC or NCHW with one, three or four channels, of bytes or of floats from 0 to 1. */
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { valueWindow } from "../../core/api.js";
import { elementAt, elementText, short } from "../../core/tensor/elements.js";
import { pictureSize } from "../../core/tensor/axes.js";
import { coarseRequest } from "../../core/tensor/window_source.js";
import { useResource } from "../../ui/resource.js";
import { numbersOf } from "../../drawing/paint.js";
import { valueOf } from "../../ui/fields.js";
/** @import {ValueSummary} from "../../core/types.js" */
/** @import {ValueWindow} from "../../core/view_types.js" */
/** @import {Known} from "./recorded_value.js" */

/** The axes of an image; batch: -1 without one. @typedef {{rows: number, columns: number, channels: number, batch: number}} ImageAxes */

const CHANNELS = [1, 3, 4];

/** The axes of a value that can be shown as images; the last axis has the channels, else the one before the rows. @param {Pick<ValueSummary, "shape"|"elementType"|"wire"|"statistics">} summary @returns {ImageAxes|null} */
export function imageOf({ shape, elementType, wire, statistics }) {
  const batch = shape.length - 4;
  if (batch < -1 || batch > 0 || !isPixels(elementType, wire, statistics)) return null;
  const first = batch + 1;
  const isChannels = (/** @type {number} */ axis) => CHANNELS.includes(shape[axis] ?? 0);
  if (isChannels(first + 2)) return { rows: first, columns: first + 1, channels: first + 2, batch };
  return isChannels(first) ? { rows: first + 1, columns: first + 2, channels: first, batch } : null;
}

/** @param {string} type @param {ValueSummary["wire"]} wire @param {ValueSummary["statistics"]} statistics */
function isPixels(type, wire, statistics) {
  if (/^ui?8$/.test(type)) return true;
  const [low, high] = [Number(statistics?.min ?? NaN), Number(statistics?.max ?? NaN)];
  return wire.dtype.startsWith("f") && wire.components === 1 && low >= 0 && high <= 1;
}

/** RGBA bytes of one, three or four planes; NaN is 0. @param {ArrayLike<number>[]} planes @param {number} most the number of the brightest pixel @returns {Uint8ClampedArray<ArrayBuffer>} */
export function pixelsOf(planes, most) {
  const [red = [], green = red, blue = red, alpha] = planes;
  const pixels = new Uint8ClampedArray(4 * red.length);
  for (let at = 0; at < red.length; at++) {
    [red, green, blue].forEach((plane, part) => (pixels[4 * at + part] = (255 * (plane[at] ?? 0)) / most || 0));
    pixels[4 * at + 3] = alpha ? (255 * (alpha[at] ?? 0)) / most : 255;
  }
  return pixels;
}

/** @type {Record<string, [number, number]>} rows and columns */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The image of one index of the batch. @param {{known: Known, axes: ImageAxes}} props */
export function ImageView({ known, axes }) {
  const { key, summary, selected } = known;
  const [chosen, setBatch] = useState(0);
  const [place, setPlace] = useState(/** @type {{row: number, column: number}|null} */ (null));
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const count = summary.shape[axes.batch] ?? 1;
  const batch = Math.min(chosen, count - 1);
  const { value: windows, error } = useResource(`${key} ${summary.address} ${JSON.stringify(axes)} ${batch}`, (stop) =>
    Promise.all(channelRequests(summary, axes, batch).map((view) => valueWindow(key, summary.address, view, stop))),
  );
  useEffect(() => {
    if (canvas.current && windows)
      paintImage(
        canvas.current,
        windows,
        /8$/.test(summary.elementType) && !summary.wire.dtype.startsWith("f") ? 255 : 1,
      );
  }, [windows]);
  const first = windows?.[0]?.header;
  const goTo = (/** @type {number} */ row, /** @type {number} */ column) => {
    const within = (/** @type {number} */ at, /** @type {number} */ size) =>
      Math.min(size - 1, Math.max(0, Math.floor(at)));
    if (first) setPlace({ row: within(row, first.height), column: within(column, first.width) });
  };
  const point = (/** @type {PointerEvent} */ { offsetX, offsetY }) => {
    const { clientWidth, clientHeight, width, height } = /** @type {HTMLCanvasElement} */ (canvas.current);
    const zoom = Math.min(clientWidth / width, clientHeight / height);
    const from = (/** @type {number} */ offset, /** @type {number} */ room, /** @type {number} */ pixels) =>
      (offset - (room - pixels * zoom) / 2) / zoom;
    goTo(from(offsetY, clientHeight, height), from(offsetX, clientWidth, width));
  };
  const move = (/** @type {KeyboardEvent} */ event) => {
    const by = MOVES[event.key];
    if (!by) return;
    event.preventDefault();
    if (place) goTo(place.row + by[0], place.column + by[1]);
    else goTo(0, 0);
  };
  const size = `${summary.shape[axes.rows]} × ${summary.shape[axes.columns]}`;
  return html`<div class="tensor-image" tabindex="0" role="application" aria-roledescription="image" aria-label=${`${selected.name} as an image, ${size}`} onKeyDown=${move}>
      <canvas ref=${canvas} onPointerMove=${point} onPointerLeave=${() => setPlace(null)}></canvas></div>
    ${error && html`<p role="alert">${error.message}</p>`}
    <div class="tensor-readout"><output aria-live="polite">${pixelWords(windows, place, summary) || html`<span class="quiet">${size} pixels, ${summary.shape[axes.channels]} channels. Point at a pixel, or move to it with the arrow keys.</span>`}</output>
      ${count > 1 && html`<label>Image <input type="number" min="0" max=${count - 1} value=${batch} onChange=${(/** @type {Event} */ event) => setBatch(Math.max(0, Number(valueOf(event))) || 0)} /> of ${count}</label>`}</div>`;
}

/** A window for each channel; of a large image, bins. @param {ValueSummary} summary @param {ImageAxes} axes @param {number} batch */
function channelRequests({ shape }, { rows, columns, channels, batch: axis }, batch) {
  const [height, width] = pictureSize({ rows, columns, at: [] }, shape);
  return Array.from({ length: shape[channels] ?? 1 }, (_, channel) => {
    const at = shape.map((_size, other) => (other === channels ? channel : other === axis ? batch : 0));
    return { rows, columns, at, ...coarseRequest({ height, width }) };
  });
}

/** @param {HTMLCanvasElement} canvas @param {readonly ValueWindow[]} windows @param {number} most */
function paintImage(canvas, windows, most) {
  const [first] = windows;
  if (!first) return;
  const { width, height } = first.header;
  [canvas.width, canvas.height] = [width, height];
  const planes = windows.map((window) => numbersOf(window, { part: "re", bins: "mean" }));
  canvas.getContext("2d")?.putImageData(new ImageData(pixelsOf(planes, most), width, height), 0, 0);
}

/** @param {readonly ValueWindow[]|undefined} windows @param {{row: number, column: number}|null} place @param {ValueSummary} summary @returns {string} */
function pixelWords(windows, place, { elementType, wire }) {
  const [first] = windows ?? [];
  if (!first || !windows || !place) return "";
  const at = place.row * first.header.width + place.column;
  const bin = 2 ** first.header.level;
  const texts = windows.map(({ planes }) =>
    planes.value ? elementText(elementAt(planes.value, wire, at), elementType, wire) : short(planes.mean?.[at]),
  );
  return `${bin > 1 ? `mean of ${bin} × ${bin} pixels at ` : ""}[${place.row * bin}, ${place.column * bin}]: ${texts.join(", ")}`;
}
