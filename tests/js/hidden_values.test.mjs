import assert from "node:assert/strict";
import test from "node:test";
import { hiddenWays, hideValues, hideWays, isHiddenBy } from "../../static/js/core/hidden_values.js";
import { findingsAt, markedSteps } from "../../static/js/core/run/findings.js";
import * as store from "../../static/js/core/store.js";

const MARK = { process: 0, step: 3, tick: 3, address: "0.s3.0", index: [0], finding: 0, words: "first NaN" };

test("a covered value has no mark on the timeline", () => {
  store.run.value = /** @type {any} */ ({ key: "key" });
  const found = { inputs: [], rest: "", findings: [{ grade: "harmful", first: MARK, worst: MARK }], marks: [MARK] };
  store.findings.value = /** @type {any} */ (found);
  assert.deepEqual(markedSteps(0), [{ step: 3, tick: 3, grade: "harmful" }]);
  hideValues(["key 0.s3.0"], "room");
  assert.deepEqual([markedSteps(0), findingsAt(0, 3)], [[], []]);
  assert.deepEqual([isHiddenBy("room"), isHiddenBy("lesson")], [true, false]);
  hideValues(["key 0.s3.1"], "room"); // another result of the step: its finding would tell
  assert.deepEqual([markedSteps(0), findingsAt(0, 3)], [[], []]);
  hideValues(["key 0.s31.0"], "room");
  assert.equal(markedSteps(0).length, 1);
  hideValues([], "room");
});

test("ways are covered by recording", () => {
  hideWays(["key 0.s3.0", "other 0.s4.0"]);
  assert.deepEqual([hiddenWays("key"), hiddenWays("other"), hiddenWays("ke")], [["0.s3.0"], ["0.s4.0"], []]);
  hideWays([]);
  assert.deepEqual(hiddenWays("key"), []);
});
