/**
 * The position of each process as a tick of the common clock. In lockstep all are equal; a chosen set, or one
 * process, may be ahead or behind. A process never passes a collective execution whose awaited participants have not
 * arrived: it waits there. Pure functions.
 *
 * @typedef {{number: number, arrivals: Map<number, {step: number, tick: number}>, released: Map<number, number>,
 *   awaited: (process: number) => readonly number[]}} Exchange
 */
import { batch } from "@preact/signals";
import * as store from "../store.js";

/**
 * The largest positions up to `wanted` at which no process has passed a collective execution that an awaited
 * participant has not reached; and the execution in which each held process waits.
 *
 * @param {readonly number[]} wanted @param {readonly Exchange[]} executions at least those in progress between the smallest
 *   and the largest of `wanted` @returns {{ticks: number[], held: Map<number, number>}}
 */
export function consistentTicks(wanted, executions) {
  const ticks = [...wanted];
  /** @type {Map<number, number>} */
  const held = new Map();
  for (let changed = true; changed;) {
    changed = false;
    for (const execution of executions) {
      for (const [process, tick] of execution.released) {
        if (/** @type {number} */ (ticks[process]) < tick || allHaveCome(execution, process, ticks)) continue;
        ticks[process] = tick - 1;
        held.set(process, execution.number);
        changed = true;
      }
    }
  }
  return { ticks, held };
}

/** @param {Exchange} execution @param {number} process @param {readonly number[]} ticks @returns {boolean} */
const allHaveCome = (execution, process, ticks) =>
  execution.awaited(process).every((other) => {
    const arrival = execution.arrivals.get(other);
    return arrival !== undefined && /** @type {number} */ (ticks[other]) >= arrival.tick;
  });

/**
 * The wanted position of each process once the shown one is at `target`.
 *
 * @param {readonly number[]} ticks @param {number} shown @param {number} target
 * @param {"all"|"one"|ReadonlySet<number>} lockstep @returns {number[]}
 */
export function wantedTicks(ticks, shown, target, lockstep) {
  if (lockstep === "all") return ticks.map(() => target);
  const forward = target >= /** @type {number} */ (ticks[shown]);
  return ticks.map((tick, process) => {
    if (process === shown) return target;
    if (lockstep === "one" || !lockstep.has(process)) return tick;
    // A process never moves back because another moves forward, nor the reverse.
    return forward ? Math.max(tick, target) : Math.min(tick, target);
  });
}

/** Whether all are at the same tick. @param {readonly number[]} ticks @returns {boolean} */
export const isInLockstep = (ticks) => ticks.every((tick) => tick === ticks[0]);

/**
 * The positions after a step of the shown process, and after a change of the shown process. With one process that is
 * the step alone. Missing data throws, as everywhere.
 */

/**
 * `ticks`, `held`: as in the store. `execution`: the collective execution in which the shown process waits.
 *
 * @typedef {{step: number, process: number, ticks: number[], held: ReadonlyMap<number, number>, execution: number|null}} Plan
 */

/** @type {ReadonlyMap<number, number>} */
const NOBODY = new Map();

/** Move the shown process to `step`, and others with it; null where they are not recorded. @param {number} step @returns {Plan|null} */
export function planStep(step) {
  const grid = store.grid.value;
  const process = store.process.value;
  if (grid === null) return { step, process, ticks: store.ticks.value, held: NOBODY, execution: null };
  return planTick(process, grid.clock(process, { step }).tickOf(step), store.lockstep.value);
}

/** As far as all processes are recorded. @returns {Plan} */
export function planLast() {
  const grid = store.grid.value;
  const process = store.process.value;
  const { last } = store.outline.value;
  if (grid === null) return { step: last, process, ticks: store.ticks.value, held: NOBODY, execution: null };
  const tick = Math.min(grid.clock(process, { step: last }).tickOf(last), Math.max(0, grid.recordedTicks - 1));
  return /** @type {Plan} */ (planTick(process, tick));
}

/** Move a process to a tick, and others with it; null where they are not recorded. @param {number} process @param {number} tick @param {typeof store.lockstep.value} [lockstep] @returns {Plan|null} */
export function planTick(process, tick, lockstep = store.lockstep.value) {
  const grid = /** @type {import("./record.js").GridRecord} */ (store.grid.value);
  if (lockstep !== "one" && tick > grid.recordedTicks) return null;
  const wanted = wantedTicks(store.ticks.value, process, tick, lockstep);
  const { ticks, held } = isInLockstep(wanted)
    ? { ticks: wanted, held: NOBODY }
    : consistentTicks(wanted, grid.allExecutions());
  const outline = grid.outline(process);
  const at = /** @type {number} */ (ticks[process]);
  return {
    step: grid.clock(process, { tick: at }).stepAt(at, outline.last),
    process,
    ticks,
    held,
    execution: held.get(process) ?? null,
  };
}

/** Show another process at its position. @param {number} process @returns {Plan} */
export function planProcess(process) {
  const grid = /** @type {import("./record.js").GridRecord} */ (store.grid.value);
  const ticks = store.ticks.value;
  const tick = ticks[process] ?? 0;
  const step = grid.clock(process, { tick }).stepAt(tick, grid.outline(process).last);
  return { step, process, ticks, held: store.held.value, execution: store.held.value.get(process) ?? null };
}

/** Apply a plan. @param {Plan} plan */
export function settle({ step, process, ticks, held }) {
  batch(() => {
    store.position.value = step;
    store.ticks.value = ticks;
    store.held.value = held;
    const grid = store.grid.value;
    if (grid === null || process === store.process.value) return;
    store.process.value = process;
    store.outline.value = grid.outline(process);
    store.steps.value = store.outline.value.steps;
  });
}
