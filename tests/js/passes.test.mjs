import assert from "node:assert/strict";
import { test } from "node:test";
import { itemOf } from "../../static/js/core/search/folds.js";
import {
  countMarks,
  differingPieces,
  inOneColumn,
  instructionWords,
  itemsOf,
  nameOf,
  piecesOf,
  pipelineWords,
  placeWords,
  shortVerdictWords,
  typesWords,
  verdictWords,
  worstWords,
} from "../../static/js/features/passes/model.js";
import { ordinal } from "../../static/js/core/tensor/elements.js";

const stage = (number, pass, pipeline = "simplification") => ({
  number,
  pipeline,
  round: 1,
  pass_name: pass,
  occurrence: 1,
  title: pass,
  changed_by: pass,
  since: "",
  file: 0,
});
const found = (at, verdict, more = {}) => ({
  module: 0,
  stage: at,
  verdict,
  has_run: true,
  added: 0,
  removed: 0,
  changed: 0,
  worst: null,
  reason: "",
  hint: "",
  ...more,
});
const STAGES = [
  stage(null, "before_optimizations", ""),
  stage(0, "dce"),
  stage(1, "cse"),
  stage(2, "reshape-mover"),
  stage(3, "algsimp"),
  stage(4, "fusion", "after"),
  stage(null, "cpu_after_optimizations", ""),
];
const FOUND = ["same_text", "same_text", "same_text", "same_text", "wrong", "rounding", "same_text"].map(
  (verdict, at) => found(at, verdict),
);
const ALL = { words: "", pipeline: "", marks: new Set(), opened: new Set(), changedOnly: false };
const at = (number) => FOUND[number];
const shown = (wanted) =>
  itemsOf(STAGES, at, { ...ALL, ...wanted }).map((item) =>
    item.kind === "stage" ? item.at : `${item.from}-${item.to}`,
  );

