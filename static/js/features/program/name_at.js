/** The name at a position of the editor: of a value, or of a function. */
import { syntaxTree } from "@codemirror/language";
import { functionNamedAt } from "../../core/run/mentions.js";
import * as store from "../../core/store.js";
import { programLanguage } from "../../ui/code/languages.js";
import { offsetInRun } from "./positions_in_text.js";
/** @import {Referent} from "../../core/run/mentions.js" */

const NAME = /%[-\w.$]+(?:#\d+)?/g;

/** The name of a value at `offset`, with its range. @param {import("@codemirror/state").EditorState} state @param {number} offset */
function nameAt(state, offset) {
  if (state.facet(programLanguage) === "hlo") return hloNameAt(state, offset);
  const line = state.doc.lineAt(offset);
  for (const found of line.text.matchAll(NAME)) {
    const from = line.from + found.index;
    if (from <= offset && offset <= from + found[0].length) return { name: found[0], from, to: from + found[0].length };
  }
  return null;
}

/** HLO text may omit the percent sign; opcodes and computations may have the name of a value. @param {import("@codemirror/state").EditorState} state @param {number} offset */
function hloNameAt(state, offset) {
  const tree = syntaxTree(state);
  const node = [tree.resolveInner(offset, 1), tree.resolveInner(offset, -1)].find(
    ({ name }) => name === "variableName",
  );
  if (!node) return null;
  const { from, to } = node;
  return { name: `%${state.sliceDoc(from, to).replace(/^%/, "")}`, from, to };
}

/** The value that the text names at an offset. @param {import("@codemirror/state").EditorState} state @param {number} offset */
export function valueAt(state, offset) {
  const found = nameAt(state, offset);
  const inRun = found && offsetInRun(state, found.from);
  if (!found || inRun === null) return null;
  const value = store.program.value?.valueNamed(found.name, inRun) ?? null;
  return value === null ? null : { ...found, value };
}

/** What the text names at an offset; `from`: of the word, in the text that ran. @param {import("@codemirror/state").EditorState} state @param {number} offset @returns {{referent: Referent, from: number|null}|null} */
export function referentAt(state, offset) {
  const named = valueAt(state, offset);
  if (named) return { referent: { value: named.value }, from: offsetInRun(state, named.from) };
  const [program, run, at] = [store.program.value, store.run.value, offsetInRun(state, offset)];
  const found = program && run && at !== null ? functionNamedAt(program, run.text, at) : null;
  return found && { referent: { function: found.name }, from: found.from };
}
