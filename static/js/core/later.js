/**
 * What can wait until a step is painted: the panels beside, what is fetched ahead. It happens once the main thread has
 * nothing else to do, at the latest a moment after; `<html>` is idle only behind it.
 */
import { signal } from "@preact/signals";
import { begin } from "./idle.js";

/** Who holds down a key sees the panels beside follow so often. */
const LATEST_MS = 150;

/** Act once the next frame is painted and nothing more urgent waits. @param {() => void} act @returns {() => void} cancels it */
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

/** A signal that has the value of another one, once that is painted. @template T @param {import("@preact/signals").ReadonlySignal<T>} source @returns {import("@preact/signals").ReadonlySignal<T>} */
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
