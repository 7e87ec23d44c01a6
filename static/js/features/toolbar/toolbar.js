/** The toolbar: moves, the position and the reason of the stop, and page-wide actions. One row, one tab stop. */
import { countText, decimalText } from "../../core/tensor/elements.js";
import { computed } from "@preact/signals";
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { runProgram, showProcess } from "../../core/actions.js";
import { resultAddress } from "../../core/addresses.js";
import { command } from "../../core/commands.js";
import { chooseLockstep, LOCKSTEP_WORDS, lockstepMode } from "../../core/grid/lockstep.js";
import { isHidden } from "../../core/hidden_values.js";
import { keysOf } from "../../core/keys.js";
import { asSentence, say } from "../../core/messages.js";
import { canGoBack, canGoForward } from "../../core/places.js";
import { findingsAt } from "../../core/run/findings.js";
import { cancel, job } from "../../core/run/later_start.js";
import { shortName } from "../../core/run/op_names.js";
import { whyIdle } from "../../core/run/rest.js";
import { beginWords, currentSentence } from "../../core/run/stop_reasons.js";
import { previousInFrame } from "../../core/run/values.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { RecordRest } from "../../ui/record_rest.js";
import { giveStop, keepStop, rove } from "../../ui/roving.js";
import { arrivals, summary, thumbnail, withoutMean } from "../../ui/thumbnails.js";
import { FillQueue } from "../queues/panel.js";
import { SessionsMenu } from "../sessions/menu.js";
import { ReadOnlyNote } from "../share/read_only.js";
import { commandItem, LayoutMenu, ShareMenu, ViewMenu } from "./menus.js";

/** Commands with a button: command, label, icon. */
const BUTTONS = /** @type {const} */ ([
  ["continue", "continue"],
  ["over", "over"],
  ["into", "into"],
  ["out", "out"],
  ["back", "back"],
]);

/** Commands in the menu behind the buttons. */
const MORE = [
  "backOver",
  "reverseContinue",
  "wait",
  "restart",
  "runToLine",
  "placeBefore",
  "placeAfter",
  "recordRest",
  "pause",
];

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

/** Commands that need a server. */
const OF_SERVER = ["recordRest", "pause"];

/** @returns {import("../../ui/menu.js").MenuItem[]} */
function moreWays() {
  const ids = MORE.filter((id) => (id !== "wait" || store.grid.peek()) && !(isFile() && OF_SERVER.includes(id)));
  return ids.map((id) => ({ ...commandItem(id), off: isOff(id) || !!whyIdle(id), title: whyIdle(id) }));
}

/** The shown process, and the processes that step with it. */
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
  // Not `disabled`: the pressed button must keep the focus.
  return html`<button aria-disabled=${off} aria-keyshortcuts=${keys.map(ariaKeys).join(" ")} aria-label=${title}
    title=${`${title} (${keys.join(", ")})`} data-rove tabindex="-1" onClick=${() => off || run()}>
    <${Icon} name=${id} /><span class="name">${word}</span></button>`;
}

/** @param {string} keys @returns {string} */
const ariaKeys = (keys) => keys.replace("Ctrl", "Control");

/** @param {string} id @returns {boolean} */
const isOff = (id) => store.program.value === null || isPast(id);

/** Whether the target is the current position. @param {string} id @returns {boolean} */
function isPast(id) {
  if (id === "placeBefore" || id === "placeAfter") return !(id === "placeBefore" ? canGoBack : canGoForward).value;
  if (["back", "backOver", "reverseContinue", "restart"].includes(id)) return isAtBegin.value;
  return !["runToLine", "pause"].includes(id) && isAtEnd.value;
}

// Separate signals, so that buttons are rendered only when they change and not with each step.
const isAtBegin = computed(() => store.position.value === 0);
const isAtEnd = computed(() => {
  store.outlineVersion.value;
  const { complete, last } = store.outline.value;
  return complete && store.position.value >= last;
});

/** The button that opens the find box. */
function Search() {
  const found = command("find");
  const keys = keysOf(found);
  return html`<button class="search" data-rove tabindex="-1" aria-keyshortcuts=${keys.map(ariaKeys).join(" ")} aria-label=${found.title} title=${`${found.title} (${keys.join(", ")})`} onClick=${found.run}>
    <${Icon} name="search" /><span class="name">${keys[0]}</span></button>`;
}

