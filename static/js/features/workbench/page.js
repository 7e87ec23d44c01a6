/** The debugger's page, with a server or in a file: the toolbar, the dock with all panels, the status line. */
import { signal } from "@preact/signals";
import { html, render } from "htm/preact";
import { goToIn, goToStart } from "../../core/actions.js";
import { nameOf } from "../../core/navigation.js";
import { listenToKeys } from "../../core/keys.js";
import { reportError } from "../../core/messages.js";
import { afterPaint } from "../../core/later.js";
import { forAudience, presenter } from "../../core/preferences.js";
import { keepSaved, openSession } from "../../core/session.js";
import { keepRest } from "../../core/run/rest.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { closeDialog } from "../../core/view_actions.js";
import { availableCommands, provideCommands } from "../../core/commands.js";
import { COMMANDS } from "./commands.js";
import { KeyTable } from "./key_table.js";
import { openConsoleOnErrors, StatusLine } from "../console/status_line.js";
import { InputsDialog } from "../inputs/dialog.js";
import { Dropped } from "../home/dropped.js";
import { FindBox } from "../find/find_box.js";
import { ValuesBox } from "../find/values_box.js";
import { Dock } from "../layout/dock.js";
import { allPanels } from "../layout/panels.js";
import { addPluginPanels } from "../plugins/plugin_panels.js";
import { isNarrow, openLayout, pane, panels, showPanel } from "../layout/state.js";
import { focusPanel } from "../layout/walk.js";
import { DarkScreen, Pointer, PresenterBar } from "../presenting/bar.js";
import { listenWhilePresenting } from "../presenting/keys.js";
import { preparePrinting } from "../printing/printed.js";
import { lesson } from "../lesson/state.js";
import { WayBack } from "../lesson/way_back.js";
import { beginGivenLesson, openGivenLesson } from "../lesson/opening.js";
import { enterRoom, isOver, Room, RoomDialogs, roomOfPage } from "../room/page.js";
import { ShareDialog } from "../share/dialog.js";
import { FeedDialog } from "../queues/feed_dialog.js";
import { linkedView, restoreView } from "../sessions/current.js";
import { keepInRecents, rememberedView } from "../sessions/kept_view.js";
import { SavePage } from "../toolbar/save_page.js";
import { Toolbar } from "../toolbar/toolbar.js";
import { Dialog } from "../../ui/dialog.js";
import { Tabs } from "../../ui/tabs.js";
import { Busy, InTurn, Verifying } from "./turn.js";
/** @import {GivenLesson} from "../lesson/opening.js" */

function App() {
  return html`${!forAudience.value && (presenter.value ? html`<${PresenterBar} />` : html`<${Toolbar} />`)}<${Room} /><${WayBack} />
    ${store.lineProblem.value && !isOver() && html`<div class="offline" role="status">${store.lineProblem.value}</div>`}
    ${store.waiting.value !== null && html`<${InTurn} />`}
    ${store.verifying.value !== null && html`<${Verifying} />`}
    ${store.pending.value !== null && html`<${Busy} />`}
    ${isNarrow.value && !presenter.value && html`<${Panes} />`}
    <main id="main" tabindex="-1"><${Dock} /></main>
    ${!presenter.value && html`<${StatusLine} />`}
    <${Dialogs} />${isFile() || store.readOnly.value || html`<${Dropped} />`}<${RoomDialogs} /><${Pointer} /><${DarkScreen} />`;
}

/** A narrow window shows one pane at a time. */
const PANES = ["Program", "Stage", "Inspector"].map((title, at) => ({ id: String(at), title }));
/** A lesson comes first. */
const LESSON_PANE = { id: String(PANES.length), title: "Lesson" };

function Panes() {
  return html`<${Tabs} label="Panes" class="tabs pane-tabs" tabs=${lesson.value ? [LESSON_PANE, ...PANES] : PANES} chosen=${String(pane.value)} panel="main"
    choose=${(/** @type {string} */ at) => (pane.value = Number(at))} />`;
}

/** Whether there is something to show. */
const isOpen = signal(false);

function Page() {
  return isOpen.value ? html`<${App} />` : html`<${Opening} />`;
}

/** The page before a session is loaded. */
function Opening() {
  if (store.waiting.value === null) return html`<p class="empty" role="status">Opening the session…</p>`;
  return html`<${InTurn} /><p class="empty">${store.sessionName.value} is saved: you can close this page and come back.</p>`;
}

