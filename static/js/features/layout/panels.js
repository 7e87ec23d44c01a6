/**
 * All panels of the debugger's page. A new one is a line here: `dock` is where it starts; see presets.js.
 *
 * @typedef {import("preact").FunctionComponent} Component
 * @typedef {{
 *   id: string, title: string, dock: import("./presets.js").Dock, Panel: Component, help: string | (() => string),
 *   Head?: Component, Badge?: Component, exists?: () => boolean, keeps?: boolean, isStop?: boolean, isBare?: boolean, canClose?: boolean,
 *   height?: () => number, focus?: (host: HTMLElement) => void, onReturn?: () => void}} Panel
 *   help: an anchor of /help, or a path; Head: what it has to say beside its tab; Badge: on its tab; exists: whether the program has what it shows;
 *   keeps: it is never given up while it is hidden; isStop: its body is a stop for Tab, since it may hold nothing else that is;
 *   isBare: alone in its group it has no head; canClose: its head has a button for that; height: in pixels, at the foot of
 *   the page; focus: where F6 leads; onReturn: it is seen again
 */
import { presenter } from "../../core/preferences.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { BreakpointsPanel } from "../breakpoints/panel.js";
import { CallStackPanel } from "../call_stack/panel.js";
import { CompareBadge, ComparePanel } from "../compare/panel.js";
import { ConsolePanel } from "../console/panel.js";
import { FindingsBadge, FindingsPanel } from "../findings/panel.js";
import { GridPanel } from "../grid/panel.js";
import { IndexMapPanel } from "../index_map/panel.js";
import { LessonPanel } from "../lesson/panel.js";
import { PlaygroundPanel } from "../lesson/playground.js";
import { shownPlayground } from "../lesson/state.js";
import { OpPanel } from "../op/panel.js";
import { opHelp } from "../op/op_help.js";
import { focusEditor, measureEditor } from "../program/cursor.js";
import { ProgramHead, ProgramPanel } from "../program/panel.js";
import { ClassBadge, ClassPanel, hasClass } from "../room/panel.js";
import { ProvenancePanel } from "../provenance/panel.js";
import { hasQueues, QueuesPanel } from "../queues/panel.js";
import { hasSources, SourcePanel } from "../source/panel.js";
import { StepsPanel } from "../steps/panel.js";
import { ChosenValue } from "../tensor/chosen_value.js";
import { TensorPanel } from "../tensor/panel.js";
import { TimelinePanel } from "../timeline/panel.js";
import { VariablesPanel } from "../variables/panel.js";

/** Of a file only what it holds can be shown. */
const ofServer = { exists: () => !isFile() };

const onStage = /** @type {const} */ ({ dock: "stage", Head: ChosenValue, isStop: true });

/** @type {readonly Panel[]} */
export const PANELS = [
  { id: "lesson", title: "Lesson", dock: "lesson", Panel: LessonPanel, help: "lesson", keeps: true },
  {
    id: "program",
    title: "Program",
    dock: "program",
    Panel: ProgramPanel,
    Head: ProgramHead,
    help: "program",
    keeps: true,
    focus: focusEditor,
    onReturn: measureEditor,
  },
  { id: "tensor", title: "Tensor", Panel: TensorPanel, help: "tensor", ...onStage },
  { id: "index", title: "Index map", Panel: IndexMapPanel, help: "index", ...onStage },
  { id: "provenance", title: "Provenance", Panel: ProvenancePanel, help: "provenance", ...ofServer, ...onStage },
  { id: "grid", title: "Grid", Panel: GridPanel, help: "grid", exists: () => store.grid.value !== null, ...onStage },
  { id: "queues", title: "Queues", Panel: QueuesPanel, help: "queues", exists: hasQueues, ...onStage },
  {
    id: "compare",
    title: "Compare",
    dock: "stage",
    Panel: ComparePanel,
    Badge: CompareBadge,
    help: "compare",
    isStop: true,
    ...ofServer,
  },
  {
    id: "playground",
    title: "Playground",
    Panel: PlaygroundPanel,
    help: "playground",
    exists: () => !isFile() && shownPlayground.value !== null,
    ...onStage,
  },
  { id: "op", title: "Op", Panel: OpPanel, help: opHelp, ...onStage },
  { id: "source", title: "Source", Panel: SourcePanel, help: "source", exists: hasSources, ...onStage },
  { id: "variables", title: "Variables", dock: "inspector", Panel: VariablesPanel, help: "variables" },
  {
    id: "steps",
    title: "Steps",
    dock: "inspector",
    Panel: StepsPanel,
    help: "steps",
    focus: focusFirst('[role="listbox"]'),
  },
  {
    id: "findings",
    title: "Findings",
    dock: "inspector",
    Panel: FindingsPanel,
    Badge: FindingsBadge,
    help: "findings",
  },
  {
    id: "class",
    title: "The class",
    dock: "inspector",
    Panel: ClassPanel,
    Badge: ClassBadge,
    help: "rooms",
    exists: hasClass,
    focus: focusFirst("button"),
  },
  { id: "frames", title: "Call stack", dock: "frames", Panel: CallStackPanel, help: "call-stack" },
  { id: "breakpoints", title: "Breakpoints", dock: "breakpoints", Panel: BreakpointsPanel, help: "breakpoints" },
  {
    id: "timeline",
    title: "Timeline",
    dock: "timeline",
    Panel: TimelinePanel,
    help: "timeline",
    keeps: true,
    isBare: true,
    height: timelineHeight,
    focus: focusFirst('[role="slider"]'),
  },
  {
    id: "console",
    title: "Console",
    dock: "console",
    Panel: ConsolePanel,
    help: "console",
    canClose: true,
    height: () => 168,
    focus: focusFirst('[role="log"]'),
  },
];

/** The row of one process, or several rows, larger before an audience. */
function timelineHeight() {
  const rows = store.grid.value === null ? 56 : 124;
  return presenter.value ? Math.round(rows * 1.3) : rows;
}

/** @param {string} selector @returns {(host: HTMLElement) => void} */
function focusFirst(selector) {
  return (host) => /** @type {HTMLElement} */ (host.querySelector(selector) ?? host).focus();
}
