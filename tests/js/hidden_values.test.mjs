import assert from "node:assert/strict";
import test from "node:test";
import {
  hide,
  isHidden,
  isHiddenBy,
  isMapHidden,
  isStepHidden,
  isWayHidden,
  withoutRules,
  withoutSizes,
} from "../../static/js/core/hidden_values.js";
import { findingsAt, isFindingHidden, markedSteps } from "../../static/js/core/run/findings.js";
import * as store from "../../static/js/core/store.js";

const MARK = { process: 0, step: 3, tick: 3, address: "0.s3.0", index: [0], finding: 0, words: "first NaN" };

test("a covered value has no mark on the timeline", () => {
  store.run.value = /** @type {any} */ ({ key: "key" });
  const found = { inputs: [], rest: "", findings: [{ grade: "harmful", first: MARK, worst: MARK }], marks: [MARK] };
  store.findings.value = /** @type {any} */ (found);
  assert.deepEqual(markedSteps(0), [{ step: 3, tick: 3, grade: "harmful" }]);
  hide({ values: ["key 0.s3.0"] }, "room");
  assert.deepEqual([markedSteps(0), findingsAt(0, 3)], [[], []]);
  assert.deepEqual([isHiddenBy("room"), isHiddenBy("lesson")], [true, false]);
  hide({ values: ["key 0.s3.1"] }, "room"); // another result of the step: its finding would tell
  assert.deepEqual([markedSteps(0), findingsAt(0, 3)], [[], []]);
  hide({ values: ["key 0.s31.0"] }, "room");
  assert.equal(markedSteps(0).length, 1);
  hide({}, "room");
});

test("while a step is asked for, no finding of its run marks one", () => {
  hide({ marks: ["other"] });
  assert.equal(markedSteps(0).length, 1);
  hide({ marks: ["key"] });
  assert.deepEqual([markedSteps(0), findingsAt(0, 3)], [[], []]);
  assert.equal(isFindingHidden(/** @type {any} */ (store.findings.value?.findings[0])), true);
  hide({});
});

test("a rule that a lesson asks about is left out of sentences", () => {
  const said = "It reads `%t.1`. Run-time positions are clamped: `%starts.2[d0, 0]` to 0 … 2. It is one.";
  hide({ rules: ["Run-time positions are clamped"] });
  assert.equal(withoutRules(`${said}\n${said}`), "It reads `%t.1`. It is one.\nIt reads `%t.1`. It is one.");
  hide({});
  assert.equal(withoutRules(said), said);
});

test("ways are covered by recording", () => {
  hide({ ways: ["key 0.s3.0", "other 0.s4.0"] });
  assert.deepEqual(["key", "other", "ke"].map(isWayHidden), [true, true, false]);
  assert.equal(
    isMapHidden("key", (address) => address === "0.s3.0"),
    true,
  );
  assert.equal(
    isMapHidden("key", (address) => address === "0.s4.0"),
    false,
  );
  hide({});
  assert.equal(isWayHidden("key"), false);
});

test("sizes that a question asks for are covered in types, and nowhere else", () => {
  const cases = [
    ["(tensor<4x1xi64>) -> tensor<1x4xi64>", "(tensor<4x1xi64>) -> tensor<…xi64>"],
    ["1x4xi64 and 11x4xi64, 1x4x2xi64, %1x4xi", "…xi64 and 11x4xi64, 1x4x2xi64, %1x4xi"],
    ["f32[1,4]{1,0} %own[1,4] bf16[1,4] pred[4,1]", "f32[…]{1,0} %own[1,4] bf16[…] pred[4,1]"],
  ];
  for (const [text] of cases) assert.equal(withoutSizes(text), text);
  hide({ sizes: ["1x4"] });
  for (const [text, covered] of cases) assert.equal(withoutSizes(text), covered);
  hide({ sizes: [""] });
  assert.equal(withoutSizes("tensor<i64>, tensor<4xi64>, s32[]"), "tensor<…xi64>, tensor<4xi64>, s32[…]");
  hide({});
});

test("what lies beyond a search is covered: results from a step on, arguments from a frame on", () => {
  hide({ values: ["key 0.s1.0"], beyond: [{ key: "key", process: 0, step: 9, frame: 2 }] }, "room");
  const covered = ["0.s1.0", "0.s9.0", "0.s10.1.3", "0.f2.0", "l0.s12.0"];
  const shown = ["0.s8.0", "0.f1.7", "1.s9.0", "1.f2.0"];
  for (const address of covered) assert.ok(isHidden("key", address), address);
  for (const address of shown) assert.ok(!isHidden("key", address), address);
  assert.ok(!isHidden("other", "0.s9.0"));
  assert.deepEqual(
    [isStepHidden("key", 0, 9), isStepHidden("key", 0, 8), isStepHidden("key", 1, 9)],
    [true, false, false],
  );
  hide({}, "room");
});
