/** Canvases: cleared at the screen's density, in the page's colours, and redrawn when their data changes. */
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

/** Grows when the page's colours change, by the theme or the system: canvases redraw. */
export const themed = signal(0);

/** Attributes of the page that select its colours and sizes. */
const LOOKS = ["class", "data-presenter", "data-theme", "style"];
const turn = () => themed.value++;
new MutationObserver(turn).observe(document.documentElement, { attributeFilter: LOOKS });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", turn);

/** Redraw with the page's colours until the returned function is called. @param {{current: {restyle: () => void}|null}} canvas @returns {() => void} */
export const redrawWithTheme = (canvas) => themed.subscribe(() => canvas.current?.restyle());

/** A canvas in CSS pixels, empty. @param {HTMLCanvasElement} canvas @param {{width: number, height: number}} size @returns {CanvasRenderingContext2D|null} */
export function clearCanvas(canvas, { width, height }) {
  const density = window.devicePixelRatio || 1;
  const [wide, high] = [Math.max(1, Math.round(width * density)), Math.max(1, Math.round(height * density))];
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
  const context = canvas.getContext("2d");
  context?.setTransform(density, 0, 0, density, 0, 0);
  context?.clearRect(0, 0, width, height);
  return context;
}

/** The page's colours by token, each read once. @param {HTMLElement} element @returns {(token: string) => string} */
export function coloursOf(element) {
  const style = getComputedStyle(element);
  /** @type {Map<string, string>} */
  const known = new Map();
  return (token) => {
    const found = known.get(token) ?? style.getPropertyValue(token).trim();
    known.set(token, found);
    return found;
  };
}
