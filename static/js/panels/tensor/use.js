/** What the tensor panel fetches: the summary of a value, and the windows of a picture of it. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { valueSummary, valueWindow } from "../../api.js";
import { pictureSize, sliceKey } from "../../tensor/axes.js";
import { folded, foldedSize } from "../../tensor/fold.js";
import { WindowSource } from "../../tensor/source.js";

/**
 * @typedef {import("../../types.js").SelectedValue} SelectedValue
 * @typedef {import("../../types.js").ValueSummary} ValueSummary
 * @typedef {{key: string, selected: SelectedValue, summary: ValueSummary}} Known
 */

/**
 * The value and what is known of it. While the next value's summary is on its way, the one before stays.
 *
 * @param {string} key @param {SelectedValue} selected
 * @returns {{known: Known|null, error: unknown, retry: () => void}}
 */
export function useSummary(key, selected) {
  const [known, setKnown] = useState(/** @type {Known|null} */ (null));
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setError(null);
    valueSummary(key, selected.address, stop.signal).then(
      (summary) => setKnown({ key, selected, summary }),
      (reason) => stop.signal.aborted || setError(reason));
    return () => stop.abort();
  }, [key, selected.address, attempt]);
  const fresh = known && known.key === key && known.selected.address === selected.address;
  return { known: fresh ? { ...known, selected } : known, error, retry: () => setAttempt(attempt + 1) };
}

/**
 * The windows of the slice that is shown.
 *
 * @param {Known} known @param {import("./settings.js").Layout} layout
 * @returns {{source: WindowSource, arrived: {current: () => void}}} `arrived.current` is called after each window
 */
export function useSource({ key, summary }, { slice, fold }) {
  const arrived = useRef(() => {});
  const name = `${key} ${summary.address} ${sliceKey(slice)} ${fold}`;
  const source = useMemo(() => sourceOf(key, summary, { slice, fold }, () => arrived.current()), [name]);
  useEffect(() => () => source.close(), [source]);
  return { source, arrived };
}

/** @param {string} key @param {ValueSummary} summary @param {import("./settings.js").Layout} layout @param {() => void} arrived */
function sourceOf(key, summary, { slice, fold }, arrived) {
  const { rows, columns, at } = slice;
  if (fold > 0) return foldedSource(key, summary, slice, fold, arrived);
  const [height, width] = pictureSize(slice, summary.shape);
  return new WindowSource({ height, width }, ({ level, from, size }, signal) =>
    valueWindow(key, summary.address, { rows, columns, at, from, size, level }, signal), arrived);
}

/** A vector comes whole and is folded here. @param {string} key @param {ValueSummary} summary @param {import("../../tensor/axes.js").Slice} slice @param {number} fold @param {() => void} arrived */
function foldedSource(key, summary, { rows, columns, at }, fold, arrived) {
  const picture = foldedSize(summary.count, fold);
  const source = new WindowSource(picture, async (_request, signal) => {
    const view = { rows, columns, at, level: 0, from: /** @type {[number, number]} */ ([0, 0]), size: /** @type {[number, number]} */ ([1, summary.count]) };
    return folded(await valueWindow(key, summary.address, view, signal), fold);
  }, arrived);
  source.coarse = { level: 0, from: [0, 0], size: [picture.height, picture.width] };
  return source;
}
