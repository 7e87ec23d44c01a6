/** A function at each stage: which lines of the printed texts belong together. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { belongs, LONGEST, stagesOf } from "../../static/js/features/function/stages.js";

const PRINTED = readFileSync(new URL("../../app/reference/examples/function.txt", import.meta.url), "utf8");
const stages = Object.fromEntries(stagesOf(PRINTED).map((stage) => [stage.id, stage]));
const line = (stage, part) => stages[stage].lines.find(({ text }) => text.includes(part));
const lit = (chosen, stage) =>
  stages[stage].lines.filter((other) => belongs(chosen, other)).map(({ text }) => text.trim());

test("an equation of the jaxpr leads to its ops, its instructions and its line", () => {
  const maximum = line("jaxpr", "= reduce_max");
  assert.deepEqual(lit(maximum, "Python"), ["e = jnp.exp(x - x.max(axis=-1, keepdims=True))"]);
  assert.deepEqual(
    lit(maximum, "StableHLO").map((text) => text.split(" ")[2]),
    ["stablehlo.constant", "stablehlo.reduce(%arg0"],
  );
  const names = lit(maximum, "HLO").map((text) => text.replace("ROOT ", "").split(" ")[0]);
  assert.deepEqual(names, ["%reduce_max.5", "%reduce_max.0", "%wrapped_reduce"]);
});

test("a fusion belongs to all that is computed in it", () => {
  const fusion = line("HLO", "%subtract_exponential_fusion = ");
  assert.deepEqual(
    lit(fusion, "jaxpr").map((text) => /= (\w+)/.exec(text)[1]),
    ["sub", "exp"],
  );
  assert.deepEqual(fusion.lines, [8]);
  assert.deepEqual(lit(line("HLO", "%reduce_divide_fusion = "), "Python"), [
    "return e / e.sum(axis=-1, keepdims=True)",
  ]);
});

test("a line of Python leads to all that it made, and to nothing else", () => {
  const second = line("Python", "return e");
  assert.equal(stages.Python.first, 7);
  assert.deepEqual(
    lit(second, "jaxpr").map((text) => /= (\w+)/.exec(text)[1]),
    ["reduce_sum", "broadcast_in_dim", "div"],
  );
  assert.deepEqual(lit(line("Python", "def softmax"), "StableHLO"), []);
});

test("positions are hidden, and older HLO states them in each instruction", () => {
  assert.ok(!stages.jaxpr.lines.some(({ text }) => text.includes("softmax.py")));
  assert.ok(!stages.StableHLO.lines.some(({ text }) => text.includes("loc(")));
  assert.ok(!stages.HLO.lines.some(({ text }) => text.includes("metadata")));
  const old =
    '==== HLO\n%a = f32[] add(%x, %x), metadata={op_name="jit(f)/add" source_file="f.py" source_line=3 source_column=4}';
  assert.deepEqual(stagesOf(old)[0].lines[0].keys, ["3:4/add"]);
});

test("a text that is something else, or too long, is refused with advice", () => {
  assert.throws(() => stagesOf("module {}"), /no line “==== jaxpr”/);
  assert.throws(() => stagesOf("x".repeat(LONGEST + 1)), /Open it in the debugger/);
});
