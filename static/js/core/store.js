/**
 * The state of the page, as signals. Panels read it and never access each other; `actions.js` changes it.
 *
 * Contract of a panel: a Preact component without props in `features/NAME/panel.js` that reads these signals.
 * `TensorPanel` draws `selectedValue` of the recording `recordingKey`; it is null when there is nothing to draw, and
 * `nothingSelected` says why. `InputsDialog` is rendered while `dialog.value === "inputs"`, closes itself by
 * `dialog.value = null`, reads `run.value.arguments` and starts a run by `runProgram(specs)` of actions.js.
 */
import { computed, signal } from "@preact/signals";
import { elementAddress, parseAddress } from "./addresses.js";
import { previousStep } from "./run/executions.js";
import { afterPaintOf } from "./later.js";
import { Missing, Outline } from "./run/outline.js";
import { elementOf, pathText } from "./run/tuples.js";
import { shownName } from "./run/value_names.js";
import { visibleAddress } from "./run/values.js";
/** @import {SelectedValue} from "./view_types.js" */

/** The session: its id, name and runs. */
export const sessionId = signal("");
export const sessionName = signal("");
/** Whether it was opened by a read-only link: nothing can be changed, and the position is not stored. */
export const readOnly = signal(false);
export const runs = signal(/** @type {import("./types.js").RunTitle[]} */ ([]));

/** The number of the run to compare with; null for none. */
export const comparedRun = signal(/** @type {number|null} */ (null));
/** The file of values to compare with instead; null for none. */
export const comparedValues = signal(/** @type {string|null} */ (null));

/** The program in the editor; it may differ from the program of the shown run. */
export const draft = signal("");
/** Whether `draft` is the beginning of a long text whose rest is on its way. */
export const textComes = signal(false);
export const diagnostics = signal(/** @type {import("./types.js").Diagnostic[]} */ ([]));

/** The shown run and its program. */
export const run = signal(/** @type {import("./types.js").RunInfo|null} */ (null));
export const recordingKey = computed(() => run.value?.key ?? null);
export const program = signal(/** @type {import("./run/program.js").Program|null} */ (null));
/** The part of a large program that is shown in its text until `program` is here; see glimpse.js. */
export const glimpse = signal(/** @type {import("./run/program.js").Program|null} */ (null));
/** Either of them. */
export const shownProgram = computed(() => program.value ?? glimpse.value);
export const changed = computed(() => run.value !== null && draft.value !== run.value.text);

/** The processes of a run that has several, else null. The object grows in place: read `gridVersion` too. */
export const grid = signal(/** @type {import("./grid/record.js").GridRecord|null} */ (null));
export const gridVersion = signal(0);
/** The process that all panels show; `outline` and `position` belong to it. */
export const process = signal(0);
/** The position of each process, as a tick of the common clock. */
export const ticks = signal(/** @type {number[]} */ ([]));
/** Processes that wait in a collective whose other participants have not arrived; the number of each one's collective execution. */
export const held = signal(/** @type {ReadonlyMap<number, number>} */ (new Map()));
/** The processes that step: all to the same tick, these besides the shown one, or the shown one alone. */
export const lockstep = signal(/** @type {"all"|"one"|ReadonlySet<number>} */ ("all"));

/** The progress of the recording; `steps` counts those of the shown process. */
export const recordingState = signal(/** @type {import("./types.js").RunState} */ ({ kind: "paused", reason: "" }));
export const steps = signal(0);

/** The outline grows in place; readers also read `outlineVersion`. */
export const outline = signal(new Outline());
export const outlineVersion = signal(0);

/** The op of step `position` is current. The position of a finished run's end is `steps`. */
export const position = signal(0);
/** The position for secondary panels: it follows once the step is painted. */
export const calmPosition = computed(() => {
  const { at, whose } = paintedPosition.value;
  return whose === outline.value ? at : position.value;
});
const paintedPosition = afterPaintOf(computed(() => ({ at: position.value, whose: outline.value })));
export const stop = signal(/** @type {import("./view_types.js").Stop} */ ({ kind: "entry", sentence: "" }));
/** Whether the clock of all processes runs, so that positions change quickly. */
export const hurried = signal(false);
/** A sentence about the action that waits for more recording; null for none. */
export const pending = signal(/** @type {string|null} */ (null));
/** Progress of the verification of a large program without a run; null when none is running. */
export const verifying = signal(/** @type {import("./types.js").Verifying|null} */ (null));
/** The position of the session in the queue for a worker; null when it does not queue. */
export const waiting = signal(/** @type {import("./types.js").Turn|null} */ (null));

