/** Views of values that move together: the same elements are marked, and values of one shape show the same part. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { placeInPicture } from "./cursor_target.js";
import { elementIn } from "./readout.js";
/** @import {Layout} from "../../core/tensor/axes.js" */
/** @import {HeatMap, Place} from "../../drawing/heat_map.js" */

/** @typedef {{current: HeatMap|null}} View */

/** The element under the pointer or at the cursor of one of the views. */
export const pointed = signal(/** @type {{index: number[], shape: readonly number[], by: View}|null} */ (null));

/** The views, with the shapes of their values. @type {Map<View, readonly number[]>} */
const views = new Map();

/** The element of another value at the same indices: of the same shape, or of its leading dimensions; else null. @param {readonly number[]} index @param {readonly number[]} shape of the pointed value @param {readonly number[]} own @returns {number[]|null} */
export const sameElement = (index, shape, own) =>
  own.every((size, axis) => size === shape[axis]) ? index.slice(0, own.length) : null;

/** Whether a slice contains an element. @param {readonly number[]} index @param {Layout} layout */
export const isShown = (index, { slice, fold }) =>
  fold > 0 ||
  slice.planes !== undefined ||
  index.every((at, axis) => axis === slice.rows || axis === slice.columns || at === slice.at[axis]);

/** Link a heat map with the others. @param {View} map @param {readonly number[]} shape @param {Layout} layout @param {Place|null} place where its pointer or cursor is */
export function useLinked(map, shape, layout, place) {
  const name = shape.join();
  useEffect(() => {
    const first = [...views].find(([, other]) => other.join() === name)?.[0].current;
    views.set(map, shape);
    if (first && !first.fitted) map.current?.follow(first);
    if (map.current) map.current.looked = () => moveOthers(map, name);
    return () => {
      views.delete(map);
      if (pointed.value?.by === map) pointed.value = null;
    };
  }, [name]);
  useEffect(() => {
    if (place) pointed.value = { index: elementIn(layout, place), shape, by: map };
    else if (pointed.value?.by === map) pointed.value = null;
  }, [place]);
  const at = useElement(map, shape);
  const marked = at && isShown(at, layout) ? placeInPicture(at, layout) : null;
  useEffect(() => map.current?.markPlace(marked), [marked?.row, marked?.column]);
  return at;
}

/** The element of a value that another view points at. @param {View} map @param {readonly number[]} shape @returns {number[]|null} */
function useElement(map, shape) {
  const there = pointed.value;
  const last = useRef(/** @type {number[]|null} */ (null));
  const found = there && there.by !== map ? sameElement(there.index, there.shape, shape) : null;
  if (found?.join() !== last.current?.join()) last.current = found;
  return last.current;
}

/** @param {View} map @param {string} name its shape */
function moveOthers(map, name) {
  for (const [other, shape] of views)
    if (other !== map && shape.join() === name && map.current) other.current?.follow(map.current);
}
