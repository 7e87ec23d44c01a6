/** Keeps the page and the kernel of its cell at one place: the step, the process, the value that is shown and its element. */
import { effect } from "@preact/signals";
import { goToIn } from "../../core/actions.js";
import { elementAtCursor } from "../../core/position_url.js";
import * as store from "../../core/store.js";
import { restoreView } from "../sessions/current.js";

/** @typedef {import("../../core/kernel_source.js").Place} Place */

const AFTER_MS = 120;

/** What the page has heard or said last: who hears it does not say it again. */
let known = "";

/** Go where the kernel's code is. @param {Place} place */
export async function goToPlace(place) {
  known = JSON.stringify(place);
  const { position, process, selection } = place;
  if (position !== store.position.value || process !== store.process.value) await goToIn(process, position);
  if (selection === null || selection.address === shown()?.address) return aim(selection?.element ?? null);
  const { value, path = [], element } = selection;
  restoreView({ run: 0, process, tab: "tensor", value, path, element });
}

/** @param {number[]|null} element */
function aim(element) {
  if (element && element.join() !== elementAtCursor()?.join())
    restoreView({ run: 0, process: 0, tab: "tensor", value: null, path: [], element });
}

/** Say where the page is, a moment after the last change. @param {(place: Place) => void} say */
export function keepPlaceSaid(say) {
  let timer = 0;
  effect(() => {
    const place = placeNow();
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (JSON.stringify(place) === known) return;
      known = JSON.stringify(place);
      say(place);
    }, AFTER_MS);
  });
}

const shown = () => store.selectedValue.value;

/** @returns {Place} */
function placeNow() {
  const value = shown();
  const element = elementAtCursor();
  const selection = value && {
    name: value.name,
    address: value.address,
    element,
    value: value.value,
    ...(value.path.length > 0 ? { path: value.path } : {}),
  };
  return { position: store.position.value, process: store.process.value, selection };
}
