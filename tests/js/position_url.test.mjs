/** What an address says beside the step. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lookOf } from "../../static/js/core/position_url.js";

test("an address says the tab, the value and its element", () => {
  assert.deepEqual(lookOf("?run=1&step=4&tab=index&value=7.0.1&element=3,17"), {
    tab: "index",
    value: 7,
    path: [0, 1],
    element: [3, 17],
  });
  assert.deepEqual(lookOf("?value=7"), { tab: "tensor", value: 7, path: [], element: null });
});

test("one that says nothing of these leaves what was shown", () => {
  assert.equal(lookOf("?run=1&step=4"), null);
  assert.equal(lookOf("?run=1&compare=2"), null);
});

test("where two runs are compared, a chosen value does not hide the comparison", () => {
  assert.equal(lookOf("?compare=2&value=7")?.tab, "compare");
  assert.equal(lookOf("?compare=2&value=7&tab=index")?.tab, "index");
});

test("what is not a number names nothing", () => {
  assert.deepEqual(lookOf("?value=x&element=1,b"), { tab: "tensor", value: null, path: [], element: [] });
});
