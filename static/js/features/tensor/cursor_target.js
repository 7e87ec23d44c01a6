/** An element to go to: views that show many processes lead to one element of the copy that a process has. */
import { signal } from "@preact/signals";
import { showProcess } from "../../core/actions.js";
import { parseAddress } from "../../core/addresses.js";
import * as store from "../../core/store.js";
import { chooseValue, showTab } from "../../core/view_actions.js";
import { layoutOf, mode, setLayout } from "./settings.js";

/** @typedef {{process: number, value: number, path: string, index: number[]}} CursorTarget */

/** Where the tensor view's cursor shall be as soon as that value is drawn. */
export const cursorTarget = signal(/** @type {CursorTarget|null} */ (null));

/** Show an element of the selected value, as a process has it, in the tensor view. @param {number} process @param {number[]} index @param {number[]} shape of the value in that process */
export function openElement(process, index, shape) {
  const selected = store.selectedValue.value;
  if (!selected) return;
  // The op that is current in the other process may be another one.
  openElementOf(selected, process, index, shape);
  showProcess(process);
}

/** Show an element of a value in the tensor view, once the process is shown. @param {{value: number, name: string, path: number[]}} of @param {number} process @param {number[]} index @param {number[]} shape */
export function openElementOf({ value, name, path }, process, index, shape) {
  const layout = layoutOf(`${value} ${name}`, shape);
  setLayout(`${value} ${name}`, { ...layout, slice: { ...layout.slice, at: index } });
  mode.value = "picture";
  chooseValue(value, path);
  cursorTarget.value = { process, value, path: path.join(), index };
  showTab("tensor");
}

/** Move the cursor to an element of the value that is shown. @param {import("../../core/view_types.js").SelectedValue} selected @param {number[]} index */
export function aimAt({ value, path, address }, index) {
  cursorTarget.value = { process: parseAddress(address).process, value, path: path.join(), index };
}

/** Row and column of an element in the picture of a value. @param {number[]} index @param {import("./settings.js").Layout} layout @returns {{row: number, column: number}} */
export function placeInPicture(index, { slice, fold }) {
  const along = (/** @type {number} */ axis) => (axis < 0 ? 0 : (index[axis] ?? 0));
  if (fold > 0) return { row: Math.floor(along(slice.columns) / fold), column: along(slice.columns) % fold };
  return { row: along(slice.rows), column: along(slice.columns) };
}

/** The wanted element, where `selected` is the value that it is of; it is wanted no more then. @param {import("../../core/view_types.js").SelectedValue} selected @returns {number[]|null} */
export function takeCursorTarget({ value, path, address }) {
  const wanted = cursorTarget.value;
  if (
    !wanted ||
    wanted.value !== value ||
    wanted.path !== path.join() ||
    parseAddress(address).process !== wanted.process
  )
    return null;
  cursorTarget.value = null;
  return wanted.index;
}
