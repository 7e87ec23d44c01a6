/** Frames as named segments of the timeline. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { iterationText } from "../../static/js/core/run/iterations.js";
import { columnsOf, namedParts, segmentsOf } from "../../static/js/features/timeline/segments.js";
import { loop, outlineOf } from "./outlines.mjs";

const { steps, frames } = loop(2);
const outline = outlineOf(steps, frames);
const BLOCKS = [
  { id: 0, function: "main", opener: null },
  { id: 1, function: "main", opener: 1 },
  { id: 2, function: "main", opener: 1 },
  { id: 3, function: "f", opener: null },
];
const OPS = { 1: { name: "stablehlo.while", opcode: "", regions: [1, 2] }, 4: { name: "func.call", regions: [] } };
const program = /** @type {any} */ ({
  language: "stablehlo",
  block: (block) => BLOCKS[block],
  op: (op) => OPS[op] ?? { name: "stablehlo.add", regions: [] },
});
/** A column of pixels for each position. */
const columns = columnsOf(outline, outline.last);
const written = (level) =>
  segmentsOf(outline, program, columns, level).map(({ from, to, names }) => [from, to, names[0]]);

test("the outermost frame goes all the way", () => {
  assert.deepEqual(written(0), [[0, outline.last, "@main"]]);
});

test("frames of a region are told apart by their iteration, with shorter names where there is little room", () => {
  assert.deepEqual(written(1).slice(0, 3), [
    [2, 4, "while condition · iteration 0 of 2"],
    [4, 8, "while body · iteration 0 of 2"],
    [8, 10, "while condition · iteration 1 of 2"],
  ]);
  assert.equal(written(1).at(-1)?.[2], "while condition · after 2 iterations");
  const [first, second] = segmentsOf(outline, program, columns, 1);
  assert.deepEqual(first?.names, ["while condition · iteration 0 of 2", "condition"]);
  assert.deepEqual(second?.names, ["while body · iteration 0 of 2", "iteration 0 of 2", "0 of 2"]);
});

test("how many iterations there are is said once the run has ended", () => {
  const running = outlineOf(steps, frames, { done: false });
  assert.equal(iterationText(running, program, 2), "iteration 0");
  assert.equal(iterationText(outline, program, 2), "iteration 0 of 2");
  assert.equal(iterationText(outline, program, 0), "");
});

test("segments that are too narrow for names share one", () => {
  const narrow = (from, to, kind) => ({ from, to, names: [`${kind} · whole name`], kind });
  const wide = { from: 12, to: 60, names: ["@main"], kind: "call" };
  const parts = namedParts([narrow(0, 4, "fusion"), narrow(4, 8, "fusion"), narrow(8, 12, "fusion"), wide], 32);
  assert.deepEqual(parts, [{ from: 0, to: 12, names: ["3 × fusion", "fusion"] }, wide]);
  const [apart] = namedParts([narrow(0, 4, "fusion"), narrow(5, 8, "fusion")], 32);
  assert.deepEqual(apart?.names, ["fusion · whole name"]);
  const [uncounted] = namedParts([narrow(0, 1, "fusion"), narrow(1, 2, "call")], 32);
  assert.deepEqual(uncounted?.names, ["fusion, call"]);
  const [mixed] = namedParts([narrow(0, 2, "fusion"), narrow(2, 4, "call"), narrow(4, 6, "fusion")], 32);
  assert.deepEqual(mixed?.names, ["2 × fusion, 1 × call", "fusion, call"]);
});

test("a loop of two iterations has two, not five with its conditions", () => {
  const [, inner] = [0, 1].map((level) => namedParts(segmentsOf(outline, program, columns, level), 32));
  assert.deepEqual(
    inner?.map(({ names }) => names),
    [["2 × iteration", "iteration"]],
  );
});

test("a call within is one level below", () => {
  assert.deepEqual(written(2), [
    [5, 7, "@f"],
    [11, 13, "@f"],
  ]);
});

test("what has not arrived has no name, and nothing fails", () => {
  const early = outlineOf(steps, []);
  const found = segmentsOf(early, program, columnsOf(early, early.last), 0);
  assert.ok(found.every(({ names }) => names.length === 0));
});
