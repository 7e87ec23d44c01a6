/** What an op's example shows at each of its steps. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { opNamesIn } from "../../static/js/ui/code/op_card.js";
import { problemText, sentenceAt, resultsAt, addEnding, wordsOf } from "../../static/js/features/reference/model.js";

const value = (name, text) => ({ name, type: "tensor<i64>", text });
const step = (name, line, depth, ...results) => ({ name, line, endLine: line, depth, results });
/** A loop over lines 2 to 6 that runs twice: its own results come last. */
const STEPS = [
  step("stablehlo.constant", 1, 0, value("%zero", "0")),
  { ...step("stablehlo.while", 2, 0, value("%n", "2")), endLine: 6 },
  step("stablehlo.compare", 3, 1, value("%more", "true")),
  step("stablehlo.add", 4, 1, value("%next", "1")),
  step("stablehlo.compare", 3, 1, value("%more", "true")),
  step("stablehlo.add", 4, 1, value("%next", "2")),
  step("stablehlo.compare", 3, 1, value("%more", "false")),
  step("check.expect_eq_const", 7, 0),
  step("func.return", 8, 0),
];
const texts = (position) =>
  Object.fromEntries([...resultsAt(STEPS, position)].map(([line, { results }]) => [line, results[0]?.text]));

test("a constant says nothing that its line does not say", () => {
  assert.deepEqual(texts(0), {});
});

test("what is inside of an op sees no result of it yet", () => {
  assert.deepEqual(texts(3), { 3: "true", 4: "1" });
  assert.deepEqual(texts(5), { 3: "true", 4: "2" });
});

test("after the op its result stands below its last line", () => {
  assert.deepEqual(texts(8), { 3: "false", 4: "2", 6: "2", 7: undefined });
});

test("a check that held says so, a step that stopped the run says why", () => {
  assert.equal(wordsOf(STEPS[7])[0].kind, "check");
  const trial = { diagnostics: [], steps: STEPS.slice(0, 8), state: { kind: "failed", reason: "they differ" } };
  const ended = addEnding(trial).at(-1);
  assert.deepEqual(wordsOf(ended), [{ name: "✗", text: "they differ", kind: "failed" }]);
  assert.equal(addEnding({ ...trial, state: { kind: "done", reason: "" } }).at(-1), STEPS[7]);
});

test("what the program prints stands below the line that prints it", () => {
  const print = { ...step("interpreter.print", 1, 0), printed: "tensor<i32> 3" };
  assert.deepEqual(wordsOf(print), [{ name: "prints", text: "tensor<i32> 3", kind: "printed" }]);
  assert.equal(resultsAt([print], 0).size, 1);
});

test("a value without a text, such as a token, shows its type", () => {
  assert.equal(
    wordsOf(step("stablehlo.create_token", 1, 0, { name: "%t", type: "!stablehlo.token", text: "" }))[0].text,
    "!stablehlo.token",
  );
});

test("sentences", () => {
  const trial = { diagnostics: [], steps: STEPS, state: { kind: "done", reason: "the program has ended" } };
  assert.equal(sentenceAt(trial, 2), "step 3 of 9, line 3");
  assert.equal(sentenceAt(trial, 8), "step 9 of 9, line 8: the program has ended");
  assert.equal(
    problemText({ line: 3, op: "stablehlo.add", label: "C1", message: "no", hint: "yes" }),
    "Line 3: stablehlo.add C1: no. yes",
  );
});

test("ops by their names, in both forms, and nothing that only looks like one", () => {
  const names = (line) => opNamesIn(line).map(({ name }) => name);
  assert.deepEqual(names('  %0 = "stablehlo.cross-replica-sum"(%x) : (tensor<f32>) -> tensor<f32>'), [
    "stablehlo.cross-replica-sum",
  ]);
  assert.deepEqual(names("%1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0]"), [
    "stablehlo.reduce",
    "stablehlo.add",
  ]);
  assert.deepEqual(names("  %2 = call @stablehlo.add(%1) : (!stablehlo.token) -> tensor<f32>"), ["func.call"]);
  assert.deepEqual(names("    return %2 : tensor<f32> // stablehlo.add"), ["func.return"]);
  assert.deepEqual(names("dimension_numbers = #stablehlo.gather<offset_dims = [1]>"), []);
});
