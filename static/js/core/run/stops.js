/**
 * The steps at which breakpoints stop. A breakpoint without condition stops at ops, which the page finds in the
 * outline; for all others the server returns the steps, which are kept in lists.
 *
 * @typedef {{steps: readonly number[], seen: number, errors: ReadonlyMap<number, string>, problem: BreakpointProblem|null,
 *   isShort: (outline: Outline) => boolean}} KnownStops  in order; those before step `seen`
 * @typedef {{ops: ReadonlySet<number>, lists: readonly KnownStops[]}} Stops
 */
import { computed } from "@preact/signals";
import { isAnythingHidden } from "../hidden_values.js";
import { lowerBound } from "../prefix_sums.js";
import { isFile } from "../source.js";
import * as store from "../store.js";
import { isEvaluated, opsOf, stopsFor } from "./breakpoints.js";
import { otherTitle } from "./other_run.js";
import { CHUNK, Missing } from "./outline.js";
import { arrivals, listOf } from "./stop_lists.js";
import { continueTo, reverseContinue } from "./stepping.js";
/** @import {BreakpointInfo, BreakpointProblem} from "../types.js" */
/** @import {Outline} from "./outline.js" */
/** @import {Program} from "./program.js" */

/** Thrown where stops are not evaluated yet. */
export class MissingStops extends Missing {
  /** @param {KnownStops} list */
  constructor(list) {
    super(`stops from step ${list.seen} on have not arrived`);
    this.list = /** @type {import("./stop_lists.js").StopList} */ (list);
  }
}

/** The steps with findings of a kind. @param {string} kind @param {number} process @returns {KnownStops} */
function findingStops(kind, process) {
  const { findings = [], marks = [] } = store.findings.value ?? {};
  const steps = marks.filter((mark) => mark.process === process && findings[mark.finding]?.kind === kind);
  const sorted = [...new Set(steps.map(({ step }) => step))].sort((a, b) => a - b);
  return { steps: sorted, seen: Infinity, errors: new Map(), problem: null, isShort: () => false };
}

/** The reason why a breakpoint does not stop now; empty if it does. @param {BreakpointInfo} point @returns {string} */
export function whyOff(point) {
  const tells = point.condition || point.log || ["finding", "differs"].includes(point.kind);
  if (tells && isAnythingHidden()) return "Off while the lesson asks about a value.";
  if (!isEvaluated(point)) return "";
  if (isFile()) return "This breakpoint needs a server; this page is a saved file.";
  if (point.kind === "differs" && otherTitle() === null) return "Off: there is no other run to compare with.";
  return "";
}

/** @param {BreakpointInfo} point @returns {boolean} */
export const isOn = (point) => !point.off && whyOff(point) === "";

/** The list of a breakpoint that has one. @param {BreakpointInfo} point @param {number} process @returns {KnownStops|null} */
export function stopList(point, process) {
  if (store.recordingKey.value === null || !isOn(point)) return null;
  if (isEvaluated(point)) return listOf(point, process);
  return point.kind === "finding" ? findingStops(String(point.at), process) : null;
}

/** Where a process stops. @param {number} process @param {Program|null} [program] @returns {Stops} */
export function stopsOf(process, program = store.program.value) {
  const ops = new Set();
  /** @type {KnownStops[]} */
  const found = [];
  for (const point of program === null ? [] : store.breakpoints.value) {
    if (!isOn(point) || point.log || !stopsFor(point, process)) continue;
    const list = stopList(point, process);
    if (list) found.push(list);
    else for (const op of opsOf(point, /** @type {Program} */ (program), store.lineMap.value.toRun) ?? []) ops.add(op);
  }
  return { ops, lists: found };
}

/** Where the shown process stops, as known now. */
export const shownStops = computed(() => {
  arrivals.value;
  return stopsOf(store.process.value);
});

/** Whether there is any stop. @param {Stops} stops @returns {boolean} */
export const isNowhere = ({ ops, lists: some }) => ops.size === 0 && some.length === 0;

