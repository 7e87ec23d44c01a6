/** Canvases that are redrawn when their data or the page's colours change. */
import { effect, signal } from "@preact/signals";
import { onFrame } from "../core/idle.js";
import { watchSizes } from "./element_size.js";

/**
 * Draw until the returned function is called.
 *
 * @param {HTMLCanvasElement|null} canvas
 * @param {(canvas: HTMLCanvasElement) => (() => void)|null} look reads the relevant signals and returns the drawing
 * function; null: nothing to draw yet
 */
export function keepDrawn(canvas, look) {
  if (!canvas) return undefined;
  const resized = signal(0);
  const endWatch = watchSizes([canvas], () => resized.value++);
  let cancel = () => {};
  const end = effect(() => {
    resized.value;
    themed.value;
    const draw = look(canvas);
    cancel();
    if (draw) cancel = onFrame(draw);
  });
  return () => {
    end();
    endWatch();
    cancel();
  };
}

/**
 * In each frame while the signal is true, until the returned function is called.
 *
 * @param {import("@preact/signals").Signal<boolean>} isOn @param {(now: number, passed: number) => void} act milliseconds; passed: since the frame before, 0 in the first one
 */
export function eachFrame(isOn, act) {
  let cancel = () => {};
  const end = effect(() => {
    cancel();
    if (!isOn.value) return;
    let last = 0;
    const tick = (/** @type {number} */ now) => {
      const passed = last && now - last;
      last = now;
      cancel = onFrame(tick);
      act(now, passed);
    };
    cancel = onFrame(tick);
  });
  return () => {
    end();
    cancel();
  };
}

/** Grows when the page's colours change, by the theme or the system: canvases redraw. */
export const themed = signal(0);

/** Attributes of the page that select its colours and sizes. */
const LOOKS = ["class", "data-presenter", "data-theme", "style"];
const turn = () => themed.value++;
new MutationObserver(turn).observe(document.documentElement, { attributeFilter: LOOKS });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", turn);

/** Redraw with the page's colours until the returned function is called. @param {{current: {restyle: () => void}|null}} canvas @returns {() => void} */
export const redrawWithTheme = (canvas) => themed.subscribe(() => canvas.current?.restyle());
