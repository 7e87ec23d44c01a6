/** An element to go to: views that show many processes lead to one element of the copy that a process has. */
import { signal } from "@preact/signals";
import { chooseValue, showProcess } from "../actions.js";
import { layoutOf, mode, setLayout } from "../panels/tensor/settings.js";
import * as store from "../store.js";

/** @typedef {{process: number, value: number, path: string, index: number[]}} WantedElement */

/** Where the tensor view's cursor shall be as soon as that value is drawn. */
export const wantedElement = signal(/** @type {WantedElement|null} */ (null));

/** Show an element of the selected value, as a process has it, in the tensor view. @param {number} process @param {number[]} index @param {number[]} shape of the value in that process */
export function openElement(process, index, shape) {
  const selected = store.selectedValue.value;
  if (!selected) return;
  const { value, name, path } = selected;
  const layout = layoutOf(`${value} ${name}`, shape);
  setLayout(`${value} ${name}`, { ...layout, slice: { ...layout.slice, at: index } });
  mode.value = "picture";
  // The op that is current in the other process may be another one.
  chooseValue(value, path);
  showProcess(process);
  wantedElement.value = { process, value, path: path.join(), index };
  store.stageTab.value = "tensor";
}

/** Row and column of an element in the picture of a value. @param {number[]} index @param {import("../panels/tensor/settings.js").Layout} layout @returns {{row: number, column: number}} */
export function placeInPicture(index, { slice, fold }) {
  const along = (/** @type {number} */ axis) => (axis < 0 ? 0 : (index[axis] ?? 0));
  if (fold > 0) return { row: Math.floor(along(slice.columns) / fold), column: along(slice.columns) % fold };
  return { row: along(slice.rows), column: along(slice.columns) };
}

/** The wanted element, where `selected` is the value that it is of; it is wanted no more then. @param {import("../types.js").SelectedValue} selected @returns {number[]|null} */
export function takeWanted({ value, path, address }) {
  const wanted = wantedElement.value;
  if (!wanted || wanted.value !== value || wanted.path !== path.join() || !address.startsWith(`${wanted.process}.`)) return null;
  wantedElement.value = null;
  return wanted.index;
}
