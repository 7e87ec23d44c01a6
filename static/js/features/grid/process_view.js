/**
 * The state of a process at its position: its op, what it does or waits for, and its copy of the selected value.
 *
 * @typedef {{process: number, name: string, tick: number, step: number, op: number|null, state: ProcessState,
 *   execution: CollectiveExecution|null, waitsFor: readonly number[], address: string|null}} ProcessView
 */
import { computed } from "@preact/signals";
import { elementAddress } from "../../core/addresses.js";
import { comesAfter } from "../../core/run/ahead.js";
import { visibleAddress } from "../../core/run/values.js";
import * as store from "../../core/store.js";
/** @import {GridRecord} from "../../core/grid/record.js" */
/** @import {CollectiveExecution, ProcessState} from "../../core/grid/record_parts.js" */

/** The value that the grid shows: the chosen one, else the first operand of the current op, which its processes hold before it runs. */
export const gridValue = computed(() => {
  const op = store.chosenValue.value === null ? store.currentOp.value : null;
  const operands = op === null ? [] : (store.program.value?.op(op).operands ?? []);
  for (const operand of operands) {
    const located = store.locate(operand);
    if (located) return located;
  }
  return store.selectedValue.value;
});

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
  const address = store.whereHere(() => selectedAddress(grid, program, process, position.step));
  return { process, name: grid.nameOf(process), tick, ...position, state, execution, waitsFor, address };
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

/** The address of the selected value in a process; null where it has none yet, though the recording has it. @param {GridRecord} grid @param {import("../../core/run/program.js").Program} program @param {number} process @param {number} step @returns {string|null} */
export function selectedAddress(grid, program, process, step) {
  const selected = gridValue.value;
  if (!selected) return null;
  const outline = grid.outline(process);
  const found = visibleAddress(outline, program, step, selected.value);
  if (!found || comesAfter(outline, step, found.address)) return null;
  return elementAddress(found.address, selected.path);
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
