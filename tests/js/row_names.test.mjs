/** How Variables writes names of the user's own code. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowName } from "../../static/js/features/variables/value_row.js";
import { Program } from "../../static/js/core/run/program.js";

const NAMES = Array.from({ length: 12 }, (_, layer) => `%params.h.${layer}.attention.wqkv`);
const program = new Program({
  language: "stablehlo",
  ops: [],
  values: NAMES.map((_, number) => ({ name: `%arg${number}`, type: "tensor<f32>" })),
  blocks: [{ id: 0, op: null, function: "main", arguments: NAMES.map((_, number) => number), ops: [] }],
  functions: [{ name: "main", block: 0 }],
  argumentNames: Object.fromEntries(NAMES.map((name, number) => [number, name])),
});

test("arguments of different layers do not look the same", () => {
  const written = NAMES.map((name) => rowName(program, name));
  assert.equal(new Set(written).size, NAMES.length);
  assert.equal(written[11], "%params…11…wqkv");
  for (const name of written) assert.ok(name.length <= 18, name);
});

test("names of the text stay whole", () => {
  const name = "%broadcast_multiply_fusion.clone.20";
  assert.equal(rowName(program, name), name);
});
