/** The debugger's page without a server: as a file that contains the recording (core/one_file), or in a cell of a notebook. */
import { effect } from "@preact/signals";
import { goToIn } from "../core/actions.js";
import "../core/idle.js";
import { cellAround, isInCell, kernelSource } from "../core/kernel_source.js";
import { contentsOfPage, fileSource } from "../core/one_file/file_source.js";
import { hasPart } from "../core/one_file/parts.js";
import { elementAtCursor } from "../core/position_url.js";
import { applyPreferences, theme } from "../core/preferences.js";
import { readFrom } from "../core/source.js";
import * as store from "../core/store.js";
import { aimOnceShown, restoreView } from "../features/sessions/current.js";
import { openWorkbench } from "../features/workbench/page.js";
import "../theme.js";
/** @import {Place} from "../core/kernel_source.js" */

async function start() {
  applyPreferences();
  if (isInCell() && !hasPart("session")) return startInCell();
  const contents = await contentsOfPage();
  readFrom(fileSource(contents));
  const [lesson] = Object.values(contents.lessons ?? {});
  await openWorkbench(contents.session.id, lesson?.name ?? null);
}

async function startInCell() {
  const { port, place, theme: around } = await cellAround();
  theme.value = around;
  readFrom(kernelSource(port, (asked) => void goToPlace(asked)));
  await openWorkbench("file");
  await goToPlace(place);
  keepPlaceSaid((now) => port.postMessage({ kind: "place", place: now }));
}

const AFTER_MS = 120;

/** The last position that was sent or received; a received one is not sent back. */
let known = "";

/** Go to the position of the kernel's code. @param {Place} place */
async function goToPlace(place) {
  known = JSON.stringify(place);
  const { position, process, selection } = place;
  if (position !== store.position.value || process !== store.process.value) await goToIn(process, position);
  if (selection === null) return;
  const { value, path = [], element, address } = selection;
  if (address === shown()?.address && (!element || element.join() === elementAtCursor()?.join())) return;
  restoreView({ tab: "tensor", value, path });
  if (element) aimOnceShown(element, address);
}

/** Send the position of the page, shortly after the last change. @param {(place: Place) => void} say */
function keepPlaceSaid(say) {
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

start().catch((error) => {
  document.getElementById("app")?.replaceChildren(`This page cannot be opened. ${error.message}`);
});
