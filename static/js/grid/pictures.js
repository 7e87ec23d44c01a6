/** Flat pictures of values, in colours that are common to all of one kind, so that chunks keep theirs as they move. */
import { valueWindow } from "../api.js";
import { lookupTable } from "../tensor/colours.js";
import { numbersOf, paint } from "../tensor/paint.js";
import { pieceArrivals } from "./pieces.js";

/** Pixels of a picture's longer side at most: more are not seen in a cell. */
const MOST_PIXELS = 64;
const KEPT = 2_000;

/** @typedef {{window: import("../types.js").ValueWindow, low: number, high: number, images: Map<string, HTMLCanvasElement>}} Flat */
/** @typedef {{low: number, high: number}} Range */

/** @type {Map<string, Flat|null>} */
const here = new Map();
/** @type {Map<string, Uint32Array>} */
const tables = new Map();

/**
 * A value's slice, downsampled to what is seen; undefined while it is on its way.
 *
 * @param {string} key @param {string} address @param {number[]} shape @param {import("./boxes.js").Slice} slice @returns {Flat|undefined}
 */
export function flat(key, address, shape, slice) {
  const { rows, columns, at } = slice;
  const name = `${key} ${address} ${rows} ${columns} ${at.join()}`;
  const found = here.get(name);
  if (found !== undefined) return found ?? undefined;
  if (here.size > KEPT) here.clear();
  here.set(name, null);
  const size = /** @type {[number, number]} */ ([rows < 0 ? 1 : (shape[rows] ?? 1), columns < 0 ? 1 : (shape[columns] ?? 1)]);
  const level = Math.max(0, Math.ceil(Math.log2(Math.max(...size) / MOST_PIXELS)));
  valueWindow(key, address, { rows, columns, at, from: [0, 0], size, level }).then(
    (window) => here.set(name, { window, ...rangeOf(window), images: new Map() }),
    () => undefined,
  ).finally(() => pieceArrivals.value++);
  return undefined;
}

/** The smallest and the largest finite number of a window. @param {import("../types.js").ValueWindow} window @returns {Range} */
function rangeOf(window) {
  const low = extreme(numbersOf(window, { part: "abs", bins: "min" }), Math.min);
  return { low, high: extreme(numbersOf(window, { part: "abs", bins: "max" }), Math.max) };
}

/** @param {ArrayLike<number>} numbers @param {(a: number, b: number) => number} of @returns {number} */
function extreme(numbers, of) {
  let found = NaN;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? NaN;
    if (Number.isFinite(number)) found = Number.isNaN(found) ? number : of(found, number);
  }
  return found;
}

/** The range of all of them. @param {readonly Flat[]} flats @returns {Range} */
export function commonRange(flats) {
  const [lows, highs] = [flats.map(({ low }) => low), flats.map(({ high }) => high)].map((ends) => ends.filter(Number.isFinite));
  return { low: Math.min(...(lows ?? [])), high: Math.max(...(highs ?? [])) };
}

/** The picture as pixels, one an element or a bin. @param {Flat} flat @param {Range} range @returns {HTMLCanvasElement} */
export function imageOf({ window, images }, range) {
  const name = `${range.low} ${range.high}`;
  const already = images.get(name);
  if (already) return already;
  const image = document.createElement("canvas");
  image.width = window.header.width;
  image.height = window.header.height;
  const pixels = new Uint8ClampedArray(paint(window, inkFor(range)).buffer);
  image.getContext("2d")?.putImageData(new ImageData(/** @type {any} */ (pixels), image.width, image.height), 0, 0);
  images.set(name, image);
  return image;
}

/** @param {Range} range @returns {import("../tensor/paint.js").Ink} */
function inkFor({ low, high }) {
  const diverging = low < 0 && high > 0;
  const reach = Math.max(-low, high);
  const scale = { ...(diverging ? { low: -reach, high: reach } : { low, high }), shape: /** @type {const} */ ("linear"), diverging, clipped: false };
  const name = diverging ? "purple-orange" : "viridis";
  const table = tables.get(name) ?? lookupTable(name);
  tables.set(name, table);
  return { table, scale, part: "abs", bins: "mean", categories: false };
}
