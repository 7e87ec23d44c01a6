/** Lets the common clock run: all processes go on tick by tick, so many a second. */
import { effect, signal } from "@preact/signals";
import { goToTick } from "../actions.js";
import * as store from "../store.js";

/** So many ticks a second can be followed with the eyes. */
const READABLE = 2;

export const running = signal(false);
export const ticksASecond = signal(4);

/** Keep the clock going while it runs. @returns {() => void} ends it */
export function keepRunning() {
  let frame = 0;
  let due = 0;
  const step = (/** @type {number} */ now) => {
    frame = requestAnimationFrame(step);
    if (now < due) return;
    due = Math.max(due, now - 100) + 1000 / ticksASecond.value;
    const grid = store.grid.value;
    const at = store.ticks.value[store.process.value] ?? 0;
    if (!grid || at >= grid.lastTick) running.value = false;
    else goToTick(at + 1);
  };
  const end = effect(() => {
    cancelAnimationFrame(frame);
    store.hurried.value = running.value && ticksASecond.value > READABLE;
    if (!running.value) return;
    due = 0;
    frame = requestAnimationFrame(step);
  });
  return () => {
    end();
    cancelAnimationFrame(frame);
    running.value = false;
  };
}

/** From the start again where it is at the end. */
export function toggleRunning() {
  const at = store.ticks.value[store.process.value] ?? 0;
  if (!running.value && at >= (store.grid.value?.lastTick ?? 0)) goToTick(0);
  running.value = !running.value;
}
