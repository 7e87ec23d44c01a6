/**
 * What the page knows, as signals. Panels read it and never touch each other; `actions.js` changes it.
 *
 * Mount contract: a panel is a Preact component without props, exported from `features/NAME/panel.js`, that reads these
 * signals. The tensor view (`features/tensor/panel.js`, `TensorPanel`) draws `selectedValue` of the recording `recordingKey`;
 * it is null when there is nothing to draw, and then `nothingSelected` says why. The dialog of inputs
 * (`features/inputs/panel.js`, `InputsDialog`) is rendered while `dialog.value === "inputs"`, closes itself by
 * `dialog.value = null`, reads `run.value.arguments` and starts a run by `runProgram(specs)` of actions.js.
 */
import { computed, signal } from "@preact/signals";
import { elementAddress } from "./addresses.js";
import { previousStep } from "./run/executions.js";
import { afterPaintOf } from "./later.js";
import { Missing, Outline } from "./run/outline.js";
import { stopsFor } from "./run/saved_breakpoints.js";
import { elementOf, pathText } from "./run/tuples.js";
import { shownName } from "./run/value_names.js";
import { visibleAddress } from "./run/values.js";
/** @import {SelectedValue} from "./view_types.js" */

/** The session: its id, its name, its runs. */
export const sessionId = signal("");
export const sessionName = signal("");
/** Whether it was opened by a read-only link: nothing of it can be changed, and where one is, is not kept. */
export const readOnly = signal(false);
export const runs = signal(/** @type {import("./types.js").RunTitle[]} */ ([]));

/** The number of the run that the shown one is compared with; null where nobody has chosen one. */
export const comparedRun = signal(/** @type {number|null} */ (null));
/** The file of values that it is compared with instead; null: none. */
export const comparedValues = signal(/** @type {string|null} */ (null));

/** The program in the editor. It may differ from the program of the run that is shown. */
export const draft = signal("");
export const diagnostics = signal(/** @type {import("./types.js").Diagnostic[]} */ ([]));

/** The run that is shown, and the program of that run. */
export const run = signal(/** @type {import("./types.js").RunInfo|null} */ (null));
export const recordingKey = computed(() => run.value?.key ?? null);
export const program = signal(/** @type {import("./run/program.js").Program|null} */ (null));
export const changed = computed(() => run.value !== null && draft.value !== run.value.text);

/** The processes of the run where there are several, else null. It is one object that grows: see `gridVersion`. */
export const grid = signal(/** @type {import("./grid/record.js").GridRecord|null} */ (null));
export const gridVersion = signal(0);
/** The process that all panels show: `outline` and `position` are its. */
export const process = signal(0);
/** Where each process is, as a tick of the common clock. */
export const ticks = signal(/** @type {number[]} */ ([]));
/** Processes that stand in a meeting to which others, by their own positions, have not come: the meeting of each. */
export const held = signal(/** @type {ReadonlyMap<number, number>} */ (new Map()));
/** Who moves when one steps: all to the same tick, these besides the shown one, or the shown one alone. */
export const lockstep = signal(/** @type {"all"|"one"|ReadonlySet<number>} */ ("all"));

/** How far the recording has come; `steps` are those of the shown process. */
export const recordingState = signal(/** @type {import("./types.js").RunState} */ ({ kind: "paused", reason: "" }));
export const steps = signal(0);

/** The outline is one object that grows; whoever reads it reads `outlineVersion` too. */
export const outline = signal(new Outline());
export const outlineVersion = signal(0);

