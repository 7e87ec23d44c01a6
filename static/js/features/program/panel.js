/** The program: the editor, with the title of the text and the Run button above it. */
import { computed, effect } from "@preact/signals";
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { arriveInRun, runProgram } from "../../core/actions.js";
import { command } from "../../core/commands.js";
import { atCursor, focusEditor, keepEditor, measureEditor } from "../../core/cursor.js";
import { keysOf } from "../../core/keys.js";
import { reportError } from "../../core/messages.js";
import { canGoBack, canGoForward } from "../../core/places.js";
import {
  density,
  presenter,
  sourceColours,
  toggleSourceColours,
  toggleWholeText,
  wholeText,
} from "../../core/preferences.js";
import { otherEngines, runOn } from "../../core/run/later_start.js";
import { showRun } from "../../core/session.js";
import * as store from "../../core/store.js";
import { chooseInputs, chooseValue, toggleBreakpoint } from "../../core/view_actions.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { Splitter } from "../../ui/splitter.js";
import { Tabs } from "../../ui/tabs.js";
import { addPanel } from "../layout/panels.js";
import { lesson } from "../lesson/state.js";
import { commandsAtCursor, createEditor, wrapLines } from "./editor.js";
import { setStripUnder } from "./film_strip.js";
import { chooseStripMode, STRIP_MODES, stripMode, stripPane } from "./strip_width.js";
import { keepInSync, onEditorUpdate } from "./sync.js";
import { watchSizes } from "../../ui/element_size.js";

addPanel({
  id: "program",
  title: "Program",
  dock: "program",
  order: 1,
  help: "program",
  Panel: ProgramPanel,
  Head: ProgramHead,
  keeps: true,
  focus: focusEditor,
  onReturn: measureEditor,
});

/** Beside the tab: the name of the program, its runs, and the Run button. */
export function ProgramHead() {
  return html`${!lesson.value && html`<h2 title=${store.sessionName.value}>${store.sessionName.value || "program"}</h2>`}
    ${store.changed.value && html`<span class="changed" title="The values beside the program are still those of the run shown.">changed since run ${store.run.value?.number}</span>`}
    <${RunTabs} /><span class="spring"></span>
    <span class="travel"><${Travel} id="placeBefore" icon="previous" can=${canGoBack} /><${Travel} id="placeAfter" icon="next" can=${canGoForward} /></span><${ProgramMenu} />
    ${!store.readOnly.value && html`<${RunButtons} />`}`;
}

/** A button through the places visited. @param {{id: string, icon: "previous"|"next", can: import("@preact/signals").ReadonlySignal<boolean>}} props */
function Travel({ id, icon, can }) {
  const { title, run } = command(id);
  return html`<button aria-disabled=${!can.value} aria-label=${title} title=${`${title} (${keysOf(command(id)).join(", ")})`} onClick=${run}><${Icon} name=${icon} /></button>`;
}

function RunButtons() {
  const isRandom = (store.run.value?.arguments ?? []).some(({ input }) => isDrawn(input));
  const title = isRandom
    ? "Random numbers stand for inputs that were not given: give your own"
    : "The inputs of the run";
  return html`<button title=${title} onClick=${() => chooseInputs(null)} disabled=${store.run.value === null}><${Icon} name="inputs" />${isRandom ? "Random inputs" : "Inputs"}</button>
    <button class="primary" title=${`Run the program (${keysOf(command("run")).join(", ")})`} onClick=${() => runProgram()}>Run</button>
    <${Menu} label="Run on" content=${html`<span class="arrow" aria-hidden="true">▾</span>`} items=${engineItems} />`;
}

/** The engines on which the program can run. @returns {import("../../ui/menu.js").MenuItem[]} */
const engineItems = () => [
  { text: "Run on" },
  { text: "hloscope", run: () => void runProgram() },
  { text: "XLA on the CPU", run: () => void runOn("xla") },
  ...otherEngines().map(({ name, devices }) => ({
    text: `XLA on the ${name.toUpperCase()}`,
    note: devices[0] ?? "",
    run: () => void runOn(name),
  })),
];

/** Whether random numbers stand for an input. @param {import("../../core/types.js").InputSpec} input @returns {boolean} */
function isDrawn(input) {
  if (input.kind === "each") return input.specs.some(isDrawn);
  return "base" in input ? isDrawn(input.base) : input.kind === "normal" || input.kind === "uniform";
}

