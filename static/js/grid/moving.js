/**
 * Where everybody is after a step of the shown process, and after another process is shown. With one process that is
 * the step alone. What is missing for an answer is thrown, as everywhere.
 */
import { batch } from "@preact/signals";
import * as store from "../store.js";
import { consistent, inLockStep, moved } from "./positions.js";

/**
 * `ticks`, `held`: as in the store. `met`: the meeting in which the shown process is held back.
 *
 * @typedef {{step: number, process: number, ticks: number[], held: ReadonlyMap<number, number>, met: number|null}} Plan
 */

/** @type {ReadonlyMap<number, number>} */
const NOBODY = new Map();

/** The shown process goes to `step`, and others with it; null where they are not recorded so far. @param {number} step @returns {Plan|null} */
export function planStep(step) {
  const grid = store.grid.value;
  const process = store.process.value;
  if (grid === null) return { step, process, ticks: store.ticks.value, held: NOBODY, met: null };
  return planTick(process, grid.clock(process, { step }).tickOf(step), store.together.value);
}

/** As far as everybody is recorded. @returns {Plan} */
export function planLast() {
  const grid = store.grid.value;
  const process = store.process.value;
  const { last } = store.outline.value;
  if (grid === null) return { step: last, process, ticks: store.ticks.value, held: NOBODY, met: null };
  const tick = Math.min(grid.clock(process, { step: last }).tickOf(last), Math.max(0, grid.recordedTicks - 1));
  return /** @type {Plan} */ (planTick(process, tick));
}

/** A process goes to a tick, and others with it; null where they are not recorded so far. @param {number} process @param {number} tick @param {typeof store.together.value} [together] @returns {Plan|null} */
export function planTick(process, tick, together = store.together.value) {
  const grid = /** @type {import("./record.js").GridRecord} */ (store.grid.value);
  if (together !== "one" && tick > grid.recordedTicks) return null;
  const wanted = moved(store.ticks.value, process, tick, together);
  const { ticks, held } = inLockStep(wanted) ? { ticks: wanted, held: NOBODY } : consistent(wanted, grid.allMeetings());
  const outline = grid.outline(process);
  const at = /** @type {number} */ (ticks[process]);
  return { step: grid.clock(process, { tick: at }).stepAt(at, outline.last), process, ticks, held, met: held.get(process) ?? null };
}

/** Another process is shown, where it is. @param {number} process @returns {Plan} */
export function planProcess(process) {
  const grid = /** @type {import("./record.js").GridRecord} */ (store.grid.value);
  const ticks = store.ticks.value;
  const tick = ticks[process] ?? 0;
  const step = grid.clock(process, { tick }).stepAt(tick, grid.outline(process).last);
  return { step, process, ticks, held: store.held.value, met: store.held.value.get(process) ?? null };
}

/** It is so. @param {Plan} plan */
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
