import assert from "node:assert/strict";
import { test } from "node:test";
import { fileName, recognise, refusal } from "../../static/js/features/home/paste.js";
import {
  replaceInput,
  fromFile,
  generatedFor,
  isDistributed,
  literalProgram,
  matchSentences,
  placeOf,
  planFor,
} from "../../static/js/features/inputs/plan.js";

test("only types with a distribution offer normal and uniform numbers", () => {
  const floats = ["tensor<2x3xf32>", "tensor<bf16>", "f8e5m2[4]", "c64[2]", "tensor<?xcomplex<f64>>", "tensor<2xtf32>"];
  assert.deepEqual(
    floats.map(isDistributed),
    floats.map(() => true),
  );
  const others = [
    "tensor<5xi1>",
    "pred[]",
    "u64[6]",
    "tensor<3xui8>",
    "f8e8m0fnu[1,4]",
    "tensor<4x!quant.uniform<i8:f32, 0.1>>",
  ];
  for (const type of others)
    assert.deepEqual(
      generatedFor(type).map(([, label]) => label),
      ["random", "zeros", "ones", "iota (0, 1, 2, …)"],
      type,
    );
});

test("inputs of the run before go to arguments of the same name and type", () => {
  const ones = /** @type {const} */ ({ kind: "ones", seed: 0 });
  const before = [
    { name: "%a", type: "tensor<2xf32>", input: ones },
    { name: "%b", type: "tensor<2xf32>", input: ones },
  ];
  const planned = planFor(
    [
      { name: "%a", type: "tensor<2xf32>" },
      { name: "%b", type: "tensor<3xf32>" },
    ],
    before,
  );
  assert.deepEqual(
    planned.map(({ input }) => input.kind),
    ["ones", "normal"],
  );
});

test("a file feeds what it has, and says what is left", () => {
  const planned = planFor(
    [
      { name: "%a", type: "t" },
      { name: "%b", type: "t" },
    ],
    [],
  );
  const upload = {
    name: "x.npz",
    file: "f",
    arrays: [
      { name: "in_0", dtype: "float32", shape: [2] },
      { name: "z", dtype: "float32", shape: [] },
    ],
    matches: [{ argument: 0, array: "in_0" }],
  };
  assert.deepEqual(
    fromFile(planned, upload).map(({ input }) => input.kind),
    ["file", "normal"],
  );
  const said = matchSentences(planned, upload).join(" ");
  assert.match(said, /1 of 2 inputs/);
  assert.match(said, /No array matches %b/);
  assert.match(said, /Not used: z/);
});

/** @param {string} name @param {number} op @param {string} maker */
const outside = (name, op, maker) => ({ name, type: "t", outside: { op, maker, line: op } });

test("what is made outside stops the run unless the run before was given it", () => {
  const zeros = /** @type {const} */ ({ kind: "zeros", seed: 0 });
  const before = [{ ...outside("%s", 3, "call @f"), input: zeros }];
  const wanted = [outside("%s", 1, "call @g"), outside("%s", 4, "call @f"), outside("%s", 5, "call @f")];
  const planned = planFor(wanted, before);
  assert.deepEqual(
    planned.map(({ input }) => input.kind),
    ["stop", "zeros", "stop"],
  );
  assert.equal(placeOf(planned, { name: "%s", type: "t", outside: { op: 5, maker: "call @f", line: 9 } }), 2);
  assert.equal(placeOf(planned, { name: "%s", type: "t", outside: { op: 7, maker: "call @f", line: 9 } }), 1);
  assert.equal(placeOf(planned, null), -1);
});

test("an op gets all of its results or none", () => {
  const planned = planFor(
    [
      { name: "%a", type: "t" },
      outside("%p#0", 1, "custom_call @p"),
      outside("%p#1", 1, "custom_call @p"),
      outside("%q", 2, "custom_call @q"),
    ],
    [],
  );
  const kinds = (/** @type {import("../../static/js/features/inputs/plan.js").Planned[]} */ rows) =>
    rows.map(({ input }) => input.kind);
  const bound = replaceInput(planned, 1, { kind: "ones", seed: 0 });
  assert.deepEqual(kinds(bound), ["normal", "ones", "normal", "stop"]);
  assert.deepEqual(kinds(replaceInput(bound, 2, { kind: "dense", text: "1" })), ["normal", "ones", "dense", "stop"]);
  assert.deepEqual(kinds(replaceInput(bound, 2, { kind: "stop" })), ["normal", "stop", "stop", "stop"]);
  const upload = {
    name: "x.npz",
    file: "f",
    arrays: [{ name: "%p#0", dtype: "float32", shape: [2] }],
    matches: [{ argument: 1, array: "%p#0" }],
  };
  assert.deepEqual(kinds(fromFile(planned, upload)), ["normal", "file", "normal", "stop"]);
  assert.match(matchSentences(planned, upload).join(" "), /No array matches %a:/);
});

test("a literal is checked as a constant", () => {
  assert.match(literalProgram("[1, 2]", "tensor<2xf32>"), /constant dense<\[1, 2\]> : tensor<2xf32>/);
  assert.match(literalProgram("dense<1.0> : tensor<2xf32>", "tensor<2xf32>"), /constant dense<1\.0> : tensor<2xf32>\n/);
});

test("what is pasted is recognised", () => {
  assert.equal(recognise("").kind, "empty");
  assert.equal(recognise("// a\nmodule @m {\n func.func @main() {}\n}").kind, "stablehlo");
  const hlo = "HloModule jit_f\n\n%sum (a: f32[]) -> f32[] {\n}\n\nENTRY main {\n ROOT x = f32[] parameter(0)\n}";
  assert.deepEqual(recognise(hlo), { kind: "hlo", ready: true, sentence: "XLA HLO text with 2 computations." });
  assert.deepEqual([fileName(hlo), fileName("module {}")], ["program.hlo", "program.mlir"]);
  assert.equal(recognise("{ lambda ; a:f32[]. let in () }").ready, false);
  assert.equal(recognise("hello").kind, "unknown");
});

test("files that hold no program say what to do instead", () => {
  assert.match(refusal("w.npz") ?? "", /Inputs dialog takes the file/);
  assert.equal(refusal("m.mlir"), null);
});