export function ProgramPanel() {
  const host = useRef(/** @type {HTMLDivElement|null} */ (null));
  useLayoutEffect(() => {
    if (!host.current) return undefined;
    const handlers = { toggleBreakpoint, choose: chooseValue, updated: onEditorUpdate };
    const text = store.draft.peek();
    const view = createEditor(host.current, text, handlers);
    const end = keepInSync(view, text);
    atCursor.value = commandsAtCursor(view);
    const endLayout = layOutStrip(view, host.current);
    keepEditor(view);
    return () => {
      end();
      keepEditor(null);
      endLayout();
      atCursor.value = null;
      view.destroy();
    };
  }, []);
  return html`<div class="editor-place" style=${{ "--strip": `${hasStrip.value ? stripPane.size.value : 0}px` }}><div class="editor" ref=${host}></div>
    ${hasStrip.value && html`<${Splitter} label="Width of the film strip" pane=${stripPane} grows="left" />`}</div>`;
}

/** Without recorded steps the strip has no pictures, and the text has its room. */
const hasStrip = computed(() => store.run.value !== null && store.steps.value > 0);

/** In narrower windows results are below the lines. */
const NARROW = 480;
/** Also in narrow columns beside a lesson, where lines wrap. */
const NARROW_BESIDE_LESSON = 680;

/** The film strip shows what its width allows. @param {import("@codemirror/view").EditorView} view @param {HTMLElement} host @returns {() => void} */
function layOutStrip(view, host) {
  let wraps = false;
  const look = () => {
    const isNarrow = lesson.peek() ? host.clientWidth < NARROW_BESIDE_LESSON : window.innerWidth < NARROW;
    // In presenter mode a line has the width of the window.
    const isUnder = host.clientWidth > 0 && (presenter.peek() || isNarrow);
    view.dispatch({ effects: setStripUnder.of(isUnder) });
    // Nothing is cut in presenter mode and beside a lesson.
    const wasWrapped = wraps;
    wraps = isUnder && (presenter.peek() || lesson.peek() !== null);
    if (wraps !== wasWrapped) view.dispatch({ effects: wrapLines(wraps) });
    host.parentElement?.setAttribute("data-strip", isUnder ? "under" : "beside");
    const bar = view.scrollDOM.offsetWidth - view.scrollDOM.clientWidth;
    host.parentElement?.style.setProperty("--scrollbar", `${bar}px`);
    const gutters = view.dom.querySelector(".cm-gutters-before")?.clientWidth ?? 0;
    if (gutters > 0) host.parentElement?.style.setProperty("--gutters", `${gutters}px`);
  };
  const endWatch = watchSizes([host], look);
  const endMark = markLineEnds(view, host);
  const end = effect(() => {
    view.dom.dataset.strip = stripMode.value;
    void [presenter.value, lesson.value, density.value];
    look();
  });
  return () => {
    endWatch();
    endMark();
    end();
  };
}

/** A fade at the right while lines continue there. @param {import("@codemirror/view").EditorView} view @param {HTMLElement} host @returns {() => void} */
function markLineEnds({ scrollDOM, contentDOM }, host) {
  const look = () => {
    const rest = scrollDOM.scrollWidth - scrollDOM.clientWidth - scrollDOM.scrollLeft;
    host.parentElement?.toggleAttribute("data-continues", rest > 1);
  };
  scrollDOM.addEventListener("scroll", look, { passive: true });
  return watchSizes([scrollDOM, contentDOM], look);
}

/** @returns {import("preact").VNode|null} */
function RunTabs() {
  const shown = store.run.value?.number;
  if (store.runs.value.length < 2 || shown === undefined) return null;
  const tabs = [...store.runs.value]
    .sort((a, b) => a.number - b.number)
    .map(({ number }) => ({ id: String(number), title: nameOf(number) }));
  return html`<${Tabs} label="Runs" class="tabs runs" tabs=${tabs} chosen=${String(shown)} panel="panel-program" choose=${choose} />`;
}

/** The names of a lesson's programs. @param {number} number @returns {string} */
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

function ProgramMenu() {
  return html`<${Menu} label="How the program is shown" content=${html`<${Icon} name="view" />`} items=${itemsNow} />`;
}

/** @returns {import("../../ui/menu.js").MenuItem[]} */
const itemsNow = () => [
  {
    text: "Whole text",
    note: "types, attributes, locations",
    keys: keysOf(command("wholeText"))[0],
    checked: wholeText.value,
    run: toggleWholeText,
  },
  {
    text: "Colours by source line",
    note: "lines of your own code",
    checked: sourceColours.value,
    run: toggleSourceColours,
  },
  { text: "Film strip" },
  ...Object.entries(STRIP_MODES).map(([mode, { title, shows }]) => ({
    ...{ text: title, note: shows, isOne: true, checked: stripMode.value === mode },
    run: () => chooseStripMode(/** @type {import("./strip_width.js").StripMode} */ (mode)),
  })),
];