/** The breakpoints. Their lines are of the draft; `lineMap` maps them to the program of the run and back, null for deleted lines. */
export const breakpoints = signal(/** @type {readonly import("./types.js").BreakpointInfo[]} */ ([]));
/** The breakpoint whose texts are edited; null for none. */
export const editedBreakpoint = signal(/** @type {import("./types.js").BreakpointInfo|null} */ (null));
export const lineMap = signal({
  /** @param {number} line @returns {number|null} */
  toRun: (line) => line,
  /** @param {number} line @returns {number|null} */
  toDraft: (line) => line,
});
/** The current line in the editor of a line of the run. @param {number} line @returns {number} */
export const draftLine = (line) => lineMap.value.toDraft(line) ?? line;
/** The chosen value, by its id in the program; null follows the current op. */
export const chosenValue = signal(/** @type {number|null} */ (null));
/** The path of the chosen element in a tuple; empty for the whole value. */
export const chosenPath = signal(/** @type {number[]} */ ([]));
/** The element at the cursor of the tensor view, and its value; null for none. */
export const standing = signal(/** @type {{address: string, index: number[]}|null} */ (null));
/** Whether an element has been stepped into: until then there is no microscope. */
export const isSteppedIn = signal(false);
/** The text with which the find box opens. */
export const findText = signal("");
/** @typedef {"inputs"|"feed"|"keys"|"share"|"room"|"page"|"find"|"commands"|"uses"|"values"} DialogName */
export const dialog = signal(/** @type {DialogName|null} */ (null));
/** The value or function whose uses the find box lists. */
export const sought = signal(/** @type {import("./run/mentions.js").Referent|null} */ (null));
/** The row that the dialog of inputs scrolls to. */
export const inputsAt = signal(/** @type {import("./types.js").Argument|null} */ (null));
/** A request to show a panel; isFirst: only if this browser opens the session for the first time; isBehind: in a narrow window, behind the visible pane; covering: panels whose drawers close. */
export const askedPanel = signal(
  /** @type {{id: string, isFirst?: boolean, isBehind?: boolean, covering?: readonly string[]}|null} */ (null),
);
/** The panel of the stage that was brought to the front last. */
export const stageTab = signal("tensor");
/** The first line of the program text in view, null if unknown; and the one requested, null if none. */
export const topLine = signal(/** @type {number|null} */ (null));
export const askedTopLine = signal(/** @type {number|null} */ (null));
/** The panels at the front of their groups. */
export const panelsInFront = signal(/** @type {readonly string[]} */ ([]));
/**
 * Elements for the provenance panel to follow; the panel clears it.
 *
 * @typedef {{address: string, elements: import("./types.js").WireSet, text?: string, only?: "not_finite", direction?: "back"|"forward"}} Followed
 *   only: follow only NaN and infinities back to their origin; direction: default is the previous one
 */
export const followed = signal(/** @type {Followed|null} */ (null));
export const lineProblem = signal("");

/**
 * A line of the console; recording: the one that a finding, a result or a log message belongs to. An expression has its result and its step, a log message its step.
 *
 * @typedef {{kind: "info"|"stop"|"error"|"program"|"finding"|"expression"|"log", text: string, times?: number, recording?: string,
 *   place?: {process: number, step: number}, result?: import("./types.js").ExpressionResult}} ConsoleLine
 */
/** Maximum number of console lines: each may request data from the server. */
export const consoleLines = signal(/** @type {ConsoleLine[]} */ ([]));

/** The findings of the run so far; null until the server has sent them. */
export const findings = signal(/** @type {import("./types.js").FindingsInfo|null} */ (null));
/** The number of findings, as last reported by the server. */
export const findingCount = signal(0);

/** The prints of the program that are loaded, and their total number. */
export const prints = signal(/** @type {import("./view_types.js").Printed[]} */ ([]));
export const printCount = signal(0);

/** The op at the position, which is about to run; the panels show its operands and, as a glance ahead, its result. Null at the end and where nothing is recorded. */
export const currentOp = computed(() => opAt(position.value));
/** The current op for secondary panels. */
export const calmOp = computed(() => opAt(calmPosition.value));

/** @param {number} from @returns {number|null} */
const opAt = (from) => atPosition((lines, at) => (at < lines.steps ? lines.op(at) : null), from, shownProgram.value);

/** The op before the current one, in its frame where it has one; null where no op has run. */
export const previousOp = computed(() =>
  atPosition((lines, at) => {
    const step = previousStep(lines, at);
    return step === null ? null : lines.op(step);
  }),
);

