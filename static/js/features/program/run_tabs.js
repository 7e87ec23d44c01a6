/** The runs of the session as tabs: one goes back to the one before, and keeps its values. */
import { html } from "htm/preact";
import { arriveInRun } from "../../core/actions.js";
import { reportError } from "../../core/messages.js";
import { showRun } from "../../core/session.js";
import * as store from "../../core/store.js";
import { Tabs } from "../../ui/tabs.js";
import { lesson } from "../lesson/state.js";

/** @returns {import("preact").VNode|null} */
export function RunTabs() {
  const shown = store.run.value?.number;
  if (store.runs.value.length < 2 || shown === undefined) return null;
  const tabs = [...store.runs.value]
    .sort((a, b) => a.number - b.number)
    .map(({ number }) => ({ id: String(number), title: nameOf(number) }));
  return html`<${Tabs} label="Runs" class="tabs runs" tabs=${tabs} chosen=${String(shown)} panel="panel-program" choose=${choose} />`;
}

/** A lesson has a name for each of its programs. @param {number} number @returns {string} */
const nameOf = (number) => lesson.value?.programs[number - 1] ?? `run ${number}`;

/** @param {string} number */
async function choose(number) {
  try {
    await showRun(Number(number));
    arriveInRun();
  } catch (error) {
    reportError(error);
  }
}
