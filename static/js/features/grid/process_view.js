/**
 * The state of a process at its position: its op, what it does or waits for, and its copy of the selected value.
 *
 * @typedef {{process: number, name: string, tick: number, step: number, op: number|null, state: ProcessState,
 *   execution: CollectiveExecution|null, waitsFor: readonly number[], address: string|null}} ProcessView
 */
import { elementAddress } from "../../core/addresses.js";
import { visibleAddress } from "../../core/run/values.js";
import * as store from "../../core/store.js";
/** @import {GridRecord} from "../../core/grid/record.js" */
/** @import {CollectiveExecution, ProcessState} from "../../core/grid/record_parts.js" */

/** Words for the state of a process. @type {Record<ProcessState, string>} */
export const STATE_WORDS = {
  ready: "not started",
  running: "running",
  waiting: "waiting",
  done: "done",
  failed: "failed",
  queue: "waits for a queue",
};

/** A process at its own position; null while that is loading. @param {GridRecord} grid @param {import("../../core/run/program.js").Program} program @param {number} process @returns {ProcessView|null} */
export function processView(grid, program, process) {
  const tick = Math.min(store.ticks.value[process] ?? 0, grid.lastTick);
  const position = store.whereHere(() => grid.positionAt(process, tick));
  if (!position) return null;
  const held = store.held.value.get(process) ?? null;
  const number = held ?? position.execution;
  const execution = number === null ? null : store.whereHere(() => grid.execution(number));
  const state = held === null ? position.state : "waiting";
  const waitsFor = execution && state === "waiting" ? whomFor(execution, process, tick) : [];
  const address = hasNoResult(program, state, position.op)
    ? null
    : store.whereHere(() => selectedAddress(grid, program, process, position.step));
  return { process, name: grid.nameOf(process), tick, ...position, state, execution, waitsFor, address };
}

/** The result of a waiting op is not shown yet, though the recording has it. @param {import("../../core/run/program.js").Program} program @param {ProcessState} state @param {number|null} op @returns {boolean} */
function hasNoResult(program, state, op) {
  const value = store.selectedValue.value?.value;
  return state !== "running" && op !== null && value !== undefined && program.definition(value).op === op;
}

/** @param {CollectiveExecution} execution @param {number} process @param {number} tick @returns {readonly number[]} */
function whomFor(execution, process, tick) {
  const ticks = store.ticks.value;
  const awaited = new Set(execution.awaited(process));
  const missing = execution
    .missing(ticks.length ? ticks : [tick])
    .filter((other) => other !== process && (awaited.size === 0 || awaited.has(other)));
  if (missing.length > 0) return missing;
  return execution.info.group.filter((other) => other !== process && !execution.arrivals.has(other));
}

/** The address of the selected value in a process. @param {GridRecord} grid @param {import("../../core/run/program.js").Program} program @param {number} process @param {number} step @returns {string|null} */
export function selectedAddress(grid, program, process, step) {
  const selected = store.selectedValue.value;
  if (!selected) return null;
  const found = visibleAddress(grid.outline(process), program, step, selected.value);
  return found && elementAddress(found.address, selected.path);
}

/**
 * The collective execution whose groups are shown: that of the shown process, else the first of any.
 *
 * @param {readonly (ProcessView|null)[]} all @param {number} shown @returns {CollectiveExecution|null}
 */
export function currentExecution(all, shown) {
  const here = all.find((one) => one?.process === shown)?.execution;
  return here ?? all.find((one) => one?.execution)?.execution ?? null;
}
