/** HLO text in the editor: what folds, what is an op, which comments it has, how it is indented, when its language changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { getIndentation } from "@codemirror/language";
import { toggleComment } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import { hloLocations, mlirLocations } from "../../static/js/ui/code/folded_parts.js";
import { foldOfLine, longLiterals } from "../../static/js/ui/code/hlo_folds.js";
import { languageByContent, programLanguage } from "../../static/js/ui/code/languages.js";
import { opNear } from "../../static/js/ui/code/op_card.js";

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

test("computations and literals fold", () => {
  const state = stateOf(TEXT);
  assert.match(folded(state, 3) ?? "", /^\n {2}%a = [^]*stack_frame_id=4}\n$/);
  assert.match(folded(state, 9) ?? "", /^\n {2}table = [^]*tuple\(zero, reduce-window\)\n$/);
  assert.equal(folded(state, 10), "{\n    { 1, 2 },\n    { 3, 4 } }");
  for (const line of [1, 2, 4, 6, 7, 13, 14, 15, 16]) assert.equal(folded(state, line), null, `line ${line}`);
  assert.deepEqual(longLiterals(state), []);
  const long = `c = c64[9] constant({${Array.from({ length: 9 }, (_, i) => `(${i}, 0.25)`).join(", ")}}), metadata={op_name="constant folded away"}`;
  assert.equal(folded(stateOf(long), 1), long.slice(long.indexOf("{"), long.indexOf("), metadata")));
  const rows = `  c = s32[9,99] constant({\n${Array.from({ length: 9 }, () => `    {${"1, ".repeat(98)}1}`).join(",\n")}})`;
  assert.deepEqual(
    longLiterals(stateOf(rows)).map(({ from, to }) => [rows[from], rows[to]]),
    [["{", ")"]],
  );
});

test("tables of locations fold, each as one", () => {
  const tables =
    'HloModule f\n\nFileNames\n1 "a.py"\n\nStackFrames\n1 {file_location_id=1}\n\n\nENTRY e {\n  1 "no table" }\n';
  const hlo = stateOf(tables);
  assert.deepEqual(
    hloLocations(hlo).map(({ from, to }) => hlo.sliceDoc(from, to)),
    ['FileNames\n1 "a.py"\n\nStackFrames\n1 {file_location_id=1}'],
  );
  const text = '#loc = loc(unknown)\n#loc1 = loc("x")\nfunc.func @main() {\n}\n#loc2 = loc("y")\n\nmodule {}\n';
  const mlir = stateOf(text);
  assert.deepEqual(
    mlirLocations(mlir).map(({ from, to }) => mlir.sliceDoc(from, to)),
    ['#loc = loc(unknown)\n#loc1 = loc("x")'],
  );
});

test("the op of a place is its opcode, not a value that is called the same", () => {
  const state = stateOf(TEXT);
  const line = state.doc.line(14);
  const at = (/** @type {string} */ words, skip = 0) => opNear(state, line.from + line.text.indexOf(words, skip) + 1);
  assert.deepEqual(at("reduce-window"), {
    name: "reduce-window",
    from: line.from + 28,
    to: line.from + 41,
    touches: false,
    opcode: true,
  });
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
  assert.deepEqual(
    [2, 4, 7, 10, 16].map((line) => getIndentation(state, state.doc.line(line).from)),
    [0, 2, 0, 2, 0],
  );
  state = state.update({ selection: { anchor: state.doc.line(4).from } }).state;
  toggleComment({ state, dispatch: (transaction) => (state = transaction.state) });
  assert.equal(state.doc.line(4).text, "  // %a = f32[] parameter(0)");
  assert.deepEqual(state.languageDataAt("commentTokens", 0), [{ line: "//", block: { open: "/*", close: "*/" } }]);
});