function Where() {
  const { kind } = store.stop.value;
  const sentence = currentSentence.value;
  return html`<div class="where"><div class="now"><div class="said">
    <span class="what"><span class="count">${whereWords()}</span><${CurrentResult} /></span>
    <span class=${`reason at-${kind}`} title=${sentence}>${sentence}</span></div>
    <${LaterStart} /><${RecordRest} />${isFile() || html`<${FillQueue} />`}
    <span class="hidden" role="status" aria-live="polite">${sentence}</span>
  </div></div>`;
}

function CurrentResult() {
  const result = currentResult.value;
  if (result === null) return null;
  const { sentence, whole, isWrong, ahead } = result;
  return html`${ahead && html`<span class="ahead-word">will give</span>`}<span class=${`outcome${ahead ? " ahead" : ""}${isWrong ? " wrong" : ""}`} title=${whole}>${sentence}</span>`;
}

function whereWords() {
  if (store.run.value === null) return "no run";
  const of = countText(store.steps.value);
  store.outlineVersion.value;
  if (store.outline.value.done && store.position.value >= store.steps.value) return `end of ${of} steps`;
  const more = store.outline.value.complete ? "" : "+";
  return `step ${countText(store.position.value)} of ${of}${more}`;
}

/** The progress of XLA, for the shown run only. */
function LaterStart() {
  const going = job.value;
  if (going) {
    return html`<span class="later-start" role="status">XLA: ${going.doing}, ${decimalText(going.seconds, 0)} s
      <button class="plain" onClick=${() => void cancel()}>Cancel</button></span>`;
  }
  const start = store.run.value?.start;
  if (start?.whole) {
    return html`<span class="later-start"><button class="by" title=${start.note} disabled=${!start.note}
      onClick=${() => say({ kind: "info", text: asSentence(`computed by ${start.by}; ${start.note}`) })}>computed by ${start.by}</button></span>`;
  }
  const begin = store.program.value?.begin;
  if (!begin) return null;
  return html`<span class="later-start" title=${beginWords(begin)}>begins at line ${store.draftLine(begin.line)}
    ${isFile() || html`<button class="plain" title="Run the whole program, and record it from its first operation on" onClick=${() => void runProgram()}>From the beginning</button>`}</span>`;
}

/** The step of the current op; at the end of the run, its last step in the outermost frame. */
const shownStep = computed(() =>
  store.atPosition((outline, at) => (at < outline.steps ? at : previousInFrame(outline, at, outline.frame(0)))),
);

/** @typedef {{sentence: string, whole: string, isWrong: boolean, ahead: boolean}} Result whole: with the line and the op; ahead: the op is about to run */

/** @type {import("@preact/signals").ReadonlySignal<Result|null>} */
const currentResult = computed(() => {
  const step = shownStep.value;
  const op = step === null ? null : store.atPosition((outline, _at, program) => program.op(outline.op(step)));
  if (step === null || op === null) return null;
  if (isHidden(store.recordingKey.value ?? "", resultAddress(store.process.value, step, 0))) return null;
  const [worst] = findingsAt(store.process.value, step);
  const isWrong = worst?.finding.grade === "harmful";
  const [value] = op.results;
  const range = value === undefined ? "" : rangeOf(step);
  const ahead = step >= store.position.value;
  const found = worst && worst.finding.grade !== "neutral" ? worst.mark.words : "";
  const said = (ahead ? found.replace("became ", "") : found) || range; // behind "will give"
  if (said === "") return null;
  const name = value === undefined ? shortName(op) : store.program.value?.value(value).name;
  const whole = `Line ${store.draftLine(op.line)}, ${shortName(op)}: ${value === undefined ? "" : `${name}: `}${said}`;
  return { sentence: `${name}: ${said}`, whole: ahead ? `${whole} (the op is about to run)` : whole, isWrong, ahead };
});

/** The range of the first result, as the film strip shows it; empty until it is recorded and loaded. @param {number} step @returns {string} */
function rangeOf(step) {
  const key = store.recordingKey.value;
  if (key === null || step >= store.outline.value.steps) return "";
  arrivals.value; // the thumbnail may still be loading
  const info = thumbnail(key, resultAddress(store.process.value, step, 0));
  return info ? withoutMean(summary(info).range) : "";
}
