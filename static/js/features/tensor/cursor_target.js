/** An element to go to: views of several processes link to one element of the copy of a process. */
import { signal } from "@preact/signals";
import { showProcess } from "../../core/actions.js";
import { parseAddress } from "../../core/addresses.js";
import * as store from "../../core/store.js";
import { heldAxes, placeInPlanes } from "../../core/tensor/axes.js";
import { chooseValue, showTab, standOn } from "../../core/view_actions.js";
import { mode } from "./settings.js";
/** @import {Layout} from "../../core/tensor/axes.js" */
/** @import {SelectedValue} from "../../core/view_types.js" */

/** @typedef {{process: number, value: number, path: string, index: number[]}} CursorTarget */
/** @typedef {{row: number, column: number}} Place */

/** The target of the tensor view's cursor, once that value is drawn. */
export const cursorTarget = signal(/** @type {CursorTarget|null} */ (null));

/** Show an element of a process's copy of the selected value in the tensor view. @param {number} process @param {number[]} index */
export function openElement(process, index) {
  const selected = store.selectedValue.value;
  if (!selected) return;
  // The current op of the other process may differ.
  openElementOf(selected, process, index);
  showProcess(process);
}

/** Show an element of a value in the tensor view, once the process is shown. @param {{value: number, path: number[]}} of @param {number} process @param {number[]} index */
export function openElementOf({ value, path }, process, index) {
  mode.value = "picture";
  chooseValue(value, path);
  cursorTarget.value = { process, value, path: path.join(), index };
  showTab("tensor");
}

/** Move the cursor to an element of the shown value. @param {{value: number, path: number[], address: string}} selected @param {number[]} index */
export function aimAt({ value, path, address }, index) {
  cursorTarget.value = { process: parseAddress(address).process, value, path: path.join(), index };
  // The tensor view may be hidden; the panels that follow its cursor are not.
  standOn(address, index);
}

/** Row and column of an element in the picture of a value. @param {number[]} index @param {Pick<Layout, "slice"|"fold">} layout @returns {Place} */
export function placeInPicture(index, { slice, fold }) {
  const along = (/** @type {number} */ axis) => (axis < 0 ? 0 : (index[axis] ?? 0));
  if (fold > 0) return { row: Math.floor(along(slice.columns) / fold), column: along(slice.columns) % fold };
  if (slice.planes) return placeInPlanes(slice, index);
  return { row: along(slice.rows), column: along(slice.columns) };
}

/**
 * The position of the target if it belongs to `selected`, which clears it. While another slice is shown it stays,
 * until the slice of the element is shown.
 *
 * @param {SelectedValue} selected @param {Layout} layout @param {(layout: Layout) => void} change @returns {Place|null}
 */
export function takeCursorTarget({ value, path, address }, layout, change) {
  const wanted = cursorTarget.value;
  if (
    !wanted ||
    wanted.value !== value ||
    wanted.path !== path.join() ||
    parseAddress(address).process !== wanted.process
  )
    return null;
  const { slice } = layout;
  const at = slice.at.map((index, axis) => wanted.index[axis] ?? index);
  if (heldAxes(slice).some((axis) => at[axis] !== slice.at[axis])) {
    change({ ...layout, slice: { ...slice, at } });
    return null;
  }
  cursorTarget.value = null;
  return placeInPicture(wanted.index, layout);
}
