import assert from "node:assert/strict";
import test from "node:test";
import { judge, judgeStep, PROBLEMS, readList, truthText } from "../../static/js/features/lesson/answers.js";

const ask = (more) => ({
  ask: "number",
  number_kind: null,
  digits: null,
  truth: null,
  cells: null,
  options: [],
  wrong: [],
  ...more,
});
const integer = (truth, more) => ask({ number_kind: "integer", truth, ...more });
const float = (truth, digits) => ask({ number_kind: "float", truth, digits });
const isRight = (question, text) => judge(question, text).right;
const problem = (question, text) => PROBLEMS[judge(question, text).problem];

test("a whole number is compared exactly, however it is written", () => {
  for (const text of ["18", " 18 ", "+18", "18.0", "1.8e1", "1_8"])
    assert.equal(isRight(integer("18"), text), true, text);
  for (const text of ["17", "-18", "18.5", "180"]) assert.equal(isRight(integer("18"), text), false, text);
  assert.equal(isRight(integer("-3"), "−3"), true);
  assert.equal(isRight(integer("1024"), "1,024"), true);
  assert.equal(isRight(integer("9007199254740993"), "9007199254740993"), true);
  assert.equal(isRight(integer("9007199254740993"), "9007199254740992"), false);
});

test("a float counts to its digits: one unit away in the last is right, more is not", () => {
  assert.equal(isRight(float("0.6666667", 3), "0.667"), true);
  assert.equal(isRight(float("0.6666667", 3), "0.666"), true);
  assert.equal(isRight(float("0.6666667", 3), "2/3"), true);
  assert.equal(isRight(float("0.6666667", 3), "0.665"), false);
  assert.equal(isRight(float("0.6666667", 2), "0.66"), true);
  assert.equal(isRight(float("1234.5", 3), "1230"), true);
  assert.equal(isRight(float("1234.5", 3), "1200"), false);
  assert.equal(isRight(float("0.5", 3), "0.501"), true);
  assert.equal(isRight(float("0.5", 3), "-0.5"), false);
  assert.equal(isRight(float("1e-30", 3), "0"), false);
  assert.equal(isRight(float("0", 3), "0.0009"), true);
  assert.equal(isRight(float("-0", 3), "0"), true);
  assert.equal(isRight(float("0", 3), "0.01"), false);
});

test("NaN and the infinities answer themselves alone", () => {
  for (const text of ["nan", "NaN", " NAN "]) assert.equal(isRight(float("NaN", 3), text), true);
  assert.equal(isRight(float("NaN", 3), "0"), false);
  assert.equal(isRight(float("3", 3), "nan"), false);
  for (const text of ["inf", "+Inf", "∞", "infinity"]) assert.equal(isRight(float("+Inf", 3), text), true, text);
  assert.equal(isRight(float("-Inf", 3), "−∞"), true);
  assert.equal(isRight(float("-Inf", 3), "inf"), false);
  assert.equal(isRight(float("+Inf", 3), "1e400"), true); // so large is infinite here
});

test("what is no answer is said to be none, and is not wrong", () => {
  assert.match(problem(integer("3"), ""), /whole number/);
  assert.match(problem(integer("3"), "three"), /whole number/);
  assert.match(problem(integer("3"), "nan"), /whole number/);
  assert.match(problem(float("0.5", 3), "0,5"), /Write a point/);
  assert.match(problem(float("0.125", 3), "0,125"), /Write a point/);
  assert.match(problem(float("0.5", 3), "a half"), /not a number/);
  assert.match(problem(float("0.5", 3), "1/2/3"), /not a number/);
  assert.match(problem(ask({ number_kind: "truth", truth: "true" }), "2"), /true nor false/);
  assert.match(problem(ask({ ask: "shape", truth: [3] }), "three"), /not a shape/);
  assert.match(problem(ask({ ask: "shape", truth: [] }), ""), /not a shape/);
  assert.match(problem(ask({ ask: "cell", cells: [[0, 0]] }), "%0"), /not an index/);
  assert.match(problem(ask({ ask: "choice", options: [] }), ""), /Choose one/);
});

