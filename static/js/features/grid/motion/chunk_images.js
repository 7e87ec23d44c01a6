/** Flat pictures of values in colours shared by all of one kind, so that chunks keep their colours when they move. */
import { AnswerCache } from "../../../core/answers.js";
import { valueWindow } from "../../../core/api.js";
import { elementAt, elementText, fittedText } from "../../../core/tensor/elements.js";
import { lookupTable } from "../../../drawing/colour_maps.js";
import { numbersOf, paint } from "../../../drawing/paint.js";
import { pieceArrivals } from "./pieces.js";

/** Maximum pixels of a picture's longer side: a cell shows no more. */
const MOST_PIXELS = 64;
const KEPT = 2_000;
/** Maximum number of elements drawn as numbers. */
const MOST_NUMBERS = 256;

/** @typedef {{window: import("../../../core/view_types.js").ValueWindow, low: number, high: number, images: Map<string, HTMLCanvasElement>}} Flat */
/** @typedef {{low: number, high: number}} Range */

/** @type {AnswerCache<Flat>} */
const flats = new AnswerCache(KEPT, { arrivals: pieceArrivals });

/**
 * A value's slice, downsampled to the visible resolution; undefined while it is loading.
 *
 * @param {string} key @param {string} address @param {number[]} shape @param {import("../../../drawing/boxes.js").Slice} slice @returns {Flat|undefined}
 */
export function flat(key, address, shape, slice) {
  const { rows, columns, at } = slice;
  const name = `${key} ${address} ${rows} ${columns} ${at.join()}`;
  const found = flats.read(name, async () => {
    const size = /** @type {[number, number]} */ ([
      rows < 0 ? 1 : (shape[rows] ?? 1),
      columns < 0 ? 1 : (shape[columns] ?? 1),
    ]);
    const level = Math.max(0, Math.ceil(Math.log2(Math.max(...size) / MOST_PIXELS)));
    const window = await valueWindow(key, address, { rows, columns, at, from: [0, 0], size, level });
    return { window, ...rangeOf(window), images: new Map() };
  });
  return found instanceof Error ? undefined : found;
}

/** The smallest and the largest finite number of a window. @param {import("../../../core/view_types.js").ValueWindow} window @returns {Range} */
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
  const [lows, highs] = [flats.map(({ low }) => low), flats.map(({ high }) => high)].map((ends) =>
    ends.filter(Number.isFinite),
  );
  return { low: Math.min(...(lows ?? [])), high: Math.max(...(highs ?? [])) };
}

/** The picture as pixels, one per element or bin. @param {Flat} flat @param {Range} range @returns {HTMLCanvasElement} */
export function imageOf({ window, images }, range) {
  const name = `${range.low} ${range.high}`;
  const already = images.get(name);
  if (already) return already;
  const image = document.createElement("canvas");
  image.width = window.header.width;
  image.height = window.header.height;
  const pixels = new Uint8ClampedArray(paint(window, colourScaleOf(range)).buffer);
  image.getContext("2d")?.putImageData(new ImageData(/** @type {any} */ (pixels), image.width, image.height), 0, 0);
  images.set(name, image);
  return image;
}

/**
 * The elements of a small value as text, with the pixels below; null if there are too many.
 *
 * @param {Flat} flat @param {Range} range @param {string} elementType @returns {((row: number, column: number, room: number) => {text: string, pixel: number}|null)|null}
 */
export function numbersIn({ window }, range, elementType) {
  const { header, planes } = window;
  const { value } = planes;
  if (!value || header.level > 0 || header.height * header.width > MOST_NUMBERS) return null;
  const pixels = paint(window, colourScaleOf(range));
  return (row, column, room) => {
    const at = row * header.width + column;
    const element = elementAt(value, header.wire, at);
    const exact = elementText(element, elementType, header.wire);
    const text = exact.length <= room ? exact : fittedText(element, elementType, header.wire, room);
    return text === null ? null : { text, pixel: pixels[at] ?? 0 };
  };
}

/** @param {Range} range @returns {import("../../../drawing/paint.js").ColourScale} */
function colourScaleOf({ low, high }) {
  const diverging = low < 0 && high > 0;
  const reach = Math.max(-low, high);
  const scale = {
    ...(diverging ? { low: -reach, high: reach } : { low, high }),
    shape: /** @type {const} */ ("linear"),
    diverging,
    clipped: false,
  };
  const table = lookupTable(diverging ? "purple-orange" : "viridis");
  return { table, scale, part: "abs", bins: "mean", categories: false };
}
