/** Go to the positions that a lesson names, and test whether the page is there. */
import { arriveInRun, goToIn } from "../../core/actions.js";
import { reportError } from "../../core/messages.js";
import { showRun } from "../../core/session.js";
import * as store from "../../core/store.js";
import { chooseValue } from "../../core/view_actions.js";
import { chosenExecution } from "../grid/state.js";
import { restoreView } from "../sessions/current.js";
/** @import {LessonPlace as Place} from "../../core/types.js" */

/** Each move cancels the previous one, which may still wait for another run. */
let way = 0;

/** The place shown last. @type {Place|null} */
let shown = null;

/** With the first step from there, the picture follows the steps again, unless the reader has chosen a value. */
export function leavePlace() {
  const [step, value] = [store.position.value, store.chosenValue.value];
  if (shown === null || value !== shown.value) return void (shown = null);
  if (step === shown.step || store.run.value?.number !== shown.run) return;
  shown = null;
  if (value !== null) chooseValue(null);
}

/** Go there; in a narrow window the lesson stays in front. @param {Place|null} place null: stay */
export const enterPlace = (place) => go(place, true);

/** Go there and show it. @param {Place} place */
export const showPlace = (place) => go(place, false);

/** @param {Place|null} place @param {boolean} isBehind */
async function go(place, isBehind) {
  const mine = ++way;
  if (place === null) return;
  try {
    if (place.run !== store.run.peek()?.number) {
      await showRun(place.run);
      if (mine !== way) return;
      arriveInRun();
    }
    await goToIn(place.process, place.step);
    look(place, isBehind);
    shown = place;
  } catch (error) {
    reportError(error);
  }
}

/** The panel of the last look, whose drawer would cover the next picture. */
let lastTab = "";

/** Show a place; the reader's own drawers stay open until a button asks for a picture. @param {Place} place @param {boolean} isBehind */
function look({ tab, value, path, element }, isBehind) {
  if (value === null) chooseValue(null);
  chosenExecution.value = null; // a collective that the reader chose is another place
  const shown = tab ?? (value === null ? "program" : store.stageTab.peek());
  const covering = isBehind ? [lastTab] : store.panelsInFront.peek();
  lastTab = shown;
  restoreView({ tab: shown, value, path, element }, isBehind, covering);
}

/** Whether the page is at the position and shows its value in its panel. @param {Place} place @returns {boolean} */
export const isAt = ({ run, process, step, value, tab }) =>
  store.run.value?.number === run &&
  store.process.value === process &&
  store.position.value === step &&
  (value === null || store.selectedValue.value?.value === value) &&
  (tab === null || store.panelsInFront.value.includes(tab));
