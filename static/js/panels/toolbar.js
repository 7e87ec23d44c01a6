/** The toolbar: where one can go, where one is and why, and what concerns the whole page. */
import { html } from "htm/preact";
import { useRef } from "preact/hooks";
import { showProcess } from "../actions.js";
import { say } from "../console.js";
import { command } from "../commands.js";
import { moveTogether, TOGETHER_WORDS, whoMoves } from "../grid/together.js";
import { keysOf } from "../keys.js";
import { currentSentence } from "../run/stops.js";
import { momentAddress } from "../session.js";
import * as store from "../store.js";
import { Icon } from "../ui/icons.js";
import { presenter } from "../ui/preferences.js";
import { ThemeMenu } from "../ui/theme_menu.js";
import { FillQueue } from "./grid_queues.js";

/** Of the commands, those with a button: command, word on it, drawing, classes. */
const BUTTONS = [
  ["continue", "continue", "continue", "main"],
  ["over", "over", "over", "main"],
  ["into", "into", "into", "main"],
  ["out", "out", "out", "main"],
  ["back", "back", "back", "main"],
  ["backOver", "back over", "backOver", "spare"],
  ["reverseContinue", "reverse", "reverse", ""],
  ["wait", "to a wait", "wait", "several"],
  ["restart", "restart", "restart", "spare"],
  ["runToLine", "to line", "line", "spare"],
];

export function Toolbar() {
  const bar = useRef(/** @type {HTMLElement|null} */ (null));
  const onKey = (/** @type {KeyboardEvent} */ event) => rove(event, bar.current);
  return html`<header class="toolbar" ref=${bar}>
    <a class="brand" href="/" title="hloscope: opening page"><svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2z" /><path class="lit" d="M9 9h5v5H9z" /></svg><span class="hidden">hloscope</span></a>
    <div class="group steps" role="toolbar" aria-label="Stepping" onKeyDown=${onKey}>
      ${BUTTONS.filter(([, , , classes]) => classes !== "several" || store.grid.value).map(([id, word, icon, classes], i) => html`<${Step} id=${id} word=${word} icon=${icon} classes=${classes} first=${i === 0} />`)}
    </div>
    <span class="rule"></span>
    <${Where} />
    <${Processes} />
    <span class="rule"></span>
    <div class="group page">
      <button onClick=${share} title="Copy a link to this step"><${Icon} name="share" /><span class="name">share</span></button>
      <button aria-pressed=${presenter.value} onClick=${() => (presenter.value = !presenter.value)} title="Presenter mode: everything larger">
        <${Icon} name="presenter" /><span class="hidden">Presenter mode</span></button>
      <button onClick=${() => (store.dialog.value = "keys")} title="Keys and help"><${Icon} name="help" /><span class="hidden">Keys and help</span></button>
      <${ThemeMenu} />
    </div>
  </header>`;
}

/** Which process is shown, and who moves with it. */
function Processes() {
  store.gridVersion.value;
  const grid = store.grid.value;
  if (!grid) return html`<span class="process" title="process = (replica, partition)">process (0,0)</span>`;
  const field = (/** @type {Event} */ event) => /** @type {HTMLSelectElement} */ (event.currentTarget).value;
  const move = (/** @type {Event} */ event) => moveTogether(/** @type {"all"|"one"|"chosen"} */ (field(event)));
  const who = whoMoves();
  const chosen = typeof store.together.value === "object" ? store.together.value.size : 0;
  return html`<span class="processes"><label title="The process that all panels show: (replica, partition)"><span class="name">process</span>
      <select aria-label="Process" onChange=${(/** @type {Event} */ event) => showProcess(Number(field(event)))}>
        ${Array.from({ length: grid.processes }, (_, process) => html`<option value=${process} selected=${process === store.process.value}>${grid.nameOf(process)}</option>`)}</select></label>
    <select aria-label="Who steps" title=${TOGETHER_WORDS[who]} onChange=${move}>
      <option value="all" selected=${who === "all"}>all together</option><option value="one" selected=${who === "one"}>this process</option>
      <option value="chosen" selected=${who === "chosen"}>${chosen > 0 ? `the ${chosen} chosen` : "chosen ones"}</option></select></span>`;
}

/** @param {{id: string, word: string, icon: string, classes: string, first: boolean}} props */
function Step({ id, word, icon, classes, first }) {
  const { title, run } = command(id);
  const keys = keysOf(command(id));
  const off = store.program.value === null || unavailable(id);
  // Not `disabled`: the button that was just pressed must keep the focus.
  return html`<button class=${classes} aria-disabled=${off} aria-keyshortcuts=${keys.map(ariaKeys).join(" ")} aria-label=${title}
    title=${`${title} (${keys.join(", ")})`} tabindex=${first ? 0 : -1} onClick=${() => off || run()}>
    <${Icon} name=${icon} /><span class="name">${word}</span></button>`;
}

/** @param {string} keys @returns {string} */
const ariaKeys = (keys) => keys.replace("Ctrl", "Control");

/** @param {string} id @returns {boolean} */
function unavailable(id) {
  const at = store.position.value;
  const backwards = ["back", "backOver", "reverseContinue", "restart"].includes(id);
  if (backwards) return at === 0;
  store.outlineVersion.value;
  const { complete, last } = store.outline.value;
  return id !== "runToLine" && complete && at >= last;
}

/** One stop for Tab; arrows move inside. @param {KeyboardEvent} event @param {HTMLElement|null} bar */
function rove(event, bar) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const buttons = /** @type {HTMLButtonElement[]} */ ([...(bar?.querySelectorAll('[role="toolbar"] button') ?? [])])
    .filter((button) => button.offsetParent !== null);
  const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
  if (!by || at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const next = buttons[(at + by + buttons.length) % buttons.length];
  buttons.forEach((button) => (button.tabIndex = button === next ? 0 : -1));
  next?.focus();
}

function Where() {
  const { kind } = store.stop.value;
  const sentence = currentSentence.value;
  return html`<div class="where">
    <span class="count">${whereWords()}</span>
    <span class=${`reason at-${kind}`} title=${sentence}>${sentence}</span><${FillQueue} />
    <span class="hidden" role="status" aria-live="polite">${sentence}</span>
  </div>`;
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

async function share() {
  const link = momentAddress().href;
  try {
    await navigator.clipboard.writeText(link);
    say({ kind: "info", text: "The link to this step was copied." });
    store.stop.value = { kind: store.stop.value.kind, sentence: "The link to this step was copied." };
  } catch {
    store.dialog.value = "share";
  }
}
