/** The toolbar: where one can go, where one is and why, and what concerns the whole page. One row, one stop for Tab. */
import { computed } from "@preact/signals";
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { showProcess } from "../../core/actions.js";
import { chooseLockstep, LOCKSTEP_WORDS, lockstepMode } from "../../core/grid/lockstep.js";
import { keysOf } from "../../core/keys.js";
import { currentSentence } from "../../core/run/stop_reasons.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { giveStop, keepStop, rove } from "../../ui/roving.js";
import { command } from "../../core/commands.js";
import { FillQueue } from "../queues/panel.js";
import { SessionsMenu } from "../sessions/menu.js";
import { ReadOnlyNote } from "../share/read_only.js";
import { commandItem, LayoutMenu, ShareMenu, ViewMenu } from "./menus.js";
import { LaterStart } from "./later_start.js";
import { RecordRest } from "../../ui/record_rest.js";
import { currentResult } from "./current_result.js";

/** Of the commands, those with a button: command, word on it, drawing. */
const BUTTONS = /** @type {const} */ ([
  ["continue", "continue"],
  ["over", "over"],
  ["into", "into"],
  ["out", "out"],
  ["back", "back"],
]);

/** Those in the menu behind the buttons. */
const MORE = ["backOver", "reverseContinue", "wait", "restart", "runToLine", "recordRest", "pause"];

export function Toolbar() {
  const bar = useRef(/** @type {HTMLElement|null} */ (null));
  useLayoutEffect(() => giveStop(bar.current));
  return html`<header class="toolbar" role="toolbar" aria-label="Tools" ref=${bar} onKeyDown=${rove} onFocusIn=${keepStop}>
    ${isFile() ? html`<span class="brand" title="hloscope"><${Mark} /></span>` : html`<a class="brand" href="/" title="hloscope: opening page" data-rove tabindex="-1"><${Mark} /></a><${SessionsMenu} />`}
    <div class="group steps" role="group" aria-label="Stepping">
      ${BUTTONS.map(([id, word]) => html`<${Step} id=${id} word=${word} />`)}
      <${Menu} label="More ways to step" content=${html`<span class="arrow" aria-hidden="true">▾</span>`} items=${moreWays} rove=${true} />
    </div>
    <span class="rule"></span>
    <${Where} />
    <${Processes} />
    <span class="rule"></span>
    <div class="group page"><${ReadOnlyNote} /><${Search} /><${ShareMenu} /><${LayoutMenu} /><${ViewMenu} /></div>
  </header>`;
}

function Mark() {
  return html`<svg class="mark" viewBox="0 0 16 16" aria-hidden="true"><path d="M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2z" /><path class="lit" d="M9 9h5v5H9z" /></svg><span class="hidden">hloscope</span>`;
}

/** What a page that is a file cannot do. */
const OF_SERVER = ["recordRest", "pause"];

/** @returns {import("../../ui/menu.js").MenuItem[]} */
function moreWays() {
  const ids = MORE.filter((id) => (id !== "wait" || store.grid.peek()) && !(isFile() && OF_SERVER.includes(id)));
  return ids.map((id) => ({ ...commandItem(id), off: isOff(id) }));
}

/** Which process is shown, and who moves with it. */
function Processes() {
  store.gridVersion.value;
  const grid = store.grid.value;
  if (!grid) return null;
  const field = (/** @type {Event} */ event) => /** @type {HTMLSelectElement} */ (event.currentTarget).value;
  const move = (/** @type {Event} */ event) => chooseLockstep(/** @type {"all"|"one"|"chosen"} */ (field(event)));
  const who = lockstepMode();
  const chosen = typeof store.lockstep.value === "object" ? store.lockstep.value.size : 0;
  return html`<span class="processes"><label title="The selected process, which all panels show: (replica, partition)"><span class="name">process</span>
      <select aria-label="Process" onChange=${(/** @type {Event} */ event) => showProcess(Number(field(event)))}>
        ${Array.from({ length: grid.processes }, (_, process) => html`<option value=${process} selected=${process === store.process.value}>${grid.nameOf(process)}</option>`)}</select></label>
    <select aria-label="Processes that step" title=${LOCKSTEP_WORDS[who]} onChange=${move}>
      <option value="all" selected=${who === "all"}>all in lockstep</option><option value="one" selected=${who === "one"}>this process</option>
      <option value="chosen" selected=${who === "chosen"}>${chosen > 0 ? `the ${chosen} chosen` : "chosen ones"}</option></select></span>`;
}

/** @param {{id: "continue"|"over"|"into"|"out"|"back", word: string}} props */
function Step({ id, word }) {
  const { title, run } = command(id);
  const keys = keysOf(command(id));
  const off = isOff(id);
  // Not `disabled`: the button that was just pressed must keep the focus.
  return html`<button aria-disabled=${off} aria-keyshortcuts=${keys.map(ariaKeys).join(" ")} aria-label=${title}
    title=${`${title} (${keys.join(", ")})`} data-rove tabindex="-1" onClick=${() => off || run()}>
    <${Icon} name=${id} /><span class="name">${word}</span></button>`;
}

/** @param {string} keys @returns {string} */
const ariaKeys = (keys) => keys.replace("Ctrl", "Control");

/** @param {string} id @returns {boolean} */
const isOff = (id) => store.program.value === null || isPast(id);

/** Whether it leads to where one is already. @param {string} id @returns {boolean} */
function isPast(id) {
  if (["back", "backOver", "reverseContinue", "restart"].includes(id)) return isAtBegin.value;
  return !["runToLine", "pause"].includes(id) && isAtEnd.value;
}

// Signals of their own, so that buttons are drawn anew where they are switched and not with each step.
const isAtBegin = computed(() => store.position.value === 0);
const isAtEnd = computed(() => {
  store.outlineVersion.value;
  const { complete, last } = store.outline.value;
  return complete && store.position.value >= last;
});

/** Finds anything: a box that opens by its key. */
function Search() {
  const found = command("find");
  const keys = keysOf(found);
  return html`<button class="search" data-rove tabindex="-1" aria-keyshortcuts=${keys.map(ariaKeys).join(" ")} aria-label=${found.title} title=${`${found.title} (${keys.join(", ")})`} onClick=${found.run}>
    <${Icon} name="search" /><span class="name">${keys[0]}</span></button>`;
}

function Where() {
  const { kind } = store.stop.value;
  const sentence = currentSentence.value;
  return html`<div class="where"><div class="now">
    <span class="count">${whereWords()}</span><${LaterStart} /><${RecordRest} /><${CurrentResult} />
    <span class=${`reason at-${kind}`} title=${sentence}>${sentence}</span>${isFile() || html`<${FillQueue} />`}
    <span class="hidden" role="status" aria-live="polite">${sentence}</span>
  </div></div>`;
}

function CurrentResult() {
  const result = currentResult.value;
  if (result === null) return null;
  const { sentence, whole, isWrong } = result;
  return html`<span class=${isWrong ? "outcome wrong" : "outcome"} title=${whole}>${sentence}</span>`;
}

/** @returns {string} */
function whereWords() {
  if (store.run.value === null) return "no run";
  const of = store.steps.value.toLocaleString("en");
  store.outlineVersion.value;
  if (store.outline.value.done && store.position.value >= store.steps.value) return `end of ${of} steps`;
  const more = store.outline.value.complete ? "" : "+";
  return `step ${store.position.value.toLocaleString("en")} of ${of}${more}`;
}
