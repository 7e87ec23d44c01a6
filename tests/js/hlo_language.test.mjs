/** Which language a text is in, and how HLO text is told apart into words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { hloProgram } from "../../static/js/ui/code/hlo_language.js";
import { languageOf } from "../../static/js/ui/code/recognise_language.js";

/** Words with their kinds, but for punctuation. @param {string} text */
export function words(text) {
  const state = EditorState.create({ doc: text, extensions: [hloProgram] });
  const found = [];
  ensureSyntaxTree(state, text.length, 1000)?.iterate({
    enter: ({ name, from, to, node }) => {
      if (node.firstChild === null && name !== "Document" && name !== "punctuation")
        found.push([state.sliceDoc(from, to), name]);
    },
  });
  return found;
}

test("HLO text is known by its beginning", () => {
  for (const text of [
    "HloModule jit_f, is_scheduled=true\n",
    "// title: One\n/* two\nlines */\n\nHloModule x",
    "ENTRY main.2 {\n",
    "region_0.1 {\n  a = f32[] parameter(0)\n}",
    "%add (a: f32[], b: f32[]) -> f32[] {\n",
    "empty () -> () {\n",
    "ROOT %sum = f32[4]{0} add(f32[4]{0} %a, f32[4]{0} %b)",
    "t = (s32[], (f32[2], pred[])) tuple(a, b)",
  ])
    assert.equal(languageOf(text), "hlo", text);
});

test("what is not HLO text is StableHLO", () => {
  for (const text of [
    "",
    "module {\n}",
    "module @jit_f attributes {mhlo.num_replicas = 1 : i32} {",
    "builtin.module {",
    '"builtin.module"() ({',
    "func.func @main(%a: tensor<f32>) -> tensor<f32> {",
    "#loc = loc(unknown)\nmodule {",
    "%0 = stablehlo.add %a, %b : tensor<f32>",
    "// HloModule\nfunc.func @main() {",
    "/* never closed HloModule",
    "{ lambda ; a:f32[]. let",
    "hello world",
  ])
    assert.equal(languageOf(text), "stablehlo", text);
});

test("an instruction as today's compilers print it", () => {
  assert.deepEqual(
    words(
      '  ROOT %add.3 = f32[8,4]{1,0:T(8,128)S(1)} add(%p.4, %add.4), metadata={op_name="jit(f)/add" stack_frame_id=4}',
    ),
    [
      ["ROOT", "keyword"],
      ["%add.3", "variableName"],
      ["f32[8,4]{1,0:T(8,128)S(1)}", "typeName"],
      ["add", "operatorKeyword"],
      ["%p.4", "variableName"],
      ["%add.4", "variableName"],
      ["metadata", "propertyName"],
      ["op_name", "propertyName"],
      ['"jit(f)/add"', "string"],
      ["stack_frame_id", "propertyName"],
      ["4", "number"],
    ],
  );
});

test("names without a percent sign are told from opcodes, computations and words", () => {
  assert.deepEqual(words("  add = f32[] add(add, add), to_apply=add, kind=kLoop"), [
    ["add", "variableName"],
    ["f32[]", "typeName"],
    ["add", "operatorKeyword"],
    ["add", "variableName"],
    ["add", "variableName"],
    ["to_apply", "propertyName"],
    ["add", "labelName"],
    ["kind", "propertyName"],
    ["kLoop", "atom"],
  ]);
  assert.deepEqual(words("  c = (s32[], /*index=1*/f32[2]{0}) conditional(i, t, e), branch_computations={b0, %b1}"), [
    ["c", "variableName"],
    ["s32[]", "typeName"],
    ["/*index=1*/", "comment"],
    ["f32[2]{0}", "typeName"],
    ["conditional", "operatorKeyword"],
    ["i", "variableName"],
    ["t", "variableName"],
    ["e", "variableName"],
    ["branch_computations", "propertyName"],
    ["b0", "labelName"],
    ["%b1", "labelName"],
  ]);
});

test("an instruction that goes on in the next lines", () => {
  assert.deepEqual(words("  ROOT %r = f32[2] f(%a,\n    %b, c),\n    dims={1}, g={0}\n  d=f32[] e()"), [
    ["ROOT", "keyword"],
    ["%r", "variableName"],
    ["f32[2]", "typeName"],
    ["f", "operatorKeyword"],
    ["%a", "variableName"],
    ["%b", "variableName"],
    ["c", "variableName"],
    ["dims", "propertyName"],
    ["1", "number"],
    ["g", "propertyName"],
    ["0", "number"],
    ["d", "variableName"],
    ["f32[]", "typeName"],
    ["e", "operatorKeyword"],
  ]);
});

test("heads of modules and computations", () => {
  assert.deepEqual(
    words("HloModule jit_f, is_scheduled=true\n\nENTRY %main.2 (x.1: f32[8]) -> f32[] {\n}\nregion {\n}"),
    [
      ["HloModule", "keyword"],
      ["jit_f", "labelName"],
      ["is_scheduled", "propertyName"],
      ["true", "atom"],
      ["ENTRY", "keyword"],
      ["%main.2", "labelName"],
      ["x.1", "variableName"],
      ["f32[8]", "typeName"],
      ["f32[]", "typeName"],
      ["region", "labelName"],
    ],
  );
});

test("literals, windows and labels", () => {
  assert.deepEqual(
    words("  c = f32[3] constant({1, -inf, nan})\n")
      .slice(3)
      .map(([, kind]) => kind),
    ["number", "number", "number"],
  );
  assert.deepEqual(words("  c = pred[] constant(true)").at(-1), ["true", "atom"]);
  assert.deepEqual(
    words("  v = f32[1] convolution(a, b), window={size=3x3 pad=0_1x-2_2}, dim_labels=b01f_01io->b01f").slice(5),
    [
      ["window", "propertyName"],
      ["size", "propertyName"],
      ["3x3", "number"],
      ["pad", "propertyName"],
      ["0_1x-2_2", "number"],
      ["dim_labels", "propertyName"],
      ["b01f_01io->b01f", "atom"],
    ],
  );
});

test("a comment may go over lines", () => {
  assert.deepEqual(words("/* one\ntwo */ ENTRY e {"), [
    ["/* one", "comment"],
    ["two */", "comment"],
    ["ENTRY", "keyword"],
    ["e", "labelName"],
  ]);
});

test("a long list of numbers is one word, and ends where its braces do", () => {
  const pairs = `{${Array.from({ length: 20 }, (_, at) => `{${at},${at + 1}}`).join(",")}}`;
  assert.deepEqual(words(`  c = f32[2] collective-permute(a), source_target_pairs=${pairs}, channel_id=3`).slice(-5), [
    ["a", "variableName"],
    ["source_target_pairs", "propertyName"],
    [pairs, "number"],
    ["channel_id", "propertyName"],
    ["3", "number"],
  ]);
  const long = Array.from({ length: 40 }, (_, at) => at).join(",");
  assert.deepEqual(words(`  r = f32[2] all-reduce(a), replica_groups={${long}}}`).slice(-1), [[`{${long}}`, "number"]]);
});
