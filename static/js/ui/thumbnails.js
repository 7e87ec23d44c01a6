/**
 * Thumbnails and one-line summaries of values, fetched in batches when they are first shown. A value never changes,
 * so answers are kept.
 */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { AnswerCache, gathered } from "../core/answers.js";
import { getJson, recordingPath } from "../core/api.js";
import { isHidden } from "../core/hidden_values.js";
import { afterPaint } from "../core/later.js";
import * as store from "../core/store.js";
import { automaticMap, pixelOfChannels, DARK, LEVELS, LIGHT, NAN, NEGINF, POSINF } from "../drawing/colour_maps.js";
import { coloursIn } from "../drawing/paint.js";
import { leveller, reader, scaleBetween } from "../drawing/scale.js";
import { keptFor } from "../core/kept.js";
/** @import {ThumbnailInfo} from "../core/types.js" */
/** @import {Scale} from "../drawing/scale.js" */

const KEPT = 20_000;
/** Requests of many lines become one. */
const GATHERING = { pause: 15, most: 128 };

/** Grows with every arrival: readers of thumbnails read it. */
export const arrivals = signal(0);

/** @type {AnswerCache<ThumbnailInfo|null>} null: the server has none */
const thumbnails = new AnswerCache(KEPT, { arrivals, asksAgain: true });

/** @type {(key: string, address: string) => Promise<ThumbnailInfo|null|undefined>} */
const fetchGathered = gathered(
  (key, addresses) =>
    getJson(`${recordingPath(key)}/thumbnails?addresses=${addresses.map(encodeURIComponent).join(",")}`),
  GATHERING,
);

/** Rejects for a value that the run may still compute, so that it is requested again. @param {string} key @param {string} address @returns {Promise<ThumbnailInfo|null>} */
async function load(key, address) {
  const found = await fetchGathered(key, address);
  if (!found && ["recording", "paused"].includes(store.recordingState.peek().kind)) throw new Error("not yet");
  return found ?? null;
}

/** The thumbnail, or undefined while the request that this call starts is pending; null: none, or hidden. @param {string} key @param {string} address @returns {ThumbnailInfo|null|undefined} */
export function thumbnail(key, address) {
  if (isHidden(key, address)) return null;
  const found = thumbnails.read(`${key} ${address}`, () => load(key, address));
  return found instanceof Error ? null : found;
}

/** The thumbnail once it is here; null: none. @param {string} key @param {string} address @returns {Promise<ThumbnailInfo|null>} */
export const fetchThumbnail = (key, address) => thumbnails.fetch(`${key} ${address}`, () => load(key, address));

/** Prefetch a thumbnail and decode its image when there is time. @param {string} key @param {string} address */
export const fetchThumbnailAhead = (key, address) =>
  thumbnails.fetchAhead(`${key} ${address}`, async () => {
    const info = await load(key, address);
    if (info) afterPaint(() => ready.set(info, imageOf(info)));
    return info;
  });

/** Maximum size of a picture whose cells are large enough for marks, and the size of a mark in pixels. */
const MOST_MARKED = { width: 12, height: 4 };
const MARK = 6;

/** Pictures in which what is not finite is grey: the program states it, so it is no alarm. @type {WeakSet<ThumbnailInfo>} */
export const inGrey = new WeakSet();

/** The same picture, with grey NaN and infinities; always the same object. */
export const greyed = keptFor((/** @type {ThumbnailInfo} */ info) => {
  const found = { ...info };
  inGrey.add(found);
  return found;
});

/** @param {number} pixel @param {number} level */
const greyAfterLast = (pixel, level) =>
  level > LEVELS
    ? pixelOfChannels(new Array(3).fill(((pixel & 255) + ((pixel >> 8) & 255) + ((pixel >> 16) & 255)) / 3))
    : pixel;

/** Paint a thumbnail, stretched to the canvas; clear it where there is none. @param {HTMLCanvasElement} canvas @param {ThumbnailInfo|null} info @param {Scale|null} [scale] of several compared pictures */
export function paint(canvas, info, scale = null) {
  const { width = 0, height = 0, nonfinite = false } = info ?? {};
  const size = nonfinite && width <= MOST_MARKED.width && height <= MOST_MARKED.height ? MARK : 1;
  canvas.width = Math.max(1, width * size);
  canvas.height = Math.max(1, height * size);
  const context = canvas.getContext("2d");
  if (!context || !info || width * height === 0) return;
  const image = context.createImageData(width * size, height * size);
  const cells = new Uint32Array(image.data.buffer);
  const bytes = atob(info.pixels);
  const table = inGrey.has(info) ? pixelTable(info, scale).map(greyAfterLast) : pixelTable(info, scale);
  for (let i = 0; i < cells.length; i++) {
    const [x, y] = [i % (width * size), Math.floor(i / (width * size))];
    const level = bytes.charCodeAt(Math.floor(y / size) * width + Math.floor(x / size));
    cells[i] = table[size > 1 ? marked(level, x % size, y % size) : level] ?? 0;
  }
  context.putImageData(image, 0, 0);
}

