/** The line that the editor's cursor is on, for commands that act on "this line". */
import { signal } from "@preact/signals";

/** Counts from 1. */
export const cursor = signal(1);

/** @returns {number} */
export const cursorLine = () => cursor.value;

/** Asks the editor to show a place and put the cursor there; `at` makes every request a new one. */
export const reveal = signal(/** @type {{line: number, from?: number, to?: number, focus: boolean, at: number}|null} */ (null));

/** @param {number} line @param {{from?: number, to?: number, focus?: boolean}} [range] */
export function revealLine(line, { from, to, focus = true } = {}) {
  reveal.value = { line, from, to, focus, at: Date.now() };
}
