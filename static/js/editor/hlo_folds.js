/**
 * What of HLO text can be folded: computations, and in a line what is long or changes no value. The details of all
 * lines (metadata, backend_config and the like) are folded and shown together, and with them very long literals.
 */
import { codeFolding, foldEffect, foldGutter, foldKeymap, foldService, foldedRanges, unfoldEffect } from "@codemirror/language";
import { keymap } from "@codemirror/view";

/** @typedef {import("@codemirror/state").EditorState} EditorState */
/** @typedef {{from: number, to: number}} Range */

const HEAD = /^(\s*)(?:ENTRY\s+)?%?[A-Za-z_][\w.-]*\s*(?:\(.*\)\s*->.*)?\{\s*(?:\/\/.*)?$/;
/** What the compiler notes beside an instruction. */
const DETAILS = /, (?:metadata|backend_config|frontend_attributes|sharding|statistics|origin|original_value|result_accuracy)=/;
const LITERAL = /\bconstant\((?=\s*[{(])/;
/** Shorter ones are not worth it. */
const LEAST_DETAILS = 24;
const LEAST_LITERAL = 80;
/** A literal of so many characters is folded with the details. */
const VERY_LONG = 240;
const LONG_LITERAL = new RegExp(String.raw`\bconstant\([^)]{${VERY_LONG}}`);
/** A literal that goes on for more lines is folded as far as this. */
const MOST_LINES = 20_000;

/** @param {EditorState} state @param {number} start of a line @returns {Range|null} */
export function foldOfLine(state, start) {
  const { from, to, text, number } = state.doc.lineAt(start);
  const head = HEAD.exec(text);
  if (head) return computationBody(state, number, to, head[1]?.length ?? 0);
  return literal(state, number, from, text) ?? details(from, text);
}

/** From the brace that opens it to the line that closes it. @param {EditorState} state @param {number} number @param {number} from @param {number} indent @returns {Range|null} */
function computationBody({ doc }, number, from, indent) {
  const closes = new RegExp(`^\\s{0,${indent}}\\}`);
  for (let next = number + 1; next <= doc.lines; next++) {
    const line = doc.line(next);
    if (closes.test(line.text)) return next > number + 1 ? { from, to: line.from + line.text.indexOf("}") } : null;
  }
  return null;
}

/** @param {EditorState} state @param {number} number @param {number} from @param {string} text @returns {Range|null} */
function literal({ doc }, number, from, text) {
  const found = LITERAL.exec(text);
  if (!found) return null;
  const start = found.index + found[0].length;
  const same = text.indexOf(")", start);
  // The parenthesis of a complex number or a tuple is followed by more of it.
  if (same >= 0) {
    const end = literalEnd(text, start);
    return end - start >= LEAST_LITERAL ? { from: from + start, to: from + end } : null;
  }
  for (let next = number + 1; next <= Math.min(doc.lines, number + MOST_LINES); next++) {
    const line = doc.line(next);
    if (line.text.includes(")")) return { from: from + start, to: line.from + literalEnd(line.text, 0) };
  }
  return null;
}

/** Where the parenthesis closes that is open at `start`, else the last one of the line. @param {string} text @param {number} start @returns {number} */
function literalEnd(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && depth-- === 0) return at;
  }
  return Math.max(start, text.lastIndexOf(")"));
}

/** What stands behind the attributes that change values. @param {number} from @param {string} text @returns {Range|null} */
function details(from, text) {
  const at = text.search(DETAILS);
  return at < 0 || text.length - at < LEAST_DETAILS ? null : { from: from + at + 2, to: from + text.length };
}

/** The details of all lines, and what is very long. @param {EditorState} state @returns {Range[]} */
export function allDetails(state) {
  const found = [];
  for (let number = 1, from = 0; number <= state.doc.lines; number++) {
    const { text, length } = state.doc.line(number);
    const elements = literal(state, number, from, text);
    if (elements && elements.to - elements.from >= VERY_LONG) found.push(elements);
    const range = details(from, text);
    if (range) found.push(range);
    from += length + 1;
  }
  return found;
}

/** Whether there is anything that `hideDetails` would fold. @param {string} text @returns {boolean} */
export const hasDetails = (text) => DETAILS.test(text) || LONG_LITERAL.test(text);

/** Fold the details of all lines, or show them. @param {import("@codemirror/view").EditorView} view @param {boolean} hidden */
export function hideDetails(view, hidden) {
  const folded = new Set();
  foldedRanges(view.state).between(0, view.state.doc.length, (from, to) => void folded.add(`${from} ${to}`));
  const isFolded = (/** @type {Range} */ { from, to }) => folded.has(`${from} ${to}`);
  const ranges = allDetails(view.state).filter((range) => isFolded(range) !== hidden);
  const kind = hidden ? foldEffect : unfoldEffect;
  if (ranges.length > 0) view.dispatch({ effects: ranges.map((range) => kind.of(range)) });
}

/** @param {import("@codemirror/view").EditorView} _view @param {(event: Event) => void} onclick @returns {HTMLElement} */
function placeholder(_view, onclick) {
  const made = document.createElement("span");
  made.className = "cm-foldPlaceholder";
  made.textContent = "…";
  made.title = "Show what is folded";
  made.setAttribute("role", "button");
  made.setAttribute("aria-label", "Show what is folded");
  made.onclick = onclick;
  return made;
}

export const hloFolding = [
  foldService.of((state, start) => foldOfLine(state, start)),
  codeFolding({ placeholderDOM: placeholder }),
  foldGutter(),
  keymap.of(foldKeymap),
];
