/**
 * Actions on what is shown and edited: the chosen value, the tab, the dialog, breakpoints, the text in the editor.
 * Panels change the store by these functions and by those of actions.js, which move the position.
 */
import { batch } from "@preact/signals";
import { afterPaint } from "./later.js";
import { changed, isOnLine, readBreakpoints } from "./run/breakpoints.js";
import * as store from "./store.js";
/** @import {BreakpointInfo} from "./types.js" */

/** The breakpoint on a line of the editor. @param {number} line @returns {BreakpointInfo|undefined} */
export const breakpointOn = (line) => store.breakpoints.value.find((point) => isOnLine(point) && point.at === line);

/** @param {number} line a line of the editor */
export function toggleBreakpoint(line) {
  const point = breakpointOn(line);
  if (point) removeBreakpoint(point);
  else addBreakpoint({ kind: "line", at: line });
}

/** @param {BreakpointInfo} point @returns {BreakpointInfo} the point, or the equal one that there is */
export function addBreakpoint(point) {
  const known = store.breakpoints.value.find((other) => JSON.stringify(other) === JSON.stringify(point));
  if (!known) store.breakpoints.value = readBreakpoints([...store.breakpoints.value, point]);
  return known ?? point;
}

/** @param {BreakpointInfo} point */
export function removeBreakpoint(point) {
  store.breakpoints.value = store.breakpoints.value.filter((other) => other !== point);
}

export function removeBreakpoints() {
  store.breakpoints.value = [];
}

/** @param {BreakpointInfo} point @param {Partial<BreakpointInfo>} changes */
export function changeBreakpoint(point, changes) {
  const after = changed(point, changes);
  batch(() => {
    store.breakpoints.value = store.breakpoints.value.map((other) => (other === point ? after : other));
    if (store.editedBreakpoint.value === point) store.editedBreakpoint.value = after;
  });
}

/** Edit the texts of a breakpoint in its panel; null: of none. @param {BreakpointInfo|null} point */
export function editBreakpoint(point) {
  store.editedBreakpoint.value = point;
  if (point) showTab("breakpoints");
}

/** Edit the condition of the breakpoint on a line, which is added if there is none. @param {number} line of the editor */
export function editCondition(line) {
  if (!breakpointOn(line)) toggleBreakpoint(line);
  editBreakpoint(breakpointOn(line) ?? null);
}

/** Panels that show any chosen value: the graph around it, the grid in every process, the comparison in both runs. */
const SHOW_ANY_VALUE = new Set(["tensor", "index", "graph", "grid", "provenance", "microscope", "compare"]);

/** Show a value, or an element of a tuple; null: follow the current op. @param {number|null} value @param {number[]} [path] */
export function chooseValue(value, path = []) {
  batch(() => {
    store.chosenValue.value = value;
    store.chosenPath.value = path;
  });
  if (value !== null && !store.panelsInFront.value.some((id) => SHOW_ANY_VALUE.has(id))) showTab("tensor");
}

/** An action that sets one signal. @template T @param {import("@preact/signals").Signal<T>} signal @returns {(value: T) => void} */
const setter = (signal) => (value) => void (signal.value = value);

/** Set the cursor of the tensor view. @param {string} address @param {number[]|null} index null: nowhere */
export function standOn(address, index) {
  store.standing.value = index && { address, index };
}

/** Show in the microscope how an element was made. @param {{address: string, value: number, path: number[]}} selected @param {number[]} index */
export function stepIntoElement({ address, value, path }, index) {
  batch(() => {
    if (store.selectedValue.value?.address !== address) chooseValue(value, path);
    standOn(address, index);
    store.isSteppedIn.value = true;
    showTab("microscope");
  });
}

/** Open the dialog of inputs at a row. @param {import("./types.js").Argument|null} row */
export function chooseInputs(row) {
  batch(() => {
    store.inputsAt.value = row;
    store.dialog.value = "inputs";
  });
}

/** Bring a panel to the front. @param {string} id @param {boolean} [isBehind] in a narrow window, behind the visible pane @param {readonly string[]} [covering] panels whose drawers close */
export function showTab(id, isBehind = false, covering = []) {
  store.askedPanel.value = { id, isBehind, covering };
}

/** Note which panel of the stage came to the front, which panels are at the front of their groups, and the first line of the program text in view. */
export const setStageTab = setter(store.stageTab);
export const setPanelsInFront = setter(store.panelsInFront);
export const setTopLine = setter(store.topLine);
/** Scroll the program text so that this line is the first in view; null: leave it. */
export const askTopLine = setter(store.askedTopLine);

/** Compare the shown run with another one. @param {number|null} run its number; null: the previous run */
export function compareWith(run) {
  batch(() => {
    store.comparedRun.value = run;
    store.comparedValues.value = null;
  });
}

/** Compare the shown run with a file of values, by its name on the server. */
export const compareWithValues = setter(store.comparedValues);

/** Whether the browser has closed the dialog, by Escape, which it tells the page a moment later. */
export const isLeft = () => store.dialog.peek() !== null && !document.querySelector("dialog:modal");

/** Open a dialog; one that is left ends first. @param {import("./store.js").DialogName} name */
export function openDialog(name) {
  if (!isLeft()) store.dialog.value = name;
  else {
    closeDialog();
    afterPaint(() => (store.dialog.value = name));
  }
}

/** Open the find box with a text. @param {string} text */
export function openFinder(text) {
  batch(() => {
    store.findText.value = text;
    store.dialog.value = "find";
  });
}

export function clearConsole() {
  store.consoleLines.value = [];
}

export function closeDialog() {
  batch(() => {
    store.dialog.value = null;
    store.findText.value = "";
    store.inputsAt.value = null;
  });
}

/** Show elements in the provenance panel. @param {import("./store.js").Followed} elements */
export function followElements(elements) {
  batch(() => {
    store.followed.value = elements;
    showTab("provenance");
  });
}

/** Clear the request that the provenance panel has taken. */
export function takeFollowed() {
  store.followed.value = null;
}

/** Set the text in the editor. @param {{text: string, breakpoints: readonly BreakpointInfo[], lineMap: typeof store.lineMap.value}} edited */
export function editDraft({ text, breakpoints, lineMap }) {
  batch(() => {
    store.draft.value = text;
    store.breakpoints.value = breakpoints;
    store.lineMap.value = lineMap;
  });
}

/** Map lines between the draft and the run. */
export const setLineMap = setter(store.lineMap);

/** Set the diagnostics of a text, unless the editor has another text by now. @param {string} text @param {import("./types.js").Diagnostic[]} diagnostics */
export function setFindings(text, diagnostics) {
  if (text === store.draft.value) store.diagnostics.value = diagnostics;
}

/** Set whether the clock of all processes runs. */
export const setHurried = setter(store.hurried);

/** Show a sentence in place of the reason for the stop. @param {string} sentence */
export function noteAtStop(sentence) {
  store.stop.value = { kind: store.stop.value.kind, sentence };
}
