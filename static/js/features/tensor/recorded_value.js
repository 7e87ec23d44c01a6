/** Loads the summary of a value and the windows of its picture. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { sliceKey } from "../../core/tensor/axes.js";
import { WindowSource } from "../../core/tensor/window_source.js";
import { useResource } from "../../ui/resource.js";
import { fetchSummary, knownSummary, windowsOf } from "../../core/tensor/known_values.js";
/** @import {Summary} from "../../core/api.js" */
/** @import {SelectedValue} from "../../core/view_types.js" */

/** @typedef {{key: string, selected: SelectedValue, summary: Summary}} Known */

/**
 * The value and its summary. The previous value stays while the next summary is loading.
 *
 * @param {string} key @param {SelectedValue} selected
 * @returns {{known: Known|null, error: unknown, retry: () => void}}
 */
export function useSummary(key, selected) {
  const question = `${key} ${selected.address}`;
  const of = (/** @type {Summary} */ summary) => ({ key, selected, summary });
  const here = knownSummary(key, selected.address);
  const load = async () => of(await fetchSummary(key, selected.address));
  const { value, error, isLoading, retry } = useResource(question, load, { known: { get: () => here && of(here) } });
  const before = useRef(/** @type {Known|null} */ (null));
  const fresh = value && value.key === key && value.selected.address === selected.address;
  if (fresh) before.current = value;
  return { known: fresh ? { ...value, selected } : before.current, error: isLoading ? null : error, retry };
}

/**
 * The windows of the shown slice.
 *
 * @param {Known} known @param {import("../../core/tensor/axes.js").Layout} layout
 * @returns {{source: WindowSource, arrived: {current: () => void}}} `arrived.current` is called after each window
 */
export function useSource({ key, summary }, { slice, fold }) {
  const arrived = useRef(() => {});
  const name = `${key} ${summary.address} ${sliceKey(slice)} ${fold}`;
  const source = useMemo(() => sourceOf(windowsOf(key, summary, { slice, fold }), () => arrived.current()), [name]);
  useEffect(() => () => source.close(), [source]);
  return { source, arrived };
}

/** @param {import("../../core/tensor/known_values.js").Windows} windows @param {() => void} arrived */
const sourceOf = ({ picture, coarse, load, known }, arrived) =>
  new WindowSource(picture, load, arrived, { known, coarse });
