/**
 * Values that were looked at, or will be with the next steps: what the server says of each, and the coarse window of its
 * picture. What is here is shown in the frame in which it is asked for.
 */
import { AnswerCache } from "../../core/answers.js";
import { valueSummary, valueWindow } from "../../core/api.js";
import { foldWindow, foldedSize, pictureSize, sliceKey } from "../../core/tensor/axes.js";
import { coarseRequest } from "../../core/tensor/window_source.js";

/**
 * @typedef {import("../../core/types.js").ValueSummary} ValueSummary
 * @typedef {import("../../core/view_types.js").ValueWindow} ValueWindow
 * @typedef {import("../../core/tensor/window_source.js").Request} Request
 * @typedef {{picture: import("../../drawing/camera.js").Size, coarse: Request,
 *   load: (request: Request, signal: AbortSignal) => Promise<ValueWindow>, known: (request: Request) => ValueWindow|undefined}} Windows
 */

const SUMMARIES = 400;
/** A coarse window has up to a quarter of a megabyte. */
const WINDOWS = 32;

/** @type {AnswerCache<ValueSummary>} */
const summaries = new AnswerCache(SUMMARIES, { asksAgain: true });
/** @type {AnswerCache<ValueWindow>} */
const windows = new AnswerCache(WINDOWS, { asksAgain: true });

/** @param {string} key @param {string} address @returns {ValueSummary|undefined} */
export const knownSummary = (key, address) => summaries.get(`${key} ${address}`);

/** @param {string} key @param {string} address @returns {Promise<ValueSummary>} */
export const fetchSummary = (key, address) => summaries.fetch(`${key} ${address}`, () => valueSummary(key, address));

/** The windows of a slice of a value; the coarse one is kept. @param {string} key @param {ValueSummary} summary @param {import("./settings.js").Layout} layout @returns {Windows} */
export function windowsOf(key, summary, { slice, fold }) {
  const { picture, coarse, load } = fold > 0 ? folded(key, summary, slice, fold) : flat(key, summary, slice);
  const name = `${key} ${summary.address} ${sliceKey(slice)} ${fold}`;
  const isCoarse = (/** @type {Request} */ { level, from, size }) =>
    level === coarse.level && String(from) === String(coarse.from) && String(size) === String(coarse.size);
  return {
    picture,
    coarse,
    load: (request, signal) =>
      isCoarse(request) ? windows.fetch(name, () => load(request, undefined)) : load(request, signal),
    known: (request) => (isCoarse(request) ? windows.get(name) : undefined),
  };
}

/** Fetch the coarse window of a picture before it is asked for. @param {Windows} windows @returns {Promise<unknown>} */
export const fetchCoarse = ({ coarse, load }) => load(coarse, new AbortController().signal);

/** @param {string} key @param {ValueSummary} summary @param {import("../../core/tensor/axes.js").Slice} slice */
function flat(key, summary, slice) {
  const { rows, columns, at } = slice;
  const [height, width] = pictureSize(slice, summary.shape);
  const picture = { height, width };
  const load = (/** @type {Request} */ { level, from, size }, /** @type {AbortSignal|undefined} */ signal) =>
    valueWindow(key, summary.address, { rows, columns, at, from, size, level }, signal);
  return { picture, coarse: coarseRequest(picture), load };
}

/** A vector comes whole and is folded here. @param {string} key @param {ValueSummary} summary @param {import("../../core/tensor/axes.js").Slice} slice @param {number} fold */
function folded(key, summary, { rows, columns, at }, fold) {
  const picture = foldedSize(summary.count, fold);
  /** @type {Request} */
  const coarse = { level: 0, from: [0, 0], size: [picture.height, picture.width] };
  const load = async (/** @type {Request} */ _request, /** @type {AbortSignal|undefined} */ signal) => {
    /** @type {Request} */
    const whole = { level: 0, from: [0, 0], size: [1, summary.count] };
    return foldWindow(await valueWindow(key, summary.address, { rows, columns, at, ...whole }, signal), fold);
  };
  return { picture, coarse, load };
}
