/** A canvas that is drawn again when what it shows has changed, or its size or the theme. */
import { effect, signal } from "@preact/signals";
import { themed } from "./themed.js";

/**
 * Draws until the function that it gives is called.
 *
 * @param {HTMLCanvasElement|null} canvas
 * @param {(canvas: HTMLCanvasElement) => (() => void)|null} look reads the signals that matter, and gives what draws;
 * null: nothing to draw yet
 */
export function keepDrawn(canvas, look) {
  if (!canvas) return undefined;
  const resized = signal(0);
  const observer = new ResizeObserver(() => resized.value++);
  observer.observe(canvas);
  let frame = 0;
  const end = effect(() => {
    resized.value;
    themed.value;
    const draw = look(canvas);
    cancelAnimationFrame(frame);
    if (draw) frame = requestAnimationFrame(draw);
  });
  return () => {
    end();
    observer.disconnect();
    cancelAnimationFrame(frame);
  };
}
