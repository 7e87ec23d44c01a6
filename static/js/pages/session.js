/** The debugger's page: the toolbar, the dock with all panels, a line at the foot. */
import { signal } from "@preact/signals";
import { html, render } from "htm/preact";
import { goToIn, goToStart, pause } from "../core/actions.js";
import { listenToKeys } from "../core/keys.js";
import { reportError } from "../core/messages.js";
import { cancelVerification, keepSaved, positionUrl, openSession } from "../core/session.js";
import * as store from "../core/store.js";
import { closeDialog } from "../core/view_actions.js";
import { COMMANDS } from "../features/commands/commands.js";
import { KeyTable } from "../features/commands/key_table.js";
import { openConsoleOnErrors, StatusLine } from "../features/console/status_line.js";
import { InputsDialog } from "../features/inputs/panel.js";
import { FindBox } from "../features/find/find_box.js";
import { ValuesBox } from "../features/find/values_box.js";
import { Dock } from "../features/layout/dock.js";
import { PANELS } from "../features/layout/panels.js";
import { isNarrow, openLayout, pane } from "../features/layout/state.js";
import { FeedDialog } from "../features/queues/feed_dialog.js";
import { keepInRecents, rememberedView, restoreView } from "../features/sessions/current.js";
import { Toolbar } from "../features/toolbar/panel.js";
import { Dialog } from "../ui/dialog.js";
import { Tabs } from "../ui/tabs.js";
import { pageData } from "./common.js";

function App() {
  return html`<${Toolbar} />
    ${store.lineProblem.value && html`<div class="offline" role="status">${store.lineProblem.value}</div>`}
    ${store.waiting.value !== null && html`<${InTurn} />`}
    ${store.verifying.value !== null && html`<${Verifying} />`}
    ${store.pending.value !== null && html`<${Busy} />`}
    ${isNarrow.value && html`<${Panes} />`}
    <main id="main" tabindex="-1"><${Dock} /></main>
    <${StatusLine} />
    <${Dialogs} />`;
}

/** In a narrow window one pane is shown at a time. */
const PANES = ["Program", "Stage", "Inspector"].map((title, at) => ({ id: String(at), title }));

function Panes() {
  return html`<${Tabs} label="Panes" class="tabs pane-tabs" tabs=${PANES} chosen=${String(pane.value)} panel="main"
    choose=${(/** @type {string} */ at) => (pane.value = Number(at))} />`;
}

function Busy() {
  return html`<div class="busy" role="status"><progress aria-label="In progress"></progress><span>${store.pending.value}</span>
    <button class="plain" onClick=${pause}>Pause</button></div>`;
}

/** How far the verification of a large program is; its text is here already. */
function Verifying() {
  const { line, lines } = store.verifying.value ?? { line: 0, lines: 1 };
  const of = `${lines.toLocaleString("en")} lines`;
  return html`<div class="busy"><progress aria-label="Verification" max=${lines} value=${line || undefined}></progress>
    <span>${line ? `Verifying: ${line.toLocaleString("en")} of ${of}` : `Reading ${of}`}</span><span class="hidden" role="status">Verifying the program: ${of}</span>
    <button class="plain" onClick=${cancelVerification}>Cancel</button></div>`;
}

/** What one waits for behind others, and that nothing has to be done. */
function InTurn() {
  const [before, who] = turnTexts(store.waiting.value ?? 0);
  return html`<div class="busy in-turn" role="status"><progress aria-label="Waiting for a worker"></progress>
    <span><strong>${before}</strong>${who} All workers of this server are busy.</span></div>`;
}

/** Whether there is something to show. */
const isOpen = signal(false);

function Page() {
  return isOpen.value ? html`<${App} />` : html`<${Opening} />`;
}

/** The page before there is a session to show. */
function Opening() {
  if (store.waiting.value === null) return html`<p class="empty" role="status">Opening the session …</p>`;
  return html`<${InTurn} /><p class="empty">${store.sessionName.value} is saved: you can close this page and come back.</p>`;
}

function Dialogs() {
  if (store.dialog.value === "find" || store.dialog.value === "commands")
    return html`<${FindBox} begins=${store.dialog.value === "find" ? "" : ">"} />`;
  if (store.dialog.value === "values") return html`<${ValuesBox} />`;
  if (store.dialog.value === "feed") return html`<${FeedDialog} />`;
  if (store.dialog.value === "inputs") return html`<${InputsDialog} />`;
  if (store.dialog.value === "keys")
    return html`<${Dialog} title="Keys" close=${closeDialog}><${KeyTable} /><p><a href="/help">Help on all panels</a></p><//>`;
  if (store.dialog.value === "share")
    return html`<${Dialog} title="Link to this step" close=${closeDialog}>
    <p>Anyone who opens it sees this step of this run.</p><input readonly aria-label="Link" value=${positionUrl().href} onFocus=${selectAll} /><//>`;
  return null;
}

/** @param {Event} event */
function selectAll(event) {
  /** @type {HTMLInputElement} */ (event.currentTarget).select();
}

/** The panels, once there is a text. */
function show() {
  if (isOpen.value) return;
  openLayout(PANELS, rememberedView() === null);
  openConsoleOnErrors();
  isOpen.value = true;
}

async function start() {
  const root = document.getElementById("app");
  if (!root) return;
  root.replaceChildren();
  render(html`<${Page} />`, root);
  const { step, process } = await openSession(pageData().session, show);
  const view = rememberedView();
  show();
  document.title = `${store.sessionName.value || "program"} · hloscope`;
  listenToKeys(COMMANDS);
  keepSaved();
  if (store.run.value === null) return keepInRecents();
  if (step !== null) await goToIn(process ?? view?.process ?? 0, step);
  else await goToStart();
  if (view) restoreView(view);
  keepInRecents();
}

/** Nothing could be opened: say why where the page would be. @param {unknown} error */
function cannotStart(error) {
  reportError(error);
  const note = document.createElement("p");
  note.className = "empty";
  note.setAttribute("role", "alert");
  note.textContent = `The session could not be opened. ${error instanceof Error ? error.message : ""}`;
  document.getElementById("app")?.replaceChildren(note);
}

// Not within the module's own evaluation: for each request the browser notes where it was made, and to find that
// place in a bundle's top level it parses the whole bundle once more.
Promise.resolve().then(start).catch(cannotStart);

/** The queue for a worker, in words. */

/** How many are before, and what of it. @param {number} before @returns {[string, string]} */
export function turnTexts(before) {
  if (before === 0) return ["Your session is next", " and continues by itself."];
  return [`${before.toLocaleString("en")} ahead of you`, "; your session continues by itself."];
}