function Dialogs() {
  const uses = `uses ${store.sought.value ? nameOf(store.sought.value) : ""}`;
  const begins = /** @type {Record<string, string>} */ ({ find: store.findText.value, commands: ">", uses })[
    store.dialog.value ?? ""
  ];
  if (begins !== undefined) return html`<${FindBox} begins=${begins} />`;
  if (store.dialog.value === "values") return html`<${ValuesBox} />`;
  if (store.dialog.value === "feed") return html`<${FeedDialog} />`;
  if (store.dialog.value === "inputs") return html`<${InputsDialog} />`;
  if (store.dialog.value === "keys")
    return html`<${Dialog} title="Keys and help" close=${closeDialog}>${isFile() || html`<p><a href="/help" target="_blank">Help on all panels</a></p>`}<${KeyTable} /><//>`;
  if (store.dialog.value === "page") return html`<${SavePage} />`;
  if (store.dialog.value === "share") return html`<${ShareDialog} />`;
  return null;
}

/** The panels, once there is a text. */
function show() {
  if (isOpen.value) return;
  if (lesson.peek()) showLesson();
  else
    openLayout(
      allPanels().filter(({ dock }) => dock !== "lesson"),
      isFile() || rememberedView() === null,
    );
  provideCommands([...COMMANDS, ...panels.peek().map(showCommand)]);
  openConsoleOnErrors();
  isOpen.value = true;
}

/** @param {import("../layout/panels.js").Panel} panel @returns {import("../../core/commands.js").Command} */
const showCommand = ({ id, title, exists }) => ({
  id: `show-${id}`,
  title: `Show ${title}`,
  keys: [],
  exists,
  run() {
    showPanel(id);
    afterPaint(() => focusPanel(id));
  },
});

/** Beside the lesson. */
function showLesson() {
  openLayout(allPanels(), true, "lesson-layout");
  pane.value = Number(LESSON_PANE.id);
}

provideCommands(COMMANDS);

/** Render a session. @param {string} id @param {GivenLesson} given @param {import("../room/page.js").PageData} place */
async function start(id, given, place) {
  const root = document.getElementById("app");
  if (!root) return;
  root.replaceChildren();
  render(html`<${Page} />`, root);
  const room = roomOfPage(place);
  const obeyKeys = holdKeys();
  await openGivenLesson(given);
  const { step, process } = await openSession(id, show);
  const view = linkedView() ?? (isFile() || lesson.peek() || room ? null : rememberedView());
  show();
  document.title = `${(lesson.peek()?.title ?? store.sessionName.value) || "program"} · hloscope`;
  listenWhilePresenting();
  preparePrinting();
  keepSaved();
  keepRest();
  const hasRun = store.run.value !== null;
  if (hasRun) {
    if (step !== null) await goToIn(process ?? view?.process ?? 0, step);
    else await goToStart();
    if (view) restoreView(view, lesson.peek() !== null);
  }
  listenToKeys(availableCommands);
  obeyKeys?.();
  if (!hasRun) return remember();
  beginGivenLesson();
  enterRoom(room);
  if (!room) remember();
}

/** Files, lessons and rooms are not in the list of recent sessions. */
function remember() {
  if (!isFile() && !lesson.peek()) keepInRecents();
}

/** Show why the session could not be opened. @param {unknown} error */
function cannotStart(error) {
  reportError(error);
  const note = document.createElement("p");
  note.className = "empty";
  note.setAttribute("role", "alert");
  note.textContent = `The session could not be opened. ${error instanceof Error ? error.message : ""}`;
  document.getElementById("app")?.replaceChildren(note);
}

/** Fill the page with a session, or show why it cannot be opened. @param {string} id @param {GivenLesson} [given] a lesson about it, or its name @param {import("../room/page.js").PageData} [place] a room that follows it @param {readonly import("../plugins/plugin_panels.js").PluginPanel[]} [plugins] @returns {Promise<void>} */
export function openWorkbench(id, given = null, place = {}, plugins = []) {
  addPluginPanels(plugins);
  return start(id, given, place).catch(cannotStart);
}

/** The queue for a worker, in words. */

/** Hold the commands of keys from now on. @returns {() => void} ends that, and runs what was held, in its order */
function holdKeys() {
  const held = /** @type {(() => void)[]} */ ([]);
  const hold = (/** @type {() => void} */ run) => () => void held.push(run);
  const listenNoMore = listenToKeys(() =>
    availableCommands().map((command) => ({ ...command, run: hold(command.run) })),
  );
  return () => {
    listenNoMore();
    for (const run of held) run();
  };
}
