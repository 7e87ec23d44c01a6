/**
 * Work that waits until a step is painted, such as secondary panels and prefetching. It runs when the main thread is
 * free, or after a short timeout; `<html>` becomes idle only after it.
 */
import { signal } from "@preact/signals";
import { begin } from "./idle.js";

/** Interval at which secondary panels follow while a key is held down. */
const LATEST_MS = 150;

/** Act once the next frame is painted and no urgent task waits. @param {() => void} act @returns {() => void} cancels it */
export function afterPaint(act) {
  const end = begin();
  let cancelled = false;
  const run = () => {
    if (!cancelled) act();
    end();
  };
  requestAnimationFrame(() => {
    if ("requestIdleCallback" in globalThis) requestIdleCallback(run, { timeout: LATEST_MS });
    else setTimeout(run);
  });
  return () => {
    cancelled = true;
    end();
  };
}

/** A signal that follows another one after each paint. @template T @param {import("@preact/signals").ReadonlySignal<T>} source @returns {import("@preact/signals").ReadonlySignal<T>} */
export function afterPaintOf(source) {
  const later = signal(source.peek());
  let waits = false;
  source.subscribe((value) => {
    if (!globalThis.requestAnimationFrame) later.value = value;
    else if (!waits && value !== later.peek()) {
      waits = true;
      afterPaint(() => {
        waits = false;
        later.value = source.peek();
      });
    }
  });
  return later;
}
