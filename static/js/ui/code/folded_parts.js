/** Parts of the text that are folded initially: tables of locations, and very long literals. */
import { countText } from "../../core/tensor/elements.js";
import { codeFolding, foldEffect, foldKeymap, foldedRanges, unfoldEffect } from "@codemirror/language";
import { Facet } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { dictionaryWords } from "./dictionary_folds.js";
import { element } from "./element.js";
/** @import {EditorState} from "@codemirror/state" */

/** @typedef {{from: number, to: number}} Range */

/** Finders of the parts of a text to fold. @type {Facet<(state: EditorState) => Range[], readonly ((state: EditorState) => Range[])[]>} */
export const foldedParts = Facet.define();

const MLIR_LOCATION = /^#loc\d*\s*=/;
const HLO_TABLE = /^(?:FileNames|FunctionNames|FileLocations|StackFrames)\s*$|^\d+\s+["{]/;
/** The tables of HLO text come before all computations. */
const HLO_COMPUTATION = /\{\s*$/;

/** Blocks of lines such as `#loc8 = loc("gen.py":29:38)`. @param {EditorState} state @returns {Range[]} */
export const mlirLocations = (state) => blocksOf(state, (line) => MLIR_LOCATION.test(line), null);

/** `FileNames` to `StackFrames`, with the blank lines between them. @param {EditorState} state @returns {Range[]} */
export const hloLocations = (state) => blocksOf(state, (line) => HLO_TABLE.test(line), HLO_COMPUTATION);

/** Blocks of consecutive lines of a table, up to the first line that matches `ends`. @param {EditorState} state @param {(line: string) => boolean} belongs @param {RegExp|null} ends @returns {Range[]} */
function blocksOf({ doc }, belongs, ends) {
  /** @type {Range[]} */
  const blocks = [];
  /** @type {Range|null} */
  let open = null;
  let from = 0;
  for (const line of doc.iterLines()) {
    if (ends?.test(line)) break;
    const to = from + line.length;
    if (belongs(line)) {
      if (open) open.to = to;
      else blocks.push((open = { from, to }));
    } else if (line !== "") open = null;
    from = to + 1;
  }
  return blocks.filter((block) => doc.lineAt(block.from).number < doc.lineAt(block.to).number);
}

/** Fold the parts, or show them. @param {import("@codemirror/view").EditorView} view @param {boolean} hidden */
export function foldParts(view, hidden) {
  const folded = new Set();
  foldedRanges(view.state).between(0, view.state.doc.length, (from, to) => void folded.add(`${from} ${to}`));
  const isFolded = (/** @type {Range} */ { from, to }) => folded.has(`${from} ${to}`);
  const ranges = view.state
    .facet(foldedParts)
    .flatMap((find) => find(view.state))
    .filter((range) => isFolded(range) !== hidden);
  const kind = hidden ? foldEffect : unfoldEffect;
  if (ranges.length > 0) view.dispatch({ effects: ranges.map((range) => kind.of(range)) });
}

/** The text of a fold's placeholder. @param {EditorState} state @param {Range} range @returns {string} */
function wordsOf(state, { from, to }) {
  const { doc } = state;
  const [first, last] = [doc.lineAt(from), doc.lineAt(to)];
  const attributes = dictionaryWords(state, { from, to });
  if (attributes !== null) return attributes || "…";
  if (from !== first.from) return "…";
  return `${first.text.split(/[\s=]/)[0]} … ${countText(last.number - first.number + 1)} lines of locations`;
}

/** @param {import("@codemirror/view").EditorView} _view @param {(event: Event) => void} onclick @param {string} words @returns {HTMLElement} */
function placeholder(_view, onclick, words) {
  const made = element("span", "cm-foldPlaceholder", words);
  made.title = "Show what is folded";
  made.setAttribute("role", "button");
  made.setAttribute("aria-label", words === "…" ? made.title : `${words}: show them`);
  made.onclick = onclick;
  return made;
}

export const folding = [
  codeFolding({ preparePlaceholder: wordsOf, placeholderDOM: placeholder }),
  keymap.of(foldKeymap),
];
