/** Folds of multi-line attributes of a StableHLO op: `<{`, one attribute per line, `}>`. */
import { essenceText } from "./essence/essence.js";
/** @import {EditorState} from "@codemirror/state" */

/** @typedef {{from: number, to: number}} Range */

const OPENS = /<\{\s*$/;
const CLOSES = /^\s*\}>/;
/** Maximum number of lines of a folded dictionary. */
const MOST_LINES = 64;

/** The ranges from `<{` to `}>`. @param {EditorState} state @returns {Range[]} */
export function longDictionaries({ doc }) {
  /** @type {Range[]} */
  const found = [];
  let [open, lines, from] = [-1, 0, 0];
  for (const text of doc.iterLines()) {
    const closes = open < 0 ? null : CLOSES.exec(text);
    if (closes) found.push({ from: open, to: from + closes[0].length });
    if (closes || ++lines > MOST_LINES) open = -1;
    const opens = OPENS.exec(text);
    if (opens) [open, lines] = [from + opens.index, 0];
    from += text.length + 1;
  }
  return found;
}

/** The attributes of a dictionary as the essence of one line; empty if all have default values. @param {EditorState} state @param {Range} range @returns {string|null} null: it is none */
export function dictionaryWords({ doc }, { from, to }) {
  const text = doc.sliceString(from, to);
  if (!text.startsWith("<{")) return null;
  const [op, operand] = ["op", "%a"];
  const line = `"stablehlo.${op}"(${operand}) ${text.replaceAll(/\s*\n\s*/g, " ")} : () -> ()`;
  return essenceText(line, "stablehlo").replace(`${op} ${operand}`, "").trim();
}
