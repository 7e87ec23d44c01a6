/** The debugger's page: panes around splitters. */
import { signal } from "@preact/signals";
import { html, render } from "htm/preact";
import { goToIn, goToStart, pause } from "../actions.js";
import { COMMANDS } from "../commands.js";
import { tell } from "../console.js";
import { rememberSession } from "../home/recents.js";
import { listenToKeys } from "../keys.js";
import { BreakpointsPanel } from "../panels/breakpoints.js";
import { CallStackPanel } from "../panels/call_stack.js";
import { FeedDialog } from "../panels/grid/feed_dialog.js";
import { ConsolePanel } from "../panels/console.js";
import { InputsDialog } from "../panels/inputs.js";
import { ProgramPanel } from "../panels/program.js";
import { StagePanel } from "../panels/stage.js";
import { StepsPanel } from "../panels/steps.js";
import { TimelinePanel } from "../panels/timeline.js";
import { Toolbar } from "../panels/toolbar.js";
import { VariablesPanel } from "../panels/variables.js";
import { keepSaved, momentAddress, openSession } from "../session.js";
import * as store from "../store.js";
import { Dialog } from "../ui/dialog.js";
import { KeyTable } from "../ui/key_table.js";
import { Splitter, paneSize } from "../ui/splitter.js";
import { Tabs } from "../ui/tabs.js";
import { turnTexts } from "../run/turns.js";
import { pageData } from "./common.js";

const room = () => window.innerWidth;
const sizes = {
  program: paneSize("program", Math.round(room() * 0.5), 280, () => room() * 0.7),
  inspector: paneSize("inspector", Math.min(360, Math.round(room() * 0.25)), 220, () => room() * 0.45),
  console: paneSize("console", 112, 56, () => window.innerHeight * 0.5),
};

/** In a narrow window one pane is shown at a time. */
const pane = signal("program");
const inspectorTab = signal("state");

function App() {
  return html`<${Toolbar} />
    ${store.lineProblem.value && html`<div class="offline" role="status">${store.lineProblem.value}</div>`}
    ${store.waiting.value !== null && html`<${InTurn} />`}
    ${store.pending.value !== null && html`<${Busy} />`}
    <${Tabs} label="Panes" class="tabs pane-tabs" tabs=${PANES} chosen=${pane.value} panel="main" choose=${(/** @type {string} */ id) => (pane.value = id)} />
    <main class="columns" id="main" tabindex="-1" data-pane=${pane.value}>
      <section class="pane program" aria-label="Program" style=${{ width: `${sizes.program.size.value}px` }}><${ProgramPanel} /></section>
      <${Splitter} label="Width of the program" pane=${sizes.program} grows="right" />
      <section class="pane stage" aria-label="Stage"><${StagePanel} /></section>
      <${Splitter} label="Width of the inspector" pane=${sizes.inspector} grows="left" />
      <section class="pane inspector" aria-label="Inspector" style=${{ width: `${sizes.inspector.size.value}px` }}><${Inspector} /></section>
    </main>
    <${TimelinePanel} />
    <${Splitter} label="Height of the console" pane=${sizes.console} grows="up" />
    <section class="bottom" aria-label="Console" style=${{ height: `${sizes.console.size.value}px` }}>
      <${ConsolePanel} /></section>
    <${Dialogs} />`;
}

const PANES = [{ id: "program", title: "Program" }, { id: "stage", title: "Stage" }, { id: "inspector", title: "Inspector" }];

function Busy() {
  return html`<div class="busy" role="status"><progress aria-label="In progress"></progress><span>${store.pending.value}</span>
    <button class="plain" onClick=${pause}>Pause</button></div>`;
}

/** What one waits for behind others, and that nothing has to be done. */
function InTurn() {
  const [before, who] = turnTexts(store.waiting.value ?? 0);
  return html`<div class="busy in-turn" role="status"><progress aria-label="Waiting for a worker"></progress>
    <span><strong>${before}</strong>${who} All workers of this server are taken just now.</span></div>`;
}

/** The page before there is a session to show. */
function Opening() {
  if (store.waiting.value === null) return html`<p class="empty" role="status">Opening the session …</p>`;
  return html`<${InTurn} /><p class="empty">${store.sessionName.value} is kept: one can close this page and come back.</p>`;
}

function Inspector() {
  const tabs = [{ id: "state", title: "State" }, { id: "steps", title: "Steps" }];
  return html`<div class="pane-head"><${Tabs} label="Inspector" tabs=${tabs} chosen=${inspectorTab.value} panel="inspector"
      choose=${(/** @type {string} */ id) => (inspectorTab.value = id)} /></div>
    <div class="fill" id="inspector" role="tabpanel" aria-labelledby=${`inspector-${inspectorTab.value}`}>
      ${inspectorTab.value === "steps" ? html`<${StepsPanel} />` : html`<${VariablesPanel} /><${CallStackPanel} /><${BreakpointsPanel} />`}
    </div>`;
}

function Dialogs() {
  const close = () => (store.dialog.value = null);
  if (store.dialog.value === "feed") return html`<${FeedDialog} />`;
  if (store.dialog.value === "inputs") return html`<${InputsDialog} />`;
  if (store.dialog.value === "keys") return html`<${Dialog} title="Keys" close=${close}><${KeyTable} /><p><a href="/help">Help on all panels</a></p><//>`;
  if (store.dialog.value === "share") return html`<${Dialog} title="Link to this step" close=${close}>
    <p>Whoever opens it sees this step of this run.</p><input readonly aria-label="Link" value=${momentAddress().href} onFocus=${selectAll} /><//>`;
  return null;
}

/** @param {Event} event */
function selectAll(event) {
  /** @type {HTMLInputElement} */ (event.currentTarget).select();
}

async function start() {
  const root = document.getElementById("app");
  if (!root) return;
  root.replaceChildren();
  render(html`<${Opening} />`, root);
  const { step, process } = await openSession(pageData().session);
  rememberSession(store.sessionId.value, store.sessionName.value);
  render(html`<${App} />`, root);
  document.title = `${store.sessionName.value || "program"} · hloscope`;
  listenToKeys(COMMANDS);
  keepSaved();
  if (store.run.value === null) return;
  if (step !== null) await goToIn(process, step);
  else await goToStart();
}

/** Nothing could be opened: say why where the page would be. @param {unknown} error */
function cannotStart(error) {
  tell(error);
  const note = document.createElement("p");
  note.className = "empty";
  note.setAttribute("role", "alert");
  note.textContent = `The session could not be opened. ${error instanceof Error ? error.message : ""}`;
  document.getElementById("app")?.replaceChildren(note);
}

start().catch(cannotStart);
