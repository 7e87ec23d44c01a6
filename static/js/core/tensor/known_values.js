/**
 * Summaries and coarse windows of values that were shown or will be shown soon. Cached ones appear in the frame that
 * reads them.
 */
import { AnswerCache, gathered } from "../answers.js";
import { valueSummaries, valueSummary, valueWindow, valueWindows, windowName } from "../api.js";
import { foldWindow, foldedSize, pictureSize, sliceKey } from "./axes.js";
import { coarseRequest } from "./window_source.js";
/** @import {Summary} from "../api.js" */
/** @import {ValueWindow} from "../view_types.js" */
/** @import {Request} from "./window_source.js" */

/**
 * @typedef {{picture: import("../../drawing/camera.js").Size, coarse: Request,
 *   load: (request: Request, signal: AbortSignal) => Promise<ValueWindow>, known: (request: Request) => ValueWindow|undefined,
 *   isAsked: () => boolean, fetchAhead: () => Promise<unknown>}} Windows isAsked: whether the coarse window is cached or requested
 */

const SUMMARIES = 400;
/** A coarse window has up to 256 KiB. */
const WINDOWS = 96;
/** Prefetched values share requests. */
const TOGETHER = { pause: 0, most: 32 };

/** @type {AnswerCache<Summary>} */
const summaries = new AnswerCache(SUMMARIES, { asksAgain: true });
/** @type {AnswerCache<ValueWindow>} */
const windows = new AnswerCache(WINDOWS, { asksAgain: true });

/** @param {string} key @param {string} address @returns {Summary|undefined} */
export const knownSummary = (key, address) => summaries.get(`${key} ${address}`);

/** @param {string} key @param {string} address @returns {Promise<Summary>} */
export const fetchSummary = (key, address) => summaries.fetch(`${key} ${address}`, () => valueSummary(key, address));

/** Whether it is cached or requested. @param {string} key @param {string} address @returns {boolean} */
export const isSummaryAsked = (key, address) => summaries.has(`${key} ${address}`);

const summaryAhead = gathered(valueSummaries, TOGETHER);

/** The same as a prefetch, batched with others. @param {string} key @param {string} address @returns {Promise<Summary>} */
export const fetchSummaryAhead = (key, address) =>
  summaries.fetch(
    `${key} ${address}`,
    async () => (await summaryAhead(key, address)) ?? (await valueSummary(key, address)),
  );

const windowAhead = gathered(valueWindows, TOGETHER);

/** @typedef {(address: string, view: import("../api.js").View, signal?: AbortSignal) => Promise<ValueWindow>} Ask */

/** The windows of a slice of a value; the coarse one is cached. @param {string} key @param {Summary} summary @param {import("./axes.js").Layout} layout @returns {Windows} */
export function windowsOf(key, summary, { slice, fold }) {
  const { picture, coarse, load } = fold > 0 ? folded(summary, slice, fold) : flat(summary, slice);
  /** @type {Ask} */
  const ask = (address, view, signal) => valueWindow(key, address, view, signal);
  /** @type {Ask} */
  const askAhead = async (address, view) =>
    (view.planes ? null : await windowAhead(key, windowName(address, view))) ?? (await valueWindow(key, address, view));
  const name = `${key} ${summary.address} ${sliceKey(slice)} ${fold}`;
  const isCoarse = (/** @type {Request} */ { level, from, size }) =>
    level === coarse.level && String(from) === String(coarse.from) && String(size) === String(coarse.size);
  return {
    picture,
    coarse,
    load: (request, signal) =>
      isCoarse(request) ? windows.fetch(name, () => load(ask, request)) : load(ask, request, signal),
    known: (request) => (isCoarse(request) ? windows.get(name) : undefined),
    isAsked: () => windows.has(name),
    fetchAhead: () => windows.fetch(name, () => load(askAhead, coarse)),
  };
}

/** @param {Summary} summary @param {import("./axes.js").Slice} slice */
function flat(summary, slice) {
  const { rows, columns, at, planes } = slice;
  const [height, width] = pictureSize(slice, summary.shape);
  const picture = { height, width };
  const load = (
    /** @type {Ask} */ ask,
    /** @type {Request} */ { level, from, size },
    /** @type {AbortSignal|undefined} */ signal = undefined,
  ) => ask(summary.address, { rows, columns, at, from, size, level, planes }, signal);
  return { picture, coarse: coarseRequest(picture), load };
}

/** A vector arrives whole and is folded here. @param {Summary} summary @param {import("./axes.js").Slice} slice @param {number} fold */
function folded(summary, { rows, columns, at }, fold) {
  const picture = foldedSize(summary.count, fold);
  /** @type {Request} */
  const coarse = { level: 0, from: [0, 0], size: [picture.height, picture.width] };
  const load = async (
    /** @type {Ask} */ ask,
    /** @type {Request} */ _request,
    /** @type {AbortSignal|undefined} */ signal = undefined,
  ) => {
    /** @type {Request} */
    const whole = { level: 0, from: [0, 0], size: [1, summary.count] };
    return foldWindow(await ask(summary.address, { rows, columns, at, ...whole }, signal), fold);
  };
  return { picture, coarse, load };
}
