/** The line that commands for "this line" use, and the editor for other panels. */
import { signal } from "@preact/signals";

/** The line selected last, by the editor's cursor or by going to a step. Counts from 1. */
export const cursor = signal(1);

export const cursorLine = () => cursor.value;

/** Opens the menu of the line at the cursor. */
export const lineMenu = signal(/** @type {(() => void)|null} */ (null));

/** The editor, while it is mounted. */
const editor = signal(/** @type {{focus: () => void, requestMeasure: () => void}|null} */ (null));

/** @param {{focus: () => void, requestMeasure: () => void}|null} view */
export const keepEditor = (view) => (editor.value = view);

export const focusEditor = () => editor.peek()?.focus();

/** Measure again after it was hidden: its size may have changed. */
export const measureEditor = () => editor.peek()?.requestMeasure();

/** Opens the card of the value at the cursor. */
export const valueDescriber = signal(/** @type {(() => void)|null} */ (null));

/** Request that the editor shows a range and moves the cursor there; `at` makes each request unique. */
export const reveal = signal(
  /** @type {{line: number, from?: number, to?: number, focus: boolean, at: number}|null} */ (null),
);

/** @param {number} line @param {{from?: number, to?: number, focus?: boolean}} [range] */
export function revealLine(line, { from, to, focus = true } = {}) {
  reveal.value = { line, from, to, focus, at: Date.now() };
}
