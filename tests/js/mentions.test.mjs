/** Where a text names a value or a function: the definition, and the uses of exactly this one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { functionNamedAt, mentionsOf } from "../../static/js/core/run/mentions.js";
import { Program } from "../../static/js/core/run/program.js";

/** A program in text whose ops are the lines between braces; «a» marks where the table of the server has it. */
function programOf(text, { language, ops, blocks, functions, names, parameters = {} }) {
  return new Program({
    language,
    ops: ops.map(([begin, operands, results, block, regions = []], id) => {
      const from = text.indexOf(begin);
      assert.ok(from >= 0, begin);
      const end = regions.length > 0 && language !== "hlo" ? text.indexOf("\n  }", from) + 4 : text.indexOf("\n", from);
      return { id, name: "op", opcode: "", line: 0, from, to: end, operands, results, block, regions, summary: "" };
    }),
    values: names.map((name, id) => ({ id, name })),
    blocks: blocks.map(([owner, opener, values, list], id) => ({
      id,
      function: owner,
      opener,
      arguments: values,
      ops: list,
    })),
    functions: functions.map(([name, block, begin]) => {
      const from = text.indexOf(begin);
      return { name, block, line: 0, from, to: text.indexOf("\n}", from) };
    }),
    parameters,
  });
}

const LOOP = `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32> loc("%zero")
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %more = stablehlo.compare LT, %i, %i : tensor<i1>
  } do {
    %d = func.call @f(%v) : tensor<4xf32>
    stablehlo.return %i, %d : tensor<4xf32>
  }
  %q = call @f(%r#1) : tensor<4xf32> // of %x and @f
  return %r#1 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
`;
const MLIR = programOf(LOOP, {
  language: "stablehlo",
  ops: [
    ["%zero =", [], [1], 0],
    ["%r:2 =", [1, 0], [8, 9], 0, [1, 2]],
    ["%more =", [2, 2], [4], 1],
    ["%d =", [6], [7], 2],
    ["stablehlo.return %i", [5, 7], [], 2],
    ["%q =", [9], [10], 0],
    ["return %r#1", [9], [], 0],
    ["return %x", [11], [], 3],
  ],
  blocks: [
    ["main", null, [0], [0, 1, 5, 6]],
    ["main", 1, [2, 3], [2]],
    ["main", 1, [5, 6], [3, 4]],
    ["f", null, [11], [7]],
  ],
  functions: [
    ["main", 0, "func.func @main"],
    ["f", 3, "func.func private @f"],
  ],
  names: ["%x", "%zero", "%i", "%v", "%more", "%i", "%v", "%d", "%r#0", "%r#1", "%q", "%x"],
});

const CALLS = `HloModule m

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[4]{0} parameter(0)
  add = f32[] constant(0), metadata={op_name="jit(x)/add"}
  %c = f32[] call(add, %add), to_apply=%add
  ROOT r = f32[] reduce(x, c), dimensions={0}, to_apply=add
}
`;
const HLO = programOf(CALLS, {
  language: "hlo",
  ops: [
    ["ROOT s =", [0, 1], [2], 0],
    ["add = f32[] constant", [], [4], 1],
    ["%c =", [4, 4], [5], 1],
    ["ROOT r =", [3, 5], [6], 1, [0]],
  ],
  blocks: [
    ["add", null, [0, 1], [0]],
    ["main", null, [3], [1, 2, 3]],
  ],
  functions: [
    ["add", 0, "add {"],
    ["main", 1, "ENTRY main"],
  ],
  names: ["%a", "%b", "%s", "%x", "%add", "%c", "%r"],
  parameters: { 0: 4, 1: 5, 3: 10 },
});

/** Each mention as its line, counted from 1, and the text from there on. */
function told(program, text, referent) {
  return mentionsOf(program, text, referent).map(({ from, to, defines }) => {
    const line = text.slice(0, from).split("\n").length;
    return `${defines ? "def " : ""}${line} ${text.slice(from, to)}`;
  });
}

test("values of MLIR are found by scope", () => {
  assert.deepEqual(told(MLIR, LOOP, { value: 0 }), ["def 1 %x", "3 %x"]);
  assert.deepEqual(told(MLIR, LOOP, { value: 11 }), ["def 13 %x", "14 %x"]);
  assert.deepEqual(told(MLIR, LOOP, { value: 1 }), ["def 2 %zero", "3 %zero"]);
  assert.deepEqual(told(MLIR, LOOP, { value: 9 }), ["def 3 %r", "10 %r#1", "11 %r#1"]);
  // One word names the arguments of the condition and of the body.
  for (const value of [2, 5])
    assert.deepEqual(told(MLIR, LOOP, { value }), ["def 3 %i", "5 %i", "5 %i", "8 %i"], String(value));
});

test("functions are found by their calls", () => {
  assert.deepEqual(told(MLIR, LOOP, { function: "f" }), ["def 13 @f", "7 @f", "10 @f"]);
  assert.equal(functionNamedAt(MLIR, LOOP, LOOP.indexOf("@f(%v)") + 1)?.name, "f");
  assert.equal(functionNamedAt(MLIR, LOOP, LOOP.indexOf("%v)")), null);
  assert.deepEqual(told(HLO, CALLS, { function: "add" }), ["def 3 add", "12 %add", "13 add"]);
  assert.equal(functionNamedAt(HLO, CALLS, CALLS.indexOf("to_apply=add") + 10)?.name, "add");
  assert.equal(functionNamedAt(HLO, CALLS, CALLS.indexOf("add(a, b)")), null);
});

test("HLO text names values without a percent sign, beside opcodes and computations of the same name", () => {
  assert.deepEqual(told(HLO, CALLS, { value: 4 }), ["def 11 add", "12 add", "12 %add"]);
  assert.deepEqual(told(HLO, CALLS, { value: 3 }), ["def 10 x", "13 x"]);
  assert.deepEqual(told(HLO, CALLS, { value: 0 }), ["def 4 a", "6 a"]);
});

test("a name is resolved where the text has it", () => {
  const at = (begin, name, more = 0) => MLIR.valueNamed(name, LOOP.indexOf(begin) + more);
  assert.equal(at("%i = %zero", "%i"), 2);
  assert.equal(at("stablehlo.return %i", "%i"), 5);
  assert.equal(at("%r:2", "%r"), 8);
  assert.equal(at("return %x", "%x"), 11);
});
