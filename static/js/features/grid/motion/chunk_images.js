/** Flat pictures of values in colours shared by all of one kind, so that chunks keep their colours when they move. */
import { AnswerCache } from "../../../core/answers.js";
import { valueWindow } from "../../../core/api.js";
import { elementAt, elementText, fittedText } from "../../../core/tensor/elements.js";
import { withPixels } from "../../../drawing/canvas.js";
import { coloursIn, paint } from "../../../drawing/paint.js";
import { pieceArrivals } from "./pieces.js";

/** @import {Scale} from "../../../drawing/scale.js" */

/** Maximum pixels of a picture's longer side: a cell shows no more. */
const MOST_PIXELS = 64;
const KEPT = 2_000;
/** Maximum number of elements drawn as numbers. */
const MOST_NUMBERS = 256;

/** @typedef {{window: import("../../../core/view_types.js").ValueWindow, images: Map<string, HTMLCanvasElement>}} Flat */

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
    return { window, images: new Map() };
  });
  return found instanceof Error ? undefined : found;
}

/** The picture as pixels, one per element or bin. @param {Flat} flat @param {Scale} scale @returns {HTMLCanvasElement} */
export function imageOf({ window, images }, scale) {
  const name = JSON.stringify(scale);
  const already = images.get(name);
  if (already) return already;
  const image = withPixels(document.createElement("canvas"), paint(window, coloursIn(scale)), window.header);
  images.set(name, image);
  return image;
}

/**
 * The elements of a small value as text, with the pixels below; null if there are too many.
 *
 * @param {Flat} flat @param {Scale} scale @param {string} elementType @returns {((row: number, column: number, room: number) => {text: string, pixel: number}|null)|null}
 */
export function numbersIn({ window }, scale, elementType) {
  const { header, planes } = window;
  const { value } = planes;
  if (!value || header.level > 0 || header.height * header.width > MOST_NUMBERS) return null;
  const pixels = paint(window, coloursIn(scale));
  return (row, column, room) => {
    const at = row * header.width + column;
    const element = elementAt(value, header.wire, at);
    const exact = elementText(element, elementType, header.wire);
    const text = exact.length <= room ? exact : fittedText(element, elementType, header.wire, room);
    return text === null ? null : { text, pixel: pixels[at] ?? 0 };
  };
}
