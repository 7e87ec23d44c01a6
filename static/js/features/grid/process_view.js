/**
 * What is to be seen of a process where it is: its op, what it does, whom it waits for, and its own copy of the
 * selected value.
 *
 * @typedef {{process: number, name: string, tick: number, step: number, op: number|null, state: ProcessState,
 *   meeting: Meeting|null, waitsFor: readonly number[], address: string|null}} ProcessView
 */
import { elementAddress } from "../../core/addresses.js";
import { visibleAddress } from "../../core/run/values.js";
import * as store from "../../core/store.js";
/**
 * @import {GridRecord} from "../../core/grid/record.js"
 * @import {Meeting, ProcessState} from "../../core/grid/record_parts.js"
 */

/** Words for what a process does. @type {Record<ProcessState, string>} */
export const STATE_WORDS = {
  ready: "not started",
  running: "running",
  waiting: "waiting",
  done: "done",
  failed: "failed",
  queue: "waits for a queue",
};

/** A process at its own position; null while that is on its way. @param {GridRecord} grid @param {import("../../core/run/program.js").Program} program @param {number} process @returns {ProcessView|null} */
export function processView(grid, program, process) {
  const tick = Math.min(store.ticks.value[process] ?? 0, grid.lastTick);
  const position = store.whereHere(() => grid.positionAt(process, tick));
  if (!position) return null;
  const held = store.held.value.get(process) ?? null;
  const number = held ?? position.meeting;
  const meeting = number === null ? null : store.whereHere(() => grid.meeting(number));
  const state = held === null ? position.state : "waiting";
  const waitsFor = meeting && state === "waiting" ? whomFor(meeting, process, tick) : [];
  const address = hasNoResult(program, state, position.op)
    ? null
    : store.whereHere(() => selectedAddress(grid, program, process, position.step));
  return { process, name: grid.nameOf(process), tick, ...position, state, meeting, waitsFor, address };
}

/** What an op that waits will make is not there yet, though the recording knows it. @param {import("../../core/run/program.js").Program} program @param {ProcessState} state @param {number|null} op @returns {boolean} */
function hasNoResult(program, state, op) {
  const value = store.selectedValue.value?.value;
  return state !== "running" && op !== null && value !== undefined && program.definition(value).op === op;
}

/** @param {Meeting} meeting @param {number} process @param {number} tick @returns {readonly number[]} */
function whomFor(meeting, process, tick) {
  const ticks = store.ticks.value;
  const awaited = new Set(meeting.awaited(process));
  const missing = meeting
    .missing(ticks.length ? ticks : [tick])
    .filter((other) => other !== process && (awaited.size === 0 || awaited.has(other)));
  if (missing.length > 0) return missing;
  return meeting.info.group.filter((other) => other !== process && !meeting.arrivals.has(other));
}

/** Where a process has what is selected. @param {GridRecord} grid @param {import("../../core/run/program.js").Program} program @param {number} process @param {number} step @returns {string|null} */
export function selectedAddress(grid, program, process, step) {
  const selected = store.selectedValue.value;
  if (!selected) return null;
  const found = visibleAddress(grid.outline(process), program, step, selected.value);
  return found && elementAddress(found.address, selected.path);
}

/**
 * The meeting whose groups are shown: the one that the shown process is in, else the first one that somebody is in.
 *
 * @param {readonly (ProcessView|null)[]} all @param {number} shown @returns {Meeting|null}
 */
export function currentMeeting(all, shown) {
  const here = all.find((one) => one?.process === shown)?.meeting;
  return here ?? all.find((one) => one?.meeting)?.meeting ?? null;
}
