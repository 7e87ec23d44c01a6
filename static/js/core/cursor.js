/** The line that commands for "this line" use, and the editor for other panels. */
import { signal } from "@preact/signals";
import { leave } from "./places.js";

/** The line selected last, by the editor's cursor or by going to a step. Counts from 1. */
export const cursor = signal(1);

export const cursorLine = () => cursor.value;

/**
 * Commands of the editor at its cursor; null while it is not mounted. `menu`: of the line or of the value; `describe`:
 * opens the card of the value; `definition`, `uses`, `peek`, `rename`: of the name; `search`: of the text.
 *
 * @typedef {Record<"menu"|"describe"|"definition"|"uses"|"peek"|"rename"|"search", () => void>} AtCursor
 */
export const atCursor = signal(/** @type {AtCursor|null} */ (null));

/** The editor, while it is mounted. */
const editor = signal(/** @type {Editor|null} */ (null));

/** @typedef {{focus: () => void, requestMeasure: () => void, dispatch: (change: {changes: {from: number, to: number, insert: string}}) => void}} Editor */

/** @param {Editor|null} view */
export const keepEditor = (view) => (editor.value = view);

export const focusEditor = () => editor.peek()?.focus();

/** Replace a range of the text. @param {{from: number, to: number}} range @param {string} insert */
export const replaceText = ({ from, to }, insert) => editor.peek()?.dispatch({ changes: { from, to, insert } });

/** Measure again after it was hidden: its size may have changed. */
export const measureEditor = () => editor.peek()?.requestMeasure();

/**
 * Request that the editor shows a range and moves the cursor there; `at` makes each request unique. `ofRun`: the range
 * is of the text that ran.
 *
 * @typedef {{line: number, from?: number, to?: number, focus: boolean, ofRun?: boolean, at: number}} Reveal
 */
export const reveal = signal(/** @type {Reveal|null} */ (null));

/** @param {number} line @param {{from?: number, to?: number, focus?: boolean}} [range] */
export function revealLine(line, { from, to, focus = true } = {}) {
  leave();
  reveal.value = { line, from, to, focus, at: Date.now() };
}

/** Select a range of the text that ran. @param {{from: number, to: number}} range */
export function revealInRun({ from, to }) {
  leave();
  reveal.value = { line: 1, from, to, focus: true, ofRun: true, at: Date.now() };
}