/** Read the outline: null while a part is still loading, and again once it has arrived. */
/** @template T @param {(outline: Outline, position: number, program: import("./run/program.js").Program) => T} ask @param {number} [from] @param {import("./run/program.js").Program|null} [described] @returns {T|null} */
export function atPosition(ask, from = position.value, described = program.value) {
  outlineVersion.value;
  if (described === null || outline.value.steps === 0) return null;
  return whereHere(() => ask(outline.value, from, described));
}

/** Read data; if a part is missing, request it and return null. @template T @param {() => T} ask @returns {T|null} */
export function whereHere(ask) {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    reportMissing(error);
    return null;
  }
}

/** The outline of a process; a run of one process has one outline. @param {number} process @returns {Outline} */
export const outlineOf = (process) => grid.value?.outline(process) ?? outline.value;

/** Read the grid in the same way. @template T @param {(grid: import("./grid/record.js").GridRecord, program: import("./run/program.js").Program) => T} ask @returns {T|null} */
export function inGrid(ask) {
  gridVersion.value;
  outlineVersion.value;
  const [here, described] = [grid.value, program.value];
  return here === null || described === null ? null : whereHere(() => ask(here, described));
}

/** @type {(missing: Missing) => void} */
let reportMissing = () => {};

/** Set what loads missing parts. @param {(missing: Missing) => void} fetcher */
export function onMissing(fetcher) {
  reportMissing = fetcher;
}

/** The value to draw. */
export const selectedValue = computed(() => valueToDraw(position.value));

/** The value to draw at a position. @param {number} from @returns {SelectedValue|null} */
export function valueToDraw(from) {
  const chosen = chosenValue.value;
  return (chosen === null ? null : within(locate(chosen, from), chosenPath.value)) ?? currentValue(from);
}

/** The element of a tuple at a path. @param {SelectedValue|null} located @param {number[]} path @returns {SelectedValue|null} */
function within(located, path) {
  const element = located && elementOf(program.value?.value(located.value).elements ?? null, path);
  if (!located || !element) return located;
  return {
    ...located,
    path,
    address: elementAddress(located.address, path),
    name: `${located.name}${pathText(path)}`,
    type: element.type,
    shape: null,
    elementType: null,
  };
}

/** The first result of the current op, else its first operand (a return has no result). @param {number} from @returns {SelectedValue|null} */
function currentValue(from) {
  const op = opAt(from);
  const described = program.value;
  if (op === null || described === null) return atTheEnd(from);
  const { results, operands } = described.op(op);
  for (const value of [...results, ...operands]) {
    const located = locate(value, from);
    if (located) return located;
  }
  return null;
}

/** At the end, show what the program returned. @param {number} from @returns {SelectedValue|null} */
function atTheEnd(from) {
  const lastOp = atPosition((lines, at) => (at > 0 && at >= lines.steps ? lines.op(at - 1) : null), from);
  const returned = lastOp === null ? undefined : program.value?.op(lastOp).operands[0];
  return returned === undefined ? null : locate(returned, from);
}

/** The address of a value of the program, seen from the position or from a step. @param {number} value @param {number} [from] @returns {SelectedValue|null} */
export const locate = (value, from = position.value) =>
  atPosition((lines, at, described) => {
    if (described.values[value] === undefined) return null;
    const { type, shape, elementType } = described.value(value);
    const seen = visibleAddress(lines, described, at, value);
    return seen && { ...seen, value, path: [], name: shownName(described, value), type, shape, elementType };
  }, from);

/** The value of the program at an address, as far as the outline is loaded. @param {string} address @returns {number|null} */
export function valueAt(address) {
  const { step, frame, index } = parseAddress(address);
  return atPosition((lines, _at, described) => {
    const values =
      step === null ? described.block(lines.block(frame ?? 0)).arguments : described.op(lines.op(step)).results;
    return values[index] ?? null;
  });
}

/** The reason why the program has no run to look at; empty if it has one. */
export const whyNoRun = computed(() => {
  if (glimpse.value) return "The program is still loading.";
  const errors = diagnostics.value.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (run.value !== null || !first) return "";
  if (first.to === 0) return first.message; // it is about no place: the check was cancelled, or took too long
  const where = errors.length === 1 ? `the error on line ${first.line} is` : `its ${errors.length} errors are`;
  return `The program cannot run until ${where} fixed: see the console.`;
});

export const nothingSelected = computed(() => {
  if (selectedValue.value) return "";
  if (whyNoRun.value) return whyNoRun.value;
  if (run.value === null) return "Run the program to see its values.";
  if (steps.value === 0) return "Nothing has been recorded yet.";
  return "The current op has no value yet.";
});
