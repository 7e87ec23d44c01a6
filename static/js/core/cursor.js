/** The line that commands for "this line" act on; and the editor for those who are not it. */
import { signal } from "@preact/signals";

/** The line that was chosen last: by the editor's cursor, or by going to a step. Counts from 1. */
export const cursor = signal(1);

/** @returns {number} */
export const cursorLine = () => cursor.value;

/** Opens the menu of the line at the cursor. */
export const lineMenu = signal(/** @type {(() => void)|null} */ (null));

/** The editor, while there is one. */
const editor = signal(/** @type {{focus: () => void, requestMeasure: () => void}|null} */ (null));

/** @param {{focus: () => void, requestMeasure: () => void}|null} view */
export const keepEditor = (view) => (editor.value = view);

export const focusEditor = () => editor.peek()?.focus();

/** It was hidden: what it knew of its size may be wrong. */
export const measureEditor = () => editor.peek()?.requestMeasure();

/** Opens the card of the value at the cursor. */
export const valueDescriber = signal(/** @type {(() => void)|null} */ (null));

/** Asks the editor to show a place and put the cursor there; `at` makes every request a new one. */
export const reveal = signal(
  /** @type {{line: number, from?: number, to?: number, focus: boolean, at: number}|null} */ (null),
);

/** @param {number} line @param {{from?: number, to?: number, focus?: boolean}} [range] */
export function revealLine(line, { from, to, focus = true } = {}) {
  reveal.value = { line, from, to, focus, at: Date.now() };
}
