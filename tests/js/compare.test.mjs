/** The list of the Compare tab: what is folded, what a filter leaves, and the words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { itemOf } from "../../static/js/core/search/folds.js";
import {
  errorWord,
  evidenceWords,
  itemsOf,
  opWord,
  queryOf,
  rowOfOp,
  spoken,
  toleranceOf,
} from "../../static/js/features/compare/model.js";
import { inOrder, others } from "../../static/js/core/run/other_run.js";

const side = (name, op) => ({
  name,
  op,
  spelled: op === null ? "" : "stablehlo.add",
  line: 3,
  process: 0,
  step: op,
  address: `0.s${op}.0`,
  type: "f32[2]",
});
const made = (verdict, op, more = {}) => ({
  before: side(`%${op}`, op),
  after: side(`%${op}`, op),
  verdict,
  evidence: ["name"],
  origin: "made",
  sentence: "",
  notes: "",
  worst: null,
  size: 2,
  count: 0,
  beyond: 0,
  executions: 1,
  wrong: 0,
  ...more,
});
const WORST = { index: [1], path: [], before: "2", after: "2.5", error: 0.5, ulps: 2, bound: 0, noise: null };
const ROWS = [
  made("same_bits", 0),
  made("same_bits", 1),
  made("same_bits", 2),
  made("wrong", 3, { worst: WORST }),
  made("same_bits", 4),
  made("rounding", 5, { worst: WORST }),
];
const ALL = { words: "", verdicts: new Set(), opened: new Set() };

test("equal values in sequence are one line, unless there are few", () => {
  const items = itemsOf(ROWS, ALL);
  assert.deepEqual(items[0], { kind: "fold", from: 0, to: 3 });
  assert.deepEqual(
    items.slice(1).map((item) => item.at),
    [3, 4, 5],
  );
});

test("a fold that was opened shows its rows, and so does a filter", () => {
  assert.equal(itemsOf(ROWS, { ...ALL, opened: new Set([0]) }).length, 6);
  assert.deepEqual(
    itemsOf(ROWS, { ...ALL, words: "%1" }).map((item) => item.at),
    [1],
  );
  assert.deepEqual(
    itemsOf(ROWS, { ...ALL, verdicts: new Set(["wrong"]) }).map((item) => item.at),
    [3],
  );
});

test("a row in a fold is found at the fold", () => {
  const items = itemsOf(ROWS, ALL);
  assert.equal(itemOf(items, 1), 0);
  assert.equal(itemOf(items, 4), 2);
  assert.equal(itemOf(items, -1), -1);
  assert.equal(rowOfOp(ROWS, "after", 3), 3);
});

test("errors in a word", () => {
  assert.deepEqual(ROWS.map(errorWord), ["=", "=", "=", "Δ 0.5", "=", "2 ulps"]);
  assert.equal(errorWord(made("only_after", 1)), "alone");
});

test("a row is read aloud with both names where they differ", () => {
  assert.equal(spoken(ROWS[0]), "add %0, line 3: same bits");
  const renamed = { ...ROWS[0], after: side("%y", 0) };
  assert.equal(spoken(renamed), "add %0, line 3, and add %y, line 3: same bits");
  assert.equal(evidenceWords(ROWS[0]), "Matched by name, op and type.");
  assert.equal(opWord("stablehlo.add"), "add");
});

test("the run of the lower number is the first one, whichever is shown", () => {
  assert.deepEqual(inOrder(3, 2), { before: 2, after: 3 });
  assert.deepEqual(
    others([{ number: 1 }, { number: 2 }, { number: 3 }], 2).map(({ number }) => number),
    [3, 1],
  );
});

test("what is asked and typed", () => {
  assert.equal(queryOf("k", { op: 3, absolute: null }), "with=k&op=3");
  assert.deepEqual(["1e-3", "", "-1", "x"].map(toleranceOf), [0.001, null, null, null]);
});