/** NaN is hatched, an infinity has its sign. @param {number} level @param {number} x @param {number} y in its cell */
function marked(level, x, y) {
  const inBar = (/** @type {number} */ a, /** @type {number} */ b) => a >> 1 === 1 && b > 0 && b < MARK - 1;
  if (level === NAN && (x + y) % 3 === 0) return DARK;
  if (level === POSINF && (inBar(x, y) || inBar(y, x))) return DARK;
  return level === NEGINF && inBar(y, x) ? LIGHT : level;
}

/** Decode pictures that are visible: at once, and kept where that is cheap. */
const painting = globalThis.document?.createElement("canvas");
painting?.getContext("2d", { willReadFrequently: true });
/** Decoded images that nothing shows yet. @type {WeakMap<ThumbnailInfo, HTMLImageElement>} */
const ready = new WeakMap();

const urlOf = keptFor((/** @type {ThumbnailInfo} */ info) => {
  paint(painting, info);
  return painting.toDataURL();
});

/** A thumbnail as an image: each canvas would cost time in every frame. @param {ThumbnailInfo} info @returns {HTMLImageElement} */
export function picture(info) {
  const image = ready.get(info) ?? imageOf(info);
  ready.delete(info);
  return image;
}

/** @param {ThumbnailInfo} info @returns {HTMLImageElement} */
function imageOf(info) {
  const image = document.createElement("img");
  image.decoding = "sync";
  image.alt = "";
  image.src = urlOf(info);
  return image;
}

/** The range alone, for narrow columns. @param {string} range @returns {string} */
export const withoutMean = (range) => range.replace(/ +mean [^\s,]+/, "");

/** Maximum characters of a range in a narrow column. */
const MOST_OF_RANGE = 17;

/** A range for a narrow column: non-finite values first; numbers that do not fit have three digits. @param {string} range @param {number} [most] @returns {string} */
export function shortRange(range, most = MOST_OF_RANGE) {
  const room = Math.min(most, MOST_OF_RANGE);
  if (range.endsWith(" true") && range.length > room) return range.replace(/ of \S+/, "");
  const [numbers = "", ...others] = withoutMean(range).split(", ");
  if (!numbers.includes(" … ")) return withoutMean(range);
  const short = numbers.length > room ? numbers.replaceAll(/-?\d[\d.]*e?-?\d*(?!\d)/g, threeDigits) : numbers;
  return [...others, short].join(", ");
}

/** @param {string} number @returns {string} */
function threeDigits(number) {
  const plain = String(Number(Number(number).toPrecision(3))).replace("e+", "e");
  const scientific = Number(number).toExponential(2).replace("e+", "e");
  const shorter = number.includes("e") || scientific.length < plain.length ? scientific : plain;
  return shorter.length < number.length ? shorter : number;
}

/** The text of a thumbnail in two parts: type and values. @param {ThumbnailInfo} info @returns {{type: string, range: string}} */
export function summary({ text }) {
  const at = text.indexOf(" ");
  return at < 0 ? { type: text, range: "" } : { type: text.slice(0, at), range: text.slice(at + 1) };
}

/** A value's small picture. */

/** @param {{info: ThumbnailInfo|null, scale?: Scale|null}} props */
export function Thumbnail({ info, scale = null }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  useEffect(() => {
    if (canvas.current) paint(canvas.current, info, scale);
  }, [info, scale?.low, scale?.high]);
  return html`<canvas class="thumbnail" ref=${canvas} aria-hidden="true"></canvas>`;
}

/** Colours of thumbnails: the default colours of the tensor view. */

/** @type {(info: ThumbnailInfo) => Scale} */
const scaleOf = keptFor(({ scale }) => ({
  ...scale,
  low: Number(scale.low),
  high: Number(scale.high),
  soft: Number(scale.soft),
}));

/** The common scale of compared pictures: equal values have equal colours. @param {readonly (ThumbnailInfo|null|undefined)[]} infos @returns {Scale|null} */
export function commonScale(infos) {
  const scales = infos.flatMap((info) => (info ? [scaleOf(info)] : [])).filter(({ low }) => !Number.isNaN(low));
  const [first] = scales;
  if (!first) return null;
  const [low, high] = [Math.min(...scales.map(({ low }) => low)), Math.max(...scales.map(({ high }) => high))];
  // A scale may be wider than its numbers, to have 0 in the middle.
  const bent = scales.find(({ shape }) => shape !== "linear");
  return {
    ...scaleBetween(first.kind, low, high),
    shape: bent ? (low > 0 ? "log" : "arcsinh") : "linear",
    soft: bent?.soft,
  };
}

/** A pixel for each byte. @param {ThumbnailInfo} info @param {Scale|null} [scale] its own by default @returns {Uint32Array} */
export function pixelTable(info, scale = null) {
  const own = scaleOf(info);
  const { table } = coloursIn(scale ?? own);
  if (!scale) return table;
  const { categories } = coloursIn(scale);
  const [valueAt, levelOf] = [valuesOf(own), leveller(scale, categories)];
  return table.map((pixel, level) => (level > LEVELS ? pixel : (table[levelOf(valueAt(level))] ?? 0)));
}

/** The value of a level. @param {Scale} scale @returns {(level: number) => number} */
function valuesOf(scale) {
  const { low, high } = scale;
  if (automaticMap(scale) === "categories") return (level) => low + ((((level - low) % 10) + 10) % 10);
  const at = reader(scale);
  return (level) => (high > low ? at(level / LEVELS) : low);
}
