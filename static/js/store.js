/**
 * What the page knows, as signals. Panels read it and never touch each other; `actions.js` changes it.
 *
 * Mount contract: a panel is a Preact component without props, exported from `panels/NAME.js`, that reads these
 * signals. The tensor view (`panels/tensor.js`, `TensorPanel`) draws `selectedValue` of the recording `recordingKey`;
 * it is null when there is nothing to draw, and then `nothingSelected` says why. The dialog of inputs
 * (`panels/inputs.js`, `InputsDialog`) is rendered while `dialog.value === "inputs"`, closes itself by
 * `dialog.value = null`, reads `run.value.arguments` and starts a run by `runProgram(specs)` of actions.js.
 *
 * @typedef {import("./types.js").SelectedValue} SelectedValue
 */
import { computed, signal } from "@preact/signals";
import { MissingChunk, Outline } from "./run/outline.js";
import { addressIn, elementOf, pathText } from "./run/tuples.js";
import { addressOf, lastFrames, lastRuns } from "./run/values.js";

/** The session: its id, its name, its runs. */
export const sessionId = signal("");
export const sessionName = signal("");
export const runs = signal(/** @type {import("./types.js").RunTitle[]} */ ([]));

/** The program in the editor. It may differ from the program of the run that is shown. */
export const draft = signal("");
export const diagnostics = signal(/** @type {import("./types.js").Diagnostic[]} */ ([]));

/** The run that is shown, and the program of that run. */
export const run = signal(/** @type {import("./types.js").RunInfo|null} */ (null));
export const recordingKey = computed(() => run.value?.key ?? null);
export const program = signal(/** @type {import("./run/program.js").Program|null} */ (null));
export const changed = computed(() => run.value !== null && draft.value !== run.value.text);

/** How far the recording has come. */
export const recordingState = signal(/** @type {import("./types.js").RunState} */ ({ kind: "paused", reason: "" }));
export const steps = signal(0);

/** The outline is one object that grows; whoever reads it reads `outlineVersion` too. */
export const outline = signal(new Outline());
export const outlineVersion = signal(0);

/** Where one is: the op of step `position` is current. At `steps` of a finished run one is at the end. */
export const position = signal(0);
export const stop = signal(/** @type {import("./types.js").Stop} */ ({ kind: "entry", sentence: "" }));
/** What waits for more of the recording, as a sentence; null when nothing does. */
export const pending = signal(/** @type {string|null} */ (null));

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
export const runBreakpoints = computed(() =>
  breakpoints.value.map((line) => lineMap.value.toRun(line)).filter((line) => line !== null));

/** The value that was chosen, by its id in the program; null follows the current op. */
export const chosenValue = signal(/** @type {number|null} */ (null));
/** Which element of it, where it is a tuple; empty for all of it. */
export const chosenPath = signal(/** @type {number[]} */ ([]));
export const dialog = signal(/** @type {"inputs"|"keys"|"share"|null} */ (null));
/** The row of the dialog of inputs that one came for. */
export const inputsAt = signal(/** @type {import("./types.js").Argument|null} */ (null));
export const stageTab = signal("tensor");
export const connected = signal(true);

/** @typedef {{kind: "info"|"stop"|"error"|"program", text: string, times?: number}} ConsoleLine */
/** The server itself is asked for the numbers of a line, so the console keeps few. */
export const consoleLines = signal(/** @type {ConsoleLine[]} */ ([]));

/** What the program has printed, as far as it is here, and how often it has. */
export const prints = signal(/** @type {import("./types.js").Printed[]} */ ([]));
export const printCount = signal(0);

/** The op about to run, as the program describes it; null at the end and where nothing is recorded. */
export const currentOp = computed(() => atPosition((lines, at) => (at < lines.steps ? lines.op(at) : null)));

/** Ask the outline, without throwing where a chunk is still on its way: null then, and again when it is here. */
/** @template T @param {(outline: Outline, position: number, program: import("./run/program.js").Program) => T} ask @returns {T|null} */
export function atPosition(ask) {
  outlineVersion.value;
  const described = program.value;
  if (described === null || outline.value.steps === 0) return null;
  try {
    return ask(outline.value, position.value, described);
  } catch (error) {
    if (!(error instanceof MissingChunk)) throw error;
    reportMissing(error);
    return null;
  }
}

/** @type {(missing: MissingChunk) => void} */
let reportMissing = () => {};

/** Who fetches a chunk that a reader missed. @param {(missing: MissingChunk) => void} fetcher */
export function onMissingChunk(fetcher) {
  reportMissing = fetcher;
}

/** The value to draw. */
export const selectedValue = computed(() => chosenOr(currentValue));

/** @param {() => SelectedValue|null} otherwise @returns {SelectedValue|null} */
function chosenOr(otherwise) {
  const chosen = chosenValue.value;
  return (chosen === null ? null : within(locate(chosen), chosenPath.value)) ?? otherwise();
}

/** The element of a tuple that a path leads to. @param {SelectedValue|null} located @param {number[]} path @returns {SelectedValue|null} */
function within(located, path) {
  const element = located && elementOf(program.value?.value(located.value).elements ?? null, path);
  if (!located || !element) return located;
  return { ...located, path, address: addressIn(located.address, path), name: `${located.name}${pathText(path)}`, type: element.type, shape: null, elementType: null };
}

/** The first result of the current op, else its first operand (a return has no result). @returns {SelectedValue|null} */
function currentValue() {
  const op = currentOp.value;
  const described = program.value;
  if (op === null || described === null) return atTheEnd();
  const { results, operands } = described.op(op);
  for (const value of [...results, ...operands]) {
    const located = locate(value);
    if (located) return located;
  }
  return null;
}

/** At the end one sees what the program returned. @returns {SelectedValue|null} */
function atTheEnd() {
  const lastOp = atPosition((lines, at) => (at > 0 && at >= lines.steps ? lines.op(at - 1) : null));
  const returned = lastOp === null ? undefined : program.value?.op(lastOp).operands[0];
  return returned === undefined ? null : locate(returned);
}

/** Where a value of the program is kept, seen from the position. @param {number} value @returns {SelectedValue|null} */
export function locate(value) {
  return atPosition((lines, at, described) => {
    if (described.values[value] === undefined) return null;
    const { name, type, shape, elementType } = described.value(value);
    const now = addressOf(lines, described, at, value);
    const address = now ?? earlierAddress(lines, described, at, value);
    return address === null ? null : { address, value, path: [], name, type, shape, elementType, when: now ? "now" : "earlier" };
  });
}

/** The value's last run in a frame that is over. @param {Outline} lines @param {import("./run/program.js").Program} described @param {number} at @param {number} value */
function earlierAddress(lines, described, at, value) {
  const { block, op, index } = described.definition(value);
  const frame = op === null ? lastFrames(lines, described, at, [block]).get(block) : undefined;
  if (op === null) return frame === undefined ? null : `0.f${frame}.${index}`;
  const last = lastRuns(lines, described, at, [op]).get(op);
  return last && last.when === "earlier" && !last.open ? `0.s${last.step}.${index}` : null;
}

export const nothingSelected = computed(() => {
  if (selectedValue.value) return "";
  if (run.value === null) return "Run the program to see its values.";
  if (steps.value === 0) return "Nothing has been recorded yet.";
  return "The current op has no value yet: step over it to see its result.";
});
