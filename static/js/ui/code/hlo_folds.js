/** Folds of HLO text: computations, and multi-line literals. */
import { foldGutter, foldService } from "@codemirror/language";
/** @import {EditorState} from "@codemirror/state" */

/** @typedef {{from: number, to: number}} Range */

const HEAD = /^(\s*)(?:ENTRY\s+)?%?[A-Za-z_][\w.-]*\s*(?:\(.*\)\s*->.*)?\{\s*(?:\/\/.*)?$/;
const LITERAL = /\bconstant\((?=\s*[{(])/;
/** Minimum length of a literal that can be folded. */
const LEAST_LITERAL = 80;
/** Minimum length of a literal that is folded while the essence of the text is shown. */
const VERY_LONG = 240;
/** Maximum number of lines of a folded literal. */
const MOST_LINES = 20_000;

/** @param {EditorState} state @param {number} start of a line @returns {Range|null} */
export function foldOfLine(state, start) {
  const { from, to, text, number } = state.doc.lineAt(start);
  const head = HEAD.exec(text);
  if (head) return computationBody(state, number, to, head[1]?.length ?? 0);
  return literal(state, number, from, text);
}

/** The range from the opening brace to the line of the closing one. @param {EditorState} state @param {number} number @param {number} from @param {number} indent @returns {Range|null} */
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
  // Complex numbers and tuples contain parentheses.
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

/** The parenthesis that closes the one open at `start`, else the last one of the line. @param {string} text @param {number} start @returns {number} */
function literalEnd(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "(") depth++;
    if (text[at] === ")" && depth-- === 0) return at;
  }
  return Math.max(start, text.lastIndexOf(")"));
}

/** Multi-line literals that are very long. @param {EditorState} state @returns {Range[]} */
export function longLiterals(state) {
  const found = [];
  let from = 0;
  let number = 0;
  for (const text of state.doc.iterLines()) {
    number++;
    const elements = text.includes("constant(") ? literal(state, number, from, text) : null;
    const goesOn = elements && elements.to > from + text.length;
    if (goesOn && elements.to - elements.from >= VERY_LONG) found.push(elements);
    from += text.length + 1;
  }
  return found;
}

export const hloFolding = [foldService.of((state, start) => foldOfLine(state, start)), foldGutter()];
