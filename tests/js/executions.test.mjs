/** When ops ran, and the step before a position. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { executionsOf, previousStep, neighbours } from "../../static/js/core/run/executions.js";
import { NONE, Outline } from "../../static/js/core/run/outline.js";

/** @param {[op: number, frame: number, depth: number][]} steps @param {[block: number, parent: number, opener: number][]} frames */
function outlineOf(steps, frames) {
  const outline = new Outline();
  const column = (/** @type {number[]} */ values) => Uint32Array.from(values);
  outline.stepChunks[0] = {
    count: steps.length,
    op: column(steps.map(([op]) => op)),
    frame: column(steps.map(([, frame]) => frame)),
    depth: Uint16Array.from(steps.map(([, , depth]) => depth)),
  };
  outline.frameChunks[0] = {
    count: frames.length,
    block: column(frames.map(([block]) => block)),
    parent: column(frames.map(([, parent]) => parent)),
    opener: column(frames.map(([, , opener]) => opener)),
    iteration: column(frames.map(() => 0)),
  };
  Object.assign(outline, { steps: steps.length, frames: frames.length, done: true, complete: true });
  return outline;
}

// A call of two ops at step 1, then an op and the return.
const CALL = outlineOf(
  [
    [0, 0, 0],
    [1, 0, 0],
    [4, 1, 1],
    [5, 1, 1],
    [2, 0, 0],
    [3, 0, 0],
  ],
  [
    [0, NONE, NONE],
    [1, 0, 1],
  ],
);

test("behind a call it is the call that has just run", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((position) => previousStep(CALL, position)),
    [null, 0, null, 2, 1, 4, 5],
  );
});

test("executions are found in order, and those beside a position", () => {
  assert.deepEqual(executionsOf(CALL, new Set([5, 0])), [0, 3]);
  assert.deepEqual(executionsOf(CALL, new Set()), []);
  const steps = [3, 7, 11];
  assert.deepEqual(neighbours(steps, 0), { before: null, after: 0 });
  assert.deepEqual(neighbours(steps, 7), { before: 0, after: 2 });
  assert.deepEqual(neighbours(steps, 8), { before: 1, after: 2 });
  assert.deepEqual(neighbours(steps, 11), { before: 1, after: null });
  assert.deepEqual(neighbours([], 4), { before: null, after: null });
});
