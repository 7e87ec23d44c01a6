/** The marks of a process's state: distinguishable by shape as well as colour. For HTML and canvases. */
import { html } from "htm/preact";

/**
 * Paths in a 16 by 16 square; `filled` or stroked; the token of the colour.
 *
 * @type {Record<import("../core/grid/record_parts.js").ProcessState, {path: string, filled: boolean, colour: string}>}
 */
export const MARKS = {
  ready: { path: "M8 3.500a4.500 4.500 0 1 0 .01 0z", filled: false, colour: "--muted" },
  running: { path: "M4.500 2.800v10.400l8.300-5.200z", filled: true, colour: "--accent" },
  waiting: { path: "M3.500 3h3.200v10H3.500zM9.300 3h3.200v10H9.300z", filled: true, colour: "--warning" },
  done: { path: "M2.800 8.500l3.500 3.500 7-8", filled: false, colour: "--good" },
  failed: { path: "M3.500 3.500l9 9M12.500 3.500l-9 9", filled: false, colour: "--alarm" },
  queue: { path: "M8 1.800v7M5 6l3 3 3-3M2.500 9.500v4h11v-4", filled: false, colour: "--warning" },
};

/** @param {{state: import("../core/grid/record_parts.js").ProcessState}} props */
export function ProcessMark({ state }) {
  const { path, filled, colour } = MARKS[state];
  return html`<svg class="process-mark" viewBox="0 0 16 16" aria-hidden="true" style=${{ color: `var(${colour})` }}>
    <path d=${path} class=${filled ? "filled" : "drawn"} /></svg>`;
}
