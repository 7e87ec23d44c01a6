/** The reason for the last stop, as a sentence. */
import { computed } from "@preact/signals";
import { namesOf } from "../grid/record.js";
import { addTo } from "../kept.js";
import * as store from "../store.js";
import { countText } from "../tensor/elements.js";
import { isOnLine, titleOf } from "./breakpoints.js";
import { breakpointsAt, isStopOf, stopsOf } from "./stops.js";

/** Moves that go to a step whether or not a breakpoint is there. */
const GOES = new Set(["open", "goto", "browse", "process"]);

/** The breakpoint that a move from a step came to; breakpoints set later did not stop it. @param {string} way @param {number} target @param {boolean} hasMoved @returns {import("../view_types.js").Hit|null} */
export function hitOf(way, target, hasMoved) {
  const op = store.currentOp.value;
  return !hasMoved || GOES.has(way) || op === null ? null : (breakpointsAt(op, target)[0] ?? null);
}

/** @param {string} way @param {number} target @param {import("../view_types.js").Hit|null} hit @param {number|null} [execution] the collective execution that the process waits in @returns {import("../view_types.js").Stop} */
export function describeStop(way, target, hit, execution = null) {
  const outline = store.outline.value;
  const state = store.recordingState.value;
  const waiting = execution === null ? null : waitSentence(execution);
  if (waiting) return { kind: "waiting", sentence: waiting };
  if (outline.done && target >= outline.steps) {
    const who = store.grid.value ? `Process ${store.grid.value.nameOf(store.process.value)}` : "The program";
    return { kind: "end", sentence: `${who} has finished after ${countText(outline.steps)} steps.` };
  }
  if (state.kind === "failed" && target >= outline.last) return { kind: "failed", sentence: failure(state) };
  const op = store.currentOp.value;
  const line = op === null ? null : (store.program.value?.op(op).line ?? null);
  const draftLine = line === null ? null : store.draftLine(line);
  if (hit) {
    const who = store.grid.value ? `Process ${store.grid.value.nameOf(store.process.value)} stopped` : "Stopped";
    return { kind: "breakpoint", sentence: `${who} at ${hitWords(hit, draftLine)}${otherStopReason(Number(line))}.` };
  }
  return words(way, target, draftLine);
}

/** The error message of a failed run, with its line and hint. @param {import("../types.js").RunState} state @returns {string} */
export function failure({ reason, diagnostic }) {
  // The grid panel shows the other lines of a deadlock.
  const said =
    (diagnostic?.kind === "deadlock" ? diagnostic.message.split("\n")[0] : reason) ||
    diagnostic?.message ||
    "The program failed.";
  const hint = diagnostic?.hint ? ` (${diagnostic.hint})` : "";
  return diagnostic?.line ? `Failed on line ${store.draftLine(diagnostic.line)}: ${said}${hint}` : said;
}

/** The reason for the last stop; its line numbers follow edits of the program. */
export const currentSentence = computed(() => {
  const { kind, sentence, way, execution, hit = null } = store.stop.value;
  store.outlineVersion.value;
  // What the run waited for may have come since.
  const isOver = kind === "paused" && store.position.value < store.outline.value.last;
  return way === undefined && !isOver
    ? sentence
    : describeStop(way ?? "stop", store.position.value, hit, execution).sentence;
});

/** The processes that are at a breakpoint on another line at the same time. @param {number} line of the run @returns {string} */
function otherStopReason(line) {
  if (store.breakpoints.value.length < 2 && !store.breakpoints.value.some(({ processes }) => processes)) return "";
  const found = store.inGrid((grid, program) => {
    /** @type {Map<number, number[]>} */
    const others = new Map();
    for (let process = 0; process < grid.processes; process++) {
      const { op, step } = grid.positionAt(process, store.ticks.value[process] ?? 0);
      const at = op === null ? line : program.op(op).line;
      if (op !== null && at !== line && isStopOf(stopsOf(process, program), op, step)) addTo(others, at, process);
    }
    return [...others]
      .map(([at, processes]) => `, ${namesOf(grid, processes)} on line ${store.draftLine(at)}`)
      .join("");
  });
  return found ?? "";
}

/** The processes that the shown one waits for in a collective execution. @param {number} number @returns {string|null} */
const waitSentence = (number) =>
  store.inGrid((grid) => {
    const execution = grid.execution(number);
    const missing = execution.missing(store.ticks.value).filter((process) => process !== store.process.value);
    const { kind, line } = execution.info;
    return `Process ${grid.nameOf(store.process.value)} waits in ${kind} on line ${store.draftLine(line)} for ${namesOf(grid, missing)}.`;
  });

/** @param {import("../view_types.js").Hit} hit @param {number|null} line @returns {string} */
function hitWords({ point, error }, line) {
  const where = isOnLine(point) ? `the breakpoint on line ${line}` : `line ${line}, a breakpoint on ${titleOf(point)}`;
  if (error) return `${where}, whose condition cannot be evaluated here: ${error}`;
  return point.condition ? `${where}, where ${point.condition}` : where;
}

/** The reason why the recording has no earlier steps. @param {import("../types.js").BeginInfo} begin @returns {string} */
export const beginWords = ({ line, by }) =>
  `The recording begins at line ${store.draftLine(line)}: ${by} computed the earlier values, which are not recorded.`;

/** The sentence names the lines that the editor marks: ➜ the current op, which is about to run, and ✓ the previous op. @param {string} way @param {number} target @param {number|null} line @returns {import("../view_types.js").Stop} */
function words(way, target, line) {
  const where = line === null ? "" : `, line ${line}`;
  if (way === "pause") return { kind: "paused", sentence: `Paused at the last recorded step${where}.` };
  const begin = store.program.value?.begin;
  if (target === 0 && begin) return { kind: "entry", sentence: `${beginWords(begin)}${currentWords(line)}` };
  if (target === 0) return { kind: "entry", sentence: `Start of the run.${currentWords(line)}` };
  if (["goto", "browse", "open"].includes(way))
    return { kind: "goto", sentence: `Went to step ${countText(target)}${where}.` };
  if (way === "process")
    return {
      kind: "goto",
      sentence: `Process ${store.grid.value?.nameOf(store.process.value) ?? ""} is at step ${countText(target)}${where}.`,
    };
  if (way === "wait") return { kind: "step", sentence: `Ran until it waits${where}.` };
  if (way === "line") return { kind: "step", sentence: `Ran to line ${line}.` };
  const past = {
    over: "Stepped over",
    into: "Stepped in",
    out: "Stepped out",
    back: "Stepped back",
    backOver: "Stepped back over",
  };
  return {
    kind: "step",
    sentence: `${past[/** @type {keyof typeof past} */ (way)] ?? "Stopped"}.${currentWords(line, previousWords())}`,
  };
}

/** Nothing while the op is not here yet. @param {number|null} line @param {string} [previous] @returns {string} */
const currentWords = (line, previous = "") => (line === null ? "" : ` Current op: line ${line}${previous}.`);

function previousWords() {
  const op = store.previousOp.value;
  const line = op === null ? undefined : store.program.value?.op(op).line;
  return line === undefined ? "" : `, previous op: line ${store.draftLine(line)}`;
}