/** The op of step `position` is current. The position of a finished run's end is `steps`. */
export const position = signal(0);
/** The position as the panels beside show it: once the step is painted. */
export const calmPosition = computed(() => {
  const { at, whose } = paintedPosition.value;
  return whose === outline.value ? at : position.value;
});
const paintedPosition = afterPaintOf(computed(() => ({ at: position.value, whose: outline.value })));
export const stop = signal(/** @type {import("./view_types.js").Stop} */ ({ kind: "entry", sentence: "" }));
/** Whether positions fly by, because the clock of all processes runs. */
export const hurried = signal(false);
/** What waits for more of the recording, as a sentence; null when nothing does. */
export const pending = signal(/** @type {string|null} */ (null));
/** How far the verification of a large program is that has no run yet; null when none is under way. */
export const verifying = signal(/** @type {import("./types.js").Verifying|null} */ (null));
/** Where the session is in the queue for a worker; null when it does not wait for one. */
export const waiting = signal(/** @type {import("./types.js").Turn|null} */ (null));

/** Lines of the draft. `lineMap` carries them to the program of the run and back, null where a line is gone. */
export const breakpoints = signal(/** @type {number[]} */ ([]));
export const lineMap = signal({
  /** @param {number} line @returns {number|null} */
  toRun: (line) => line,
  /** @param {number} line @returns {number|null} */
  toDraft: (line) => line,
});
/** The line of the editor on which a line of the run is now. @param {number} line @returns {number} */
export const draftLine = (line) => lineMap.value.toDraft(line) ?? line;
/** Processes that alone stop at the breakpoint of a line, where not all do. */
export const breakpointLimits = signal(/** @type {import("./run/saved_breakpoints.js").Limits} */ (new Map()));
/** The lines of the run on which a process stops. @param {number} process @returns {number[]} */
export const breakpointsOf = (process) =>
  breakpoints.value
    .filter((line) => stopsFor(breakpointLimits.value, line, process))
    .map((line) => lineMap.value.toRun(line))
    .filter((line) => line !== null);
/** Those of the shown process. */
export const runBreakpoints = computed(() => breakpointsOf(process.value));

/** The value that was chosen, by its id in the program; null follows the current op. */
export const chosenValue = signal(/** @type {number|null} */ (null));
/** Which element of it, where it is a tuple; empty for all of it. */
export const chosenPath = signal(/** @type {number[]} */ ([]));
/** The element that the tensor view's cursor stands on, and of which value; null where it stands on none. */
export const standing = signal(/** @type {{address: string, index: number[]}|null} */ (null));
/** @typedef {"inputs"|"feed"|"keys"|"share"|"room"|"page"|"find"|"commands"|"values"} DialogName */
export const dialog = signal(/** @type {DialogName|null} */ (null));
/** The row of the dialog of inputs that one came for. */
export const inputsAt = signal(/** @type {import("./types.js").Argument|null} */ (null));
/** The panel that somebody wants to be shown; isFirst: only where this browser has not had the session open before; isBehind: in a narrow window behind the pane that is seen. */
export const askedPanel = signal(/** @type {{id: string, isFirst?: boolean, isBehind?: boolean}|null} */ (null));
/** The panel of the stage that came to the front last. */
export const stageTab = signal("tensor");
/** The panels in front of their groups. */
export const panelsInFront = signal(/** @type {readonly string[]} */ ([]));
/**
 * Elements that a panel wants the provenance panel to follow; it takes them.
 *
 * @typedef {{address: string, elements: import("./types.js").WireSet, text?: string, only?: "not_finite", direction?: "back"|"forward"}} Followed
 *   only: back to what made them bad, by NaN and infinities alone; direction: else the one of before
 */
export const followed = signal(/** @type {Followed|null} */ (null));
export const lineProblem = signal("");

/** @typedef {{kind: "info"|"stop"|"error"|"program"|"finding", text: string, times?: number, recording?: string}} ConsoleLine recording: of a finding, in which it is */
/** The server itself is asked for the numbers of a line, so the console keeps few. */
export const consoleLines = signal(/** @type {ConsoleLine[]} */ ([]));

/** What went wrong in the run, as far as it is recorded; null until the server has told it. */
export const findings = signal(/** @type {import("./types.js").FindingsInfo|null} */ (null));
/** How often anything went wrong, by the last word of the server. */
export const findingCount = signal(0);

