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
import { ENTRIES, lookupTable, SPECIAL_PIXELS } from "../drawing/colour_maps.js";
import { keptFor } from "../core/kept.js";
/** @import {ThumbnailInfo} from "../core/types.js" */

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

/** @param {string} key @param {string} address @returns {Promise<ThumbnailInfo|null>} */
const load = async (key, address) => (await fetchGathered(key, address)) ?? null;

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

/** Paint a thumbnail, stretched to the canvas; clear it where there is none. @param {HTMLCanvasElement} canvas @param {ThumbnailInfo|null} info @param {Range|null} [range] of several compared pictures */
export function paint(canvas, info, range = null) {
  canvas.width = Math.max(1, info?.width ?? 1);
  canvas.height = Math.max(1, info?.height ?? 1);
  const context = canvas.getContext("2d");
  if (!context || !info || info.width * info.height === 0) return;
  const image = context.createImageData(info.width, info.height);
  const cells = new Uint32Array(image.data.buffer);
  const bytes = atob(info.pixels);
  const table = pixelTable(info, range);
  for (let i = 0; i < cells.length; i++) cells[i] = /** @type {number} */ (table[bytes.charCodeAt(i)]);
  context.putImageData(image, 0, 0);
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

/** @param {{info: ThumbnailInfo|null, range?: Range|null}} props */
export function Thumbnail({ info, range = null }) {
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  useEffect(() => {
    if (canvas.current) paint(canvas.current, info, range);
  }, [info, range?.low, range?.high]);
  return html`<canvas class="thumbnail" ref=${canvas} aria-hidden="true"></canvas>`;
}

/** Colours of thumbnails: the maps of the tensor view, indexed by the byte of each pixel. */

/** The byte of the largest value; the smallest is 0. */
const LEVELS = 250;
/** A constant value has the middle colour. */
const CONSTANT = 0xb3_80_80_80;

/** @typedef {{low: number, high: number}} Range  of numbers with one colour scale */

/** The common range of compared pictures: equal values have equal colours. @param {readonly (ThumbnailInfo|null|undefined)[]} infos @returns {Range|null} */
export function rangeOfAll(infos) {
  let [low, high] = [Infinity, -Infinity];
  for (const info of infos) {
    if (!info) continue;
    low = Math.min(low, Number(info.min));
    high = Math.max(high, Number(info.max));
  }
  return high > low ? { low, high } : null;
}

/** A pixel for each byte. @param {ThumbnailInfo} info @param {Range|null} [range] its own range by default @returns {Uint32Array} */
export function pixelTable(info, range = null) {
  const own = { low: Number(info.min), high: Number(info.max) };
  const table = new Uint32Array(256).fill(CONSTANT);
  const scale = range ?? own;
  if (scale.high > scale.low) fill(table, own, scale, info.text.startsWith("i1["));
  table.set([SPECIAL_PIXELS.neginf, SPECIAL_PIXELS.posinf, SPECIAL_PIXELS.nan], 253);
  return table;
}

/** With both signs, 0 is in the middle. @param {Uint32Array} table @param {Range} own of the picture @param {Range} scale @param {boolean} boolean */
function fill(table, own, { low, high }, boolean) {
  const diverging = low < 0 && high > 0;
  const map = lookupTable(boolean ? "two" : diverging ? "purple-orange" : "viridis");
  const reach = Math.max(-low, high);
  for (let level = 0; level <= LEVELS; level++) {
    const share = level / LEVELS;
    const value = own.low * (1 - share) + own.high * share;
    const place = diverging ? 0.5 + value / (2 * reach) : (value - low) / (high - low);
    table[level] = /** @type {number} */ (map[Math.round(place * (ENTRIES - 1))]);
  }
}
