/** HLO text in the editor: what folds, what is an op, which comments it has, how it is indented, when its language changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { getIndentation } from "@codemirror/language";
import { toggleComment } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import { allDetails, foldOfLine, hasDetails } from "../../static/js/editor/hlo_folds.js";
import { languageByContent, programLanguage } from "../../static/js/editor/languages.js";
import { opNear } from "../../static/js/editor/op_names.js";

const TEXT = `HloModule f

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add = f32[] add(%a, %b), metadata={op_name="jit(f)/add" stack_frame_id=4}
}

ENTRY main {
  table = f32[2,2]{1,0} constant({
    { 1, 2 },
    { 3, 4 } })
  zero = f32[] constant(0)
  reduce-window = f32[2]{0} reduce-window(table, zero), window={size=2x1}, to_apply=sum
  ROOT pair = (f32[], f32[2]{0}) tuple(zero, reduce-window)
}
`;

/** @param {string} text */
const stateOf = (text) => EditorState.create({ doc: text, extensions: [languageByContent(text)] });

/** @param {EditorState} state @param {number} line @returns {string|null} */
function folded(state, line) {
  const range = foldOfLine(state, state.doc.line(line).from);
  return range && state.sliceDoc(range.from, range.to);
}

test("computations, details and literals fold", () => {
  const state = stateOf(TEXT);
  assert.match(folded(state, 3) ?? "", /^\n {2}%a = [^]*stack_frame_id=4}\n$/);
  assert.equal(folded(state, 6), 'metadata={op_name="jit(f)/add" stack_frame_id=4}');
  assert.match(folded(state, 9) ?? "", /^\n {2}table = [^]*tuple\(zero, reduce-window\)\n$/);
  assert.equal(folded(state, 10), "{\n    { 1, 2 },\n    { 3, 4 } }");
  for (const line of [1, 2, 4, 7, 13, 14, 15, 16]) assert.equal(folded(state, line), null, `line ${line}`);
  assert.deepEqual(allDetails(state).map(({ from, to }) => state.sliceDoc(from, to)), ['metadata={op_name="jit(f)/add" stack_frame_id=4}']);
  const long = `c = c64[9] constant({${Array.from({ length: 9 }, (_, i) => `(${i}, 0.25)`).join(", ")}}), metadata={op_name="constant folded away"}`;
  assert.equal(hasDetails(long), true);
  assert.equal(hasDetails("HloModule m\n\nENTRY e {\n  ROOT c = f32[] constant(1)\n}"), false);
  const literal = `  c = s32[99] constant({${"1, ".repeat(99)}1}), metadata={op_name="iota of the sequence"}`;
  assert.deepEqual(allDetails(stateOf(literal)).map(({ from, to }) => to - from > 200 ? "literal" : literal.slice(from, to)), ["literal", 'metadata={op_name="iota of the sequence"}']);
  assert.equal(folded(stateOf(long), 1), long.slice(long.indexOf("{"), long.indexOf("), metadata")));
});

test("the op of a place is its opcode, not a value that is called the same", () => {
  const state = stateOf(TEXT);
  const line = state.doc.line(14);
  const at = (/** @type {string} */ words, skip = 0) => opNear(state, line.from + line.text.indexOf(words, skip) + 1);
  assert.deepEqual(at("reduce-window"), { name: "reduce-window", from: line.from + 28, to: line.from + 41, touches: false, opcode: true });
  assert.equal(at("reduce-window", 10)?.touches, true);
  assert.equal(opNear(state, state.doc.line(15).from + 30)?.name, "tuple");
  assert.equal(opNear(state, 0), null);
});

test("the language follows the text", () => {
  let state = stateOf("func.func @main() {\n}");
  assert.equal(state.facet(programLanguage), "stablehlo");
  const all = () => ({ from: 0, to: state.doc.length });
  state = state.update({ changes: { ...all(), insert: TEXT } }).state;
  assert.equal(state.facet(programLanguage), "hlo");
  assert.equal(opNear(state, state.doc.line(6).from)?.name, "add");
  state = state.update({ changes: { from: 0, insert: "// a comment\n" } }).state;
  assert.equal(state.facet(programLanguage), "hlo");
  state = state.update({ changes: { ...all(), insert: "module {\n}" } }).state;
  assert.equal(state.facet(programLanguage), "stablehlo");
});

test("comments and indentation", () => {
  let state = stateOf(TEXT);
  assert.deepEqual([2, 4, 7, 10, 16].map((line) => getIndentation(state, state.doc.line(line).from)), [0, 2, 0, 2, 0]);
  state = state.update({ selection: { anchor: state.doc.line(4).from } }).state;
  toggleComment({ state, dispatch: (transaction) => (state = transaction.state) });
  assert.equal(state.doc.line(4).text, "  // %a = f32[] parameter(0)");
  assert.deepEqual(state.languageDataAt("commentTokens", 0), [{ line: "//", block: { open: "/*", close: "*/" } }]);
});
