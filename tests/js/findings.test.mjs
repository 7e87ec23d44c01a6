/** Findings: which are listed, in which order, and what a mark says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOfSentence, findingsAt, harmfulInputs, markedSteps } from "../../static/js/core/run/findings.js";
import { asSentence, withHint } from "../../static/js/core/messages.js";
import * as store from "../../static/js/core/store.js";
import { countGrades, groupsOf, inputsOf } from "../../static/js/features/findings/model.js";

const mark = (finding, step, more = {}) => ({
  ...{ finding, process: 0, step, iteration: 0, tick: step, elements: 12, size: 80 },
  ...{ address: `0.s${step}.0`, index: [0], words: "12 of 80 elements became +Inf", ...more },
});
const TITLES = { inf: "infinity", denormal: "denormal" };
const finding = (op, opName, kind, grade, sentence) => ({
  ...{ op, opName, kind, title: TITLES[kind], grade, sentence, count: 1, cause: null },
  ...{ first: mark(0, op), worst: mark(0, op) },
});
const FINDINGS = [
  finding(3, "stablehlo.log", "inf", "masked", "first -Inf: line 5, log, 1 of 8 elements, where %x is 0"),
  finding(7, "stablehlo.exponential", "inf", "harmful", "first +Inf: line 15, exponential, 12 of 80 elements"),
  finding(9, "stablehlo.constant", "inf", "neutral", "first -Inf: line 2, constant"),
  finding(7, "stablehlo.exponential", "denormal", "masked", "first denormal: line 15, exponential"),
];
const ALL = new Set(["harmful", "masked", "neutral"]);
const opsOf = (filter) => groupsOf(FINDINGS, filter).map(({ op }) => op);

test("findings are grouped by op, what does harm first", () => {
  const groups = groupsOf(FINDINGS, { grades: ALL, words: "" });
  assert.deepEqual(
    groups.map(({ op, findings }) => [op, findings.length]),
    [
      [7, 2],
      [3, 1],
      [9, 1],
    ],
  );
  assert.deepEqual(countGrades(FINDINGS), { harmful: 1, masked: 2, neutral: 1 });
});

test("a filter finds words of the sentence, the op, the kind and the grade", () => {
  assert.deepEqual(opsOf({ grades: new Set(["harmful"]), words: "" }), [7]);
  assert.deepEqual(opsOf({ grades: ALL, words: "LOG" }), [3]);
  assert.deepEqual(opsOf({ grades: ALL, words: "line 15" }), [7]);
  assert.deepEqual(opsOf({ grades: ALL, words: "infinity masked" }), [3]);
  assert.deepEqual(opsOf({ grades: ALL, words: "gather" }), []);
  assert.deepEqual(opsOf({ grades: new Set(), words: "" }), []);
});

test("a step has the marks of its process, the worst first", () => {
  const marks = [mark(0, 4), mark(1, 4), mark(1, 6, { process: 1 }), mark(2, 2)];
  store.findings.value = { findings: FINDINGS, inputs: [], marks, found: 4, steps: 9 };
  assert.deepEqual(
    findingsAt(0, 4).map(({ finding: { grade } }) => grade),
    ["harmful", "masked"],
  );
  assert.deepEqual(findingsAt(0, 6), []);
  assert.equal(findingsAt(1, 6)[0]?.finding.grade, "harmful");
  // What is meant to be is not marked on the timeline.
  assert.deepEqual(
    markedSteps(0).map(({ step }) => step),
    [4, 4],
  );
  store.findings.value = null;
  assert.deepEqual(markedSteps(0), []);
});

test("inputs are filtered as findings are, and those that do harm are named", () => {
  const input = (name, grade) => ({ name, grade, kind: "nan", sentence: `%${name} holds NaN` });
  const inputs = [input("mask", "neutral"), input("x", "harmful")];
  const names = (filter) => inputsOf(inputs, filter).map(({ name }) => name);
  assert.deepEqual(names({ grades: ALL, words: "" }), ["mask", "x"]);
  assert.deepEqual(names({ grades: new Set(["harmful"]), words: "" }), ["x"]);
  assert.deepEqual(names({ grades: ALL, words: "INPUT nan %mask" }), ["mask"]);
  assert.deepEqual(names({ grades: ALL, words: "exponential" }), []);
  assert.deepEqual(harmfulInputs(), []);
  store.findings.value = { findings: [], inputs, marks: [], found: 2, steps: 9 };
  assert.deepEqual(
    harmfulInputs().map(({ name }) => name),
    ["x"],
  );
  store.findings.value = null;
});

test("a sentence begins with a capital and ends with one full stop", () => {
  assert.equal(asSentence("first NaN: line 3"), "First NaN: line 3.");
  assert.equal(asSentence("first NaN."), "First NaN.");
  assert.equal(withHint("x.zip holds no HLO text", "Dump it."), "x.zip holds no HLO text. Dump it.");
  assert.equal(withHint("It is full.", "Wait."), "It is full. Wait.");
  assert.equal(withHint("no", ""), "no");
});

test("where line and op stand above a sentence, it leaves them out", () => {
  const whole = "first +Inf: line 15, exponential, 12 of 80 elements, where %10 is above 88.72";
  assert.deepEqual(partsOfSentence(whole), { what: "+Inf", how: "12 of 80 elements, where %10 is above 88.72" });
  assert.deepEqual(partsOfSentence("first NaN in process (0,1): line 3, log"), {
    what: "NaN in process (0,1)",
    how: "",
  });
  assert.deepEqual(
    partsOfSentence("first NaN: line 3, log; the infinity comes from %1, line 2").how,
    "the infinity comes from %1, line 2",
  );
  assert.deepEqual(partsOfSentence("replicas part"), { what: "", how: "replicas part" });
});
