/** The open session's view: the one in its address, or the last one. */
import { batch, effect } from "@preact/signals";
import { addressQuery, lookOf } from "../../core/position_url.js";
import * as store from "../../core/store.js";
import { chooseValue, showTab, standOn } from "../../core/view_actions.js";
import { aimAt } from "../tensor/cursor_target.js";

/** @typedef {import("./recents.js").View & {element?: number[]|null}} LinkedView element: that the cursor stands on */

/** The view in the address, if it has more than the step. @returns {LinkedView|null} */
export function linkedView() {
  const look = lookOf(addressQuery());
  return look && { run: store.run.value?.number ?? 0, process: 0, ...look };
}

/** Restore a view. @param {Omit<LinkedView, "run"|"process">} view @param {boolean} [isBehind] as `showTab` takes it @param {readonly string[]} [covering] */
export function restoreView({ tab, value, path, element = null }, isBehind = false, covering = []) {
  batch(() => {
    if (value !== null && store.program.value?.values[value] !== undefined) chooseValue(value, path);
    showTab(tab, isBehind, covering);
  });
  if (element) aimOnceShown(element);
}

/**
 * Put the cursor on an element as soon as its value is shown, which may still be loading. Panels that follow the cursor need
 * not wait for the tensor view. @param {number[]} element @param {string} [address] of the value; default: the next shown
 */
export function aimOnceShown(element, address) {
  const end = effect(() => {
    const shown = store.selectedValue.value;
    if (shown === null || (address && shown.address !== address)) return;
    aimAt(shown, element);
    standOn(shown.address, element);
    queueMicrotask(() => end());
  });
}