test("true and false by any of their names", () => {
  const question = ask({ number_kind: "truth", truth: "true" });
  for (const text of ["true", "Yes", "1"]) assert.equal(isRight(question, text), true);
  for (const text of ["false", "no", "0"]) assert.equal(isRight(question, text), false);
});

test("a shape as people write it; a scalar has no sizes", () => {
  const shape = (truth) => ask({ ask: "shape", truth });
  for (const text of ["3x4", "(3, 4)", "[3,4]", "3 × 4", "3*4", "3 4", "3X4", "(3, 4,)"])
    assert.equal(isRight(shape([3, 4]), text), true, text);
  for (const text of ["4x3", "3x4x1", "34", "()", "12"]) assert.equal(isRight(shape([3, 4]), text), false, text);
  for (const text of ["()", "[]", "scalar", "( )"]) assert.equal(isRight(shape([]), text), true, text);
  assert.equal(isRight(shape([1]), "()"), false);
  assert.equal(isRight(shape([3]), "(3,)"), true);
  assert.equal(readList("3x4xf32"), null);
});

test("an element is right where it is one of those that count", () => {
  const question = ask({
    ask: "cell",
    cells: [
      [3, 0],
      [3, 1],
    ],
    wrong: [{ value: [1, 0], html: "that is the row of the result" }],
  });
  assert.equal(isRight(question, "3, 0"), true);
  assert.equal(isRight(question, "[3, 1]"), true);
  assert.deepEqual(judge(question, "1 0"), { right: false, html: "that is the row of the result" });
  assert.equal(judge(question, "3").right, false);
  assert.equal(isRight(ask({ ask: "cell", cells: [[]] }), "[]"), true);
});

test("a misconception is named by the same rule; a right answer never is", () => {
  const wrong = [
    { value: "0", html: "scatter drops" },
    { value: "18", html: "never said" },
  ];
  assert.deepEqual(judge(integer("18", { wrong }), "0.0"), { right: false, html: "scatter drops" });
  assert.deepEqual(judge(integer("18", { wrong }), "7"), { right: false, html: "" });
  assert.deepEqual(judge(integer("18", { wrong }), "18"), { right: true, html: "" });
  const near = { ...float("0.25", 3), wrong: [{ value: "0.5", html: "you forgot to halve" }] };
  assert.deepEqual(judge(near, "1/2"), { right: false, html: "you forgot to halve" });
});

test("the option that is chosen says whether it is right, and why", () => {
  const options = [
    { html: "clamped", says_html: "yes", right: true },
    { html: "dropped", says_html: "scatter does", right: false },
  ];
  assert.deepEqual(judge(ask({ ask: "choice", options }), "0"), { right: true, html: "yes" });
  assert.deepEqual(judge(ask({ ask: "choice", options }), "1"), { right: false, html: "scatter does" });
});

test("where one stands: the run, the process and one of the steps", () => {
  const place = { run: 2, process: 1, step: 7, tab: null, value: null, path: [], element: null, address: null };
  const question = { truth: [7, 9], place, run: 2, wrong: [{ value: [8], html: "one further" }] };
  assert.equal(judgeStep(question, { run: 2, process: 1, step: 9 }).right, true);
  assert.equal(judgeStep(question, { run: 2, process: 0, step: 9 }).right, false);
  assert.equal(judgeStep(question, { run: 1, process: 1, step: 7 }).right, false);
  assert.deepEqual(judgeStep(question, { run: 2, process: 1, step: 8 }), { right: false, html: "one further" });
});

test("the right answer in words", () => {
  assert.equal(truthText(integer("18")), "18");
  assert.equal(truthText(ask({ ask: "shape", truth: [] })), "()");
  assert.equal(
    truthText(
      ask({
        ask: "cell",
        cells: [
          [3, 0],
          [3, 1],
        ],
      }),
    ),
    "[3, 0] or [3, 1]",
  );
});
