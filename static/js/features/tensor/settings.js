/** Display settings: signals for those of all values; axes and slices are stored per value. */
import { signal } from "@preact/signals";
import { canFold, fittingSlice, foldWidth } from "../../core/tensor/axes.js";
import { hasOtherOrder } from "../../core/tensor/memory_layout.js";
import { keepLast } from "../../core/kept.js";
/** @import {Layout} from "../../core/tensor/axes.js" */

/**
 * @typedef {{map: "auto"|import("../../drawing/colour_maps.js").MapName, bins: import("../../drawing/paint.js").Bins,
 *   part: import("../../drawing/scale.js").Part} & import("../../drawing/scale.js").ScaleChoice} Look
 */

/** Minimum length of vectors that are folded initially. */
const LONGEST_STRIP = 128;
const KEPT = 500;

export const look = signal(
  /** @type {Look} */ ({ map: "auto", shape: "auto", range: "auto", low: -1, high: 1, bins: "mean", part: "abs" }),
);

export const mode = signal(/** @type {"picture"|"numbers"|"image"} */ ("picture"));

/** Logical or physical order of the dimensions, for values with a known memory layout. */
export const order = signal(/** @type {"logical"|"physical"} */ ("logical"));

export function toggleOrder() {
  order.value = order.value === "logical" ? "physical" : "logical";
}

/** Whether a key press in a view of a value switches its order. @param {KeyboardEvent} event @param {import("../../core/types.js").ValueSummary} summary @returns {boolean} */
export const turnsOrder = ({ key, altKey, ctrlKey, metaKey }, { layout, shape }) =>
  key.toLowerCase() === "o" && !altKey && !ctrlKey && !metaKey && hasOtherOrder(layout, shape);

/** The axes of a value from major to minor in physical order; null in logical order. @param {import("../../core/types.js").ValueSummary} summary @returns {number[]|null} */
export const axesInMemory = ({ layout, shape }) =>
  layout && order.value === "physical" && hasOtherOrder(layout, shape) ? layout.majorToMinor : null;

/** Whether all statistics are shown, on as many lines as they need. */
export const statisticsOpen = signal(false);

/** Whether the controls of the colours are open. */
export const coloursOpen = signal(false);

/** @type {Map<string, Layout>} */
const layouts = new Map();
/** Grows when a layout is changed. */
export const layoutVersion = signal(0);

/** The layout of a value: the chosen one, as far as it fits. @param {string} name @param {number[]} shape @param {number[]|null} [axes] in another order than from 0 @returns {Layout} */
export function layoutOf(name, shape, axes = null) {
  layoutVersion.value;
  const kept = layouts.get(name);
  const slice = fittingSlice(kept?.slice, shape, axes);
  const count = shape.length === 1 ? (shape[0] ?? 0) : 0;
  if (!canFold(count)) return { slice, fold: 0 };
  const fold = kept ? kept.fold : count > LONGEST_STRIP ? foldWidth(count) : 0;
  return { slice, fold: Math.min(fold, count) };
}

/** @param {string} name @param {Layout} layout */
export function setLayout(name, layout) {
  keepLast(layouts, name, layout, KEPT);
  layoutVersion.value++;
}