/** Whether the process stops at a step, as far as is known. @param {Stops} stops @param {Outline} outline @param {number} step @returns {boolean} */
export const isStop = (stops, outline, step) => step < outline.steps && isStopOf(stops, outline.op(step), step);

/** Whether the process stops at a step of an op. @param {Stops} stops @param {number} op @param {number} step @returns {boolean} */
export const isStopOf = ({ ops, lists: some }, op, step) => ops.has(op) || some.some(({ steps }) => has(steps, step));

/** Visit the known stops: those of ops in order, then those of each list. @param {Stops} stops @param {Outline} outline @param {(step: number, isFirst: boolean) => void} visit */
export function eachStop({ ops, lists: some }, outline, visit) {
  let isFirst = true;
  outline.stepChunks.forEach((chunk, number) => {
    for (let at = 0; chunk && ops.size > 0 && at < chunk.count; at++) {
      if (!ops.has(/** @type {number} */ (chunk.op[at]))) continue;
      visit(number * CHUNK + at, isFirst);
      isFirst = false;
    }
  });
  for (const { steps } of some) steps.forEach((step, at) => step < outline.steps && visit(step, at === 0));
}

/** The breakpoints at a step of the shown process, which runs an op. @param {number} op @param {number} step @returns {{point: BreakpointInfo, error: string|null}[]} */
export function breakpointsAt(op, step) {
  const [program, process] = [store.program.value, store.process.value];
  if (program === null) return [];
  return store.breakpoints.value.flatMap((point) => {
    if (!isOn(point) || point.log || !stopsFor(point, process)) return [];
    const list = stopList(point, process);
    const ops = list ? [] : (opsOf(point, program, store.lineMap.value.toRun) ?? []);
    const stops = list ? has(list.steps, step) : new Set(ops).has(op);
    return stops ? [{ point, error: list?.errors.get(step) ?? null }] : [];
  });
}

/** @param {readonly number[]} steps @param {number} step @returns {boolean} */
const has = (steps, step) => steps[lowerBound(steps, step)] === step;

/** What is known of the stops of a breakpoint, for the panel. @param {BreakpointInfo} point @returns {KnownStops|null} */
export function knownStops(point) {
  arrivals.value;
  return isEvaluated(point) || point.kind === "finding" ? stopList(point, store.process.value) : null;
}

/**
 * The next stop after a position, else the end; null: beyond the recording. Throws `Missing` for what is not loaded.
 *
 * @param {Stops} stops @param {Outline} outline @param {number} position @param {number} [search] as `continueTo` takes it
 * @returns {number|null}
 */
export function nextStop({ ops, lists: some }, outline, position, search) {
  let first = continueTo(outline, position, ops, search);
  for (const { steps } of some) {
    const step = steps[lowerBound(steps, position + 1)];
    if (step !== undefined && step < Math.min(outline.steps, first ?? Infinity)) first = step;
  }
  const late = some.find(({ seen, problem }) => problem === null && seen < Math.min(outline.steps, first ?? Infinity));
  if (late?.isShort(outline)) throw new MissingStops(late);
  return late ? null : first;
}

/** The stop before a position, else the first step. @param {Stops} stops @param {Outline} outline @param {number} position @returns {number} */
export function previousStop({ ops, lists: some }, outline, position) {
  const late = some.find((list) => list.seen < position && list.isShort(outline));
  if (late) throw new MissingStops(late);
  const before = some.map(({ steps }) => steps[lowerBound(steps, position) - 1] ?? 0);
  return Math.max(reverseContinue(outline, position, ops), ...before);
}

/** The ops at which a breakpoint may stop in the shown run. @param {import("../types.js").BreakpointInfo} point @returns {number[]} */
export function opsHere(point) {
  const program = store.program.value;
  return program ? [...(opsOf(point, program, store.lineMap.value.toRun) ?? [])] : [];
}
