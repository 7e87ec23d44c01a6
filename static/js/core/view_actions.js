/**
 * What one looks at and edits: the chosen value, the tab, the dialog, breakpoints, the text in the editor. Panels read
 * the store and change it by these functions and by those of actions.js, which move.
 */
import { batch } from "@preact/signals";
import * as store from "./store.js";

/** @param {number} line a line of the editor */
export function toggleBreakpoint(line) {
  const lines = store.breakpoints.value;
  const set = lines.includes(line) ? lines.filter((other) => other !== line) : [...lines, line];
  batch(() => {
    store.breakpoints.value = set.sort((a, b) => a - b);
    if (lines.includes(line)) limitBreakpoint(line, null);
  });
}

export function removeBreakpoints() {
  batch(() => {
    store.breakpoints.value = [];
    store.breakpointLimits.value = new Map();
  });
}

/** Only these processes stop there; null: all. @param {number} line @param {readonly number[]|null} processes */
export function limitBreakpoint(line, processes) {
  const limits = new Map(store.breakpointLimits.value);
  if (processes === null) limits.delete(line);
  else limits.set(line, processes);
  store.breakpointLimits.value = limits;
}

/** Panels that show whichever value is chosen; the grid does in every process, and the comparison in both runs. */
const SHOW_ANY_VALUE = new Set(["tensor", "index", "grid", "provenance", "compare"]);

/** Look at a value, or at an element of a tuple; null: follow the current op. @param {number|null} value @param {number[]} [path] */
export function chooseValue(value, path = []) {
  batch(() => {
    store.chosenValue.value = value;
    store.chosenPath.value = path;
  });
  if (value !== null && !store.panelsInFront.value.some((id) => SHOW_ANY_VALUE.has(id))) showTab("tensor");
}

/** Where the cursor of the tensor view is. @param {string} address @param {number[]|null} index null: nowhere */
export function standOn(address, index) {
  store.standing.value = index && { address, index };
}

/** Choose the inputs of the next run, from a row on. @param {import("./types.js").Argument|null} row */
export function chooseInputs(row) {
  batch(() => {
    store.inputsAt.value = row;
    store.dialog.value = "inputs";
  });
}

/** Bring a panel to the front, wherever it is. @param {string} id @param {boolean} [isBehind] in a narrow window behind the pane that is seen */
export function showTab(id, isBehind = false) {
  store.askedPanel.value = { id, isBehind };
}

/** The panel of the stage that came to the front. @param {string} id */
export function setStageTab(id) {
  store.stageTab.value = id;
}

/** @param {readonly string[]} ids the panels in front of their groups from now on */
export function setPanelsInFront(ids) {
  store.panelsInFront.value = ids;
}

/** Compare the shown run with another one. @param {number|null} run its number; null: the one before it */
export function compareWith(run) {
  batch(() => {
    store.comparedRun.value = run;
    store.comparedValues.value = null;
  });
}

/** Compare the shown run with the values of another one. @param {string} file as the server keeps it */
export function compareWithValues(file) {
  store.comparedValues.value = file;
}

/** @param {import("./store.js").DialogName} name */
export function openDialog(name) {
  store.dialog.value = name;
}

export function closeDialog() {
  batch(() => {
    store.dialog.value = null;
    store.inputsAt.value = null;
  });
}

/** Ask the provenance panel to follow elements, and show it. @param {import("./store.js").Followed} elements */
export function followElements(elements) {
  batch(() => {
    store.followed.value = elements;
    showTab("provenance");
  });
}

/** The provenance panel has taken what it was asked to follow. */
export function takeFollowed() {
  store.followed.value = null;
}

/** The text in the editor has changed. @param {{text: string, breakpoints: number[], limits: import("./run/saved_breakpoints.js").Limits, lineMap: typeof store.lineMap.value}} edited */
export function editDraft({ text, breakpoints, limits, lineMap }) {
  batch(() => {
    store.draft.value = text;
    store.breakpointLimits.value = limits;
    store.breakpoints.value = breakpoints;
    store.lineMap.value = lineMap;
  });
}

/** @param {typeof store.lineMap.value} lineMap between the lines of the draft and those of the run */
export function setLineMap(lineMap) {
  store.lineMap.value = lineMap;
}

/** What the server found in a text; nothing where the editor has another one by now. @param {string} text @param {import("./types.js").Diagnostic[]} diagnostics */
export function setFindings(text, diagnostics) {
  if (text === store.draft.value) store.diagnostics.value = diagnostics;
}

/** Whether positions fly by, because the clock of all processes runs. @param {boolean} hurried */
export function setHurried(hurried) {
  store.hurried.value = hurried;
}

/** Say something where the reason of the stop is shown. @param {string} sentence */
export function noteAtStop(sentence) {
  store.stop.value = { kind: store.stop.value.kind, sentence };
}
