/**
 * What the tensor view shows beside and instead of the selected value: pinned values of any step, process, run or file,
 * and the difference to one of them.
 *
 * @typedef {{id: number, key: string, selected: SelectedValue, where: string}} Pin  where: step, process and run, in words
 * @typedef {{kind: "difference", pin: Pin, measure: Measure}|{kind: "lost"}} Shown
 */
import { countText } from "./elements.js";
import { batch, signal } from "@preact/signals";
import { sendFile, sessionPath } from "../api.js";
import {
  arrayAddress,
  arrayAt,
  differenceAddress,
  expressionAddress,
  isComputed,
  lostAddress,
  parseAddress,
} from "../addresses.js";
import { say } from "../messages.js";
import * as store from "../store.js";
import { showTab } from "../view_actions.js";
/** @import {Measure} from "../addresses.js" */
/** @import {UploadedFile} from "../types.js" */
/** @import {SelectedValue} from "../view_types.js" */

/** Maximum number of pinned values. */
const MOST_PINS = 6;

/** @type {[Measure, string][]} */
export const MEASURES = [
  ["signed", "Difference"],
  ["absolute", "Absolute difference"],
  ["relative", "Relative difference"],
  ["ulps", "Units in the last place"],
];

export const pins = signal(/** @type {readonly Pin[]} */ ([]));

/** What is shown instead of the selected value, at every step; null: the value itself. */
export const shownInstead = signal(/** @type {Shown|null} */ (null));

let count = 0;

/** Keep a value in the tensor view, beside the selected one. @param {string} key of its recording @param {SelectedValue} selected @returns {Pin|null} null if there is no room */
export function pinValue(key, selected) {
  const already = pins.value.find((pin) => pin.key === key && pin.selected.address === selected.address);
  if (already) return already;
  if (pins.value.length >= MOST_PINS) {
    say({ kind: "info", text: `Up to ${MOST_PINS} values are pinned at a time. Unpin one first.` });
    return null;
  }
  const [id, run, grid] = [++count, store.run.value?.number, store.grid.value];
  const pin = {
    ...{ id, key, selected },
    // A second run may come later.
    get where() {
      return whereOf(selected.address, grid, store.runs.value.length > 1 ? `run ${run}` : "");
    },
  };
  pins.value = [...pins.value, pin];
  return pin;
}

/** @param {Pin} pin */
export function unpin(pin) {
  batch(() => {
    pins.value = pins.value.filter((other) => other !== pin);
    if (shownInstead.value?.kind === "difference" && shownInstead.value.pin === pin) shownInstead.value = null;
  });
}

/** Pin the result of an expression, and show it. @param {string} key @param {{process: number, step: number}} place @param {string} text */
export function pinExpression(key, { process, step }, text) {
  const address = expressionAddress(process, step, text);
  if (pinValue(key, computed(address, text))) showTab("tensor");
}

/** Show the selected value minus a pinned one. @param {Pin} pin @param {Measure} [measure] */
export function subtract(pin, measure = "signed") {
  shownInstead.value = { kind: "difference", pin, measure };
}

/** Upload a file, and list its arrays. @param {File} file @returns {Promise<UploadedFile>} */
export const uploadArrays = (file) => sendFile(`${sessionPath(store.sessionId.value)}/files`, file);

/** Pin an array of an uploaded file. @param {string} key of the recording that it is compared with @param {string} file @param {string} name @param {string} [shown] */
export const pinArray = (key, file, name, shown = name) => pinValue(key, computed(arrayAddress(file, name), shown));

/** @param {string} address @param {string} name @returns {SelectedValue} */
const computed = (address, name) => ({
  ...{ address, name, value: -1 - ++count, path: [], type: "", shape: null, elementType: null },
  when: "now",
});

/** What the tensor view draws of the selected value. @param {SelectedValue} selected @param {Shown|null} shown @returns {SelectedValue} */
export function drawnOf(selected, shown) {
  if (shown === null || isComputed(selected.address)) return selected;
  if (shown.kind === "lost")
    return { ...selected, value: LOST - selected.value, address: lostAddress(selected.address), type: "" };
  const { pin, measure } = shown;
  const array = arrayAt(pin.selected.address);
  const otherAddress = array?.otherAddress ?? pin.selected.address;
  const other = array?.other ?? pin.key;
  const address = differenceAddress({ measure, address: selected.address, other, otherAddress });
  const place = MEASURES.findIndex(([name]) => name === measure);
  return {
    ...selected,
    name: `${selected.name} − ${bracketed(pin.selected.name)}`,
    value: -1 - (pin.id * MEASURES.length + place),
    path: [],
    address,
  };
}

/** An expression in brackets; names have no blanks. @param {string} name */
const bracketed = (name) => (name.includes(" ") ? `(${name})` : name);

/** The lost digits of value n have the number LOST - n, which no value of the program has: they have their own colours and axes. */
const LOST = -1_000_000;

/** @param {string} address @param {import("../grid/record.js").GridRecord|null} grid @param {string} run @returns {string} */
function whereOf(address, grid, run) {
  if (arrayAt(address)) return "from a file";
  const { process, step } = parseAddress(address);
  const at = step === null ? "an argument" : `step ${countText(step)}`;
  return [at, grid && grid.nameOf(process), run].filter(Boolean).join(", ");
}