test("passes that changed nothing are folded, unless they are asked for", () => {
  assert.deepEqual(shown({}), [0, "1-4", 4, 5, 6]);
  assert.deepEqual(shown({ opened: new Set([1]) }), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(shown({ words: "cse" }), [2]);
  assert.deepEqual(shown({ pipeline: "after" }), [5]);
  assert.deepEqual(shown({ marks: new Set(["wrong"]) }), [4]);
  assert.deepEqual(shown({ changedOnly: true }), [4, 5]);
  assert.deepEqual(shown({ words: "no such pass" }), []);
});

test("what is not known yet is not folded and has no word", () => {
  const items = itemsOf(STAGES, () => undefined, ALL);
  assert.equal(items.length, STAGES.length);
  assert.equal(verdictWords(undefined), "");
});

test("a stage is found in its fold", () => {
  const items = itemsOf(STAGES, at, ALL);
  assert.equal(itemOf(items, 2), 1);
  assert.equal(itemOf(items, 4), 2);
  assert.equal(itemOf(items, 99), -1);
});

test("of many inputs the first are named", () => {
  const types = Array.from({ length: 73 }, (_, number) => `tensor<${number}xf32>`);
  assert.deepEqual(typesWords(types.slice(0, 2), false), { words: "tensor<0xf32>, tensor<1xf32>", more: 0 });
  assert.equal(typesWords(types.slice(0, 10), false).more, 0);
  assert.equal(typesWords(types, false).more, 65);
  assert.equal(typesWords(types, true).words, types.join(", "));
});

test("verdicts in words", () => {
  const worst = {
    value: "%add.9",
    replaced: "%multiply.7",
    index: [3, 17],
    before: "2.0",
    after: "2.5",
    ulps: 1,
    process: null,
  };
  assert.equal(verdictWords(found(3, "rounding", { worst })), "rounding, 1 ulp");
  assert.equal(shortVerdictWords(found(3, "rounding", { worst })), "rounding, 1 ulp");
  const far = found(3, "rounding", { worst: { ...worst, ulps: 26870 } });
  assert.equal(verdictWords(far), "rounding, 26,870 ulps");
  assert.equal(shortVerdictWords(far), "rounding, 27K ulps");
  assert.equal(shortVerdictWords(found(3, "nan")), "became NaN");
  assert.equal(verdictWords(found(3, null)), "differs…");
  assert.equal(verdictWords(found(3, null, { has_run: false })), "changed");
  assert.equal(verdictWords(found(0, "same_text")), "first text");
  assert.equal(verdictWords(found(3, "nan")), "became NaN");
  assert.equal(worstWords(worst), "Element [3, 17]: 2.0 → 2.5, 1 ulp.");
  assert.equal(worstWords({ ...worst, ulps: 2e9, process: 3 }), "Element [3, 17] of process 3: 2.0 → 2.5, 2e9 ulps.");
  assert.equal(instructionWords(worst), "%multiply.7 became %add.9.");
  assert.equal(instructionWords({ ...worst, replaced: "%add.9" }), "%add.9 differs.");
  assert.deepEqual(
    [...countMarks(FOUND)],
    [
      ["same_text", 5],
      ["wrong", 1],
      ["rounding", 1],
    ],
  );
});

test("which run of a pass it is", () => {
  const twice = [stage(3, "algsimp"), { ...stage(9, "algsimp"), occurrence: 2 }];
  assert.equal(placeWords(twice[1], twice), "pass 9, 2nd run");
  assert.equal(placeWords(STAGES[4], STAGES), "pass 3");
  assert.equal(placeWords(STAGES[0], STAGES), "");
  assert.deepEqual([1, 2, 3, 4, 11, 12, 21, 113].map(ordinal), [
    "1st",
    "2nd",
    "3rd",
    "4th",
    "11th",
    "12th",
    "21st",
    "113th",
  ]);
});

test("what a text is called", () => {
  assert.deepEqual(nameOf(STAGES[4]), { name: "algsimp", isPass: true });
  const start = { ...stage(7, "pipeline-start", "spmd-cleanup"), round: 2 };
  assert.deepEqual(nameOf(start), { name: "start of spmd-cleanup, round 2", isPass: false });
  const inside = { ...start, changed_by: "spmd-partitioning" };
  assert.deepEqual(nameOf(inside, found(7, "rounding")), { name: "spmd-partitioning", isPass: true });
  assert.equal(nameOf(inside, found(7, "same_text")).name, "start of spmd-cleanup, round 2");
  assert.equal(placeWords({ ...inside, occurrence: 4 }, [start, inside]), "pass 7");
  assert.equal(pipelineWords(inside), "until the start of spmd-cleanup, round 2");
  assert.equal(pipelineWords(STAGES[4]), "simplification");
  assert.equal(pipelineWords(STAGES[0]), "");
});

test("a line in pieces, without its metadata", () => {
  const line = '  ROOT %tanh.1 = (f32[4,4]{1,0}, s32[]) tanh(%a.2), metadata={op_name="x"}';
  assert.deepEqual(
    piecesOf(line).map(({ kind, text }) => [kind, text]),
    [
      ["", "  ROOT "],
      ["name", "%tanh.1"],
      ["", " = "],
      ["type", "(f32[4,4]{1,0}, s32[]) "],
      ["op", "tanh"],
      ["", "(%a.2)"],
    ],
  );
  assert.deepEqual(piecesOf("}"), [{ kind: "", text: "}" }]);
});

test("what differs in a line", () => {
  const [one, other] = differingPieces("subtract(%a, %b)", "subtract(%b, %a)");
  const marked = (pieces) => pieces.map(({ text, differs }) => (differs ? `<${text}>` : text)).join("");
  assert.equal(one.map(({ text }) => text).join(""), "subtract(%a, %b)");
  assert.notEqual(marked(one), "subtract(%a, %b)");
  assert.notEqual(marked(other), "subtract(%b, %a)");
  assert.deepEqual(differingPieces("same", "same"), [
    [{ text: "same", differs: false }],
    [{ text: "same", differs: false }],
  ]);
  const long = "x ".repeat(3000);
  assert.equal(
    differingPieces(`a ${long}`, `${long} b`)[0]
      .map(({ text }) => text)
      .join(""),
    `a ${long}`,
  );
});

test("rows in one column", () => {
  const line = (text) => ({ line: 1, text, name: "" });
  const rows = [
    { kind: "same", before: line("a"), after: line("a") },
    { kind: "changed", before: line("b"), after: line("c") },
    { kind: "added", before: null, after: line("d") },
    { kind: "fold", row: 3, count: 9 },
  ];
  const lines = inOneColumn(rows).map(({ before, after, kind }) => [kind, before?.text ?? null, after?.text ?? null]);
  assert.deepEqual(lines, [
    ["same", null, "a"],
    ["changed", "b", null],
    ["changed", null, "c"],
    ["added", null, "d"],
    ["fold", null, null],
  ]);
});
