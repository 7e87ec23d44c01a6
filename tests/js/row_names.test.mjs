/** How Variables writes names of the user's own code. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { rowName } from "../../static/js/features/variables/value_row.js";
import { Program } from "../../static/js/core/run/program.js";

const LABELS = Array.from({ length: 12 }, (_, layer) => `params['h'][${layer}]['attention']['wqkv']`);
const program = new Program({
  language: "stablehlo",
  ops: [],
  values: LABELS.map((_, number) => ({ name: `%arg${number}`, type: "tensor<f32>" })),
  blocks: [{ id: 0, op: null, function: "main", arguments: LABELS.map((_, number) => number), ops: [] }],
  functions: [{ name: "main", block: 0 }],
  argumentNames: Object.fromEntries(LABELS.map((label, number) => [number, label])),
});

test("arguments of different layers do not look the same", () => {
  const written = LABELS.map((_, layer) => rowName(program, `%params.h.${layer}.attention.wqkv`));
  assert.equal(new Set(written).size, LABELS.length);
  assert.equal(written[11], "%params…11…wqkv");
  for (const name of written) assert.ok(name.length <= 18, name);
});

test("names of the text stay whole", () => {
  const name = "%broadcast_multiply_fusion.clone.20";
  assert.equal(rowName(program, name), name);
});