/** What the program has printed, as far as it is here, and how often it has. */
export const prints = signal(/** @type {import("./view_types.js").Printed[]} */ ([]));
export const printCount = signal(0);

/** The op at the position, whose operands and result the panels show; null at the end and where nothing is recorded. */
export const currentOp = computed(() => opAt(position.value));
/** The same for the panels beside. */
export const calmOp = computed(() => opAt(calmPosition.value));

/** @param {number} from @returns {number|null} */
const opAt = (from) => atPosition((lines, at) => (at < lines.steps ? lines.op(at) : null), from);

/** The op before the current one, in its frame where it has one; null where no op has run. */
export const previousOp = computed(() =>
  atPosition((lines, at) => {
    const step = previousStep(lines, at);
    return step === null ? null : lines.op(step);
  }),
);

/** Ask the outline, without throwing where a part is still on its way: null then, and again when it is here. */
/** @template T @param {(outline: Outline, position: number, program: import("./run/program.js").Program) => T} ask @param {number} [from] @returns {T|null} */
export function atPosition(ask, from = position.value) {
  outlineVersion.value;
  const described = program.value;
  if (described === null || outline.value.steps === 0) return null;
  return whereHere(() => ask(outline.value, from, described));
}

/** Ask, and where something is missing have it fetched: null then. @template T @param {() => T} ask @returns {T|null} */
export function whereHere(ask) {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    reportMissing(error);
    return null;
  }
}

/** What a process has done; of a run of one process there is one outline. @param {number} process @returns {Outline} */
export const outlineOf = (process) => grid.value?.outline(process) ?? outline.value;

/** Ask the grid likewise. @template T @param {(grid: import("./grid/record.js").GridRecord, program: import("./run/program.js").Program) => T} ask @returns {T|null} */
export function inGrid(ask) {
  gridVersion.value;
  outlineVersion.value;
  const [here, described] = [grid.value, program.value];
  return here === null || described === null ? null : whereHere(() => ask(here, described));
}

/** @type {(missing: Missing) => void} */
let reportMissing = () => {};

/** Who fetches what a reader missed. @param {(missing: Missing) => void} fetcher */
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

/** The element of a tuple that a path leads to. @param {SelectedValue|null} located @param {number[]} path @returns {SelectedValue|null} */
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

/** At the end one sees what the program returned. @param {number} from @returns {SelectedValue|null} */
function atTheEnd(from) {
  const lastOp = atPosition((lines, at) => (at > 0 && at >= lines.steps ? lines.op(at - 1) : null), from);
  const returned = lastOp === null ? undefined : program.value?.op(lastOp).operands[0];
  return returned === undefined ? null : locate(returned, from);
}

/** Where a value of the program is kept, seen from the position or from a step. @param {number} value @param {number} [from] @returns {SelectedValue|null} */
export function locate(value, from = position.value) {
  return atPosition((lines, at, described) => {
    if (described.values[value] === undefined) return null;
    const { type, shape, elementType } = described.value(value);
    const seen = visibleAddress(lines, described, at, value);
    return seen && { ...seen, value, path: [], name: shownName(described, value), type, shape, elementType };
  }, from);
}

/** Why there is nothing to look at: the program is wrong. Empty where it is not. */
export const whyNoRun = computed(() => {
  const errors = diagnostics.value.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (run.value !== null || !first) return "";
  const where = errors.length === 1 ? `the error on line ${first.line} is` : `its ${errors.length} errors are`;
  return `The program cannot run until ${where} mended: see the console.`;
});

export const nothingSelected = computed(() => {
  if (selectedValue.value) return "";
  if (run.value === null) return whyNoRun.value || "Run the program to see its values.";
  if (steps.value === 0) return "Nothing has been recorded yet.";
  return "The current op has no value yet: step over it to see its result.";
});
