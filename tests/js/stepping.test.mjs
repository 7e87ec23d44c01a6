/** Stepping, against the definitions applied one step at a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHUNK, MissingChunk, NONE } from "../../static/js/core/run/outline.js";
import * as stepping from "../../static/js/core/run/stepping.js";
import { loop, outlineOf } from "./outlines.mjs";

const naive = {
  after: (steps, p) => steps.findIndex(([, , depth], q) => q > p && depth <= steps[p][2]),
  backOver: (steps, p) => steps.findLastIndex(([, , depth], q) => q < p && depth <= steps[p][2]),
};

test("over, out, back over agree with their definitions at every step", () => {
  const { steps, frames } = loop(3);
  const outline = outlineOf(steps, frames);
  const orEnd = (q) => (q < 0 ? steps.length : q);
  for (let p = 0; p < steps.length; p++) {
    assert.equal(stepping.over(outline, p), orEnd(naive.after(steps, p)), `over ${p}`);
    const opener = frames[steps[p][1]][2];
    assert.equal(
      stepping.out(outline, p),
      opener === NONE ? steps.length : orEnd(naive.after(steps, opener)),
      `out ${p}`,
    );
    assert.equal(stepping.backOver(outline, p), Math.max(0, naive.backOver(steps, p)), `back over ${p}`);
    assert.equal(stepping.into(outline, p), p + 1);
    assert.equal(stepping.back(outline, p), Math.max(0, p - 1));
  }
});

test("from the end one goes back into the run", () => {
  const { steps, frames } = loop(2);
  const outline = outlineOf(steps, frames);
  assert.equal(stepping.over(outline, steps.length), steps.length);
  assert.equal(stepping.into(outline, steps.length), steps.length);
  assert.equal(stepping.back(outline, steps.length), steps.length - 1);
  assert.equal(stepping.backOver(outline, steps.length), steps.length - 1);
});

test("stepping over a loop of many chunks", () => {
  const { steps, frames } = loop(5000);
  const outline = outlineOf(steps, frames);
  assert.ok(steps.length > 5 * CHUNK);
  assert.equal(stepping.over(outline, 1), steps.length - 1);
  const inCondition = steps.findIndex(([op], step) => op === 2 && step > 3 * CHUNK);
  assert.equal(stepping.out(outline, inCondition), steps.length - 1);
  assert.equal(stepping.backOver(outline, steps.length - 1), 1);
});

test("breakpoints: continue and reverse continue stop on their ops", () => {
  const { steps, frames } = loop(3);
  const outline = outlineOf(steps, frames);
  const adds = steps.flatMap(([op], step) => (op === 7 ? [step] : []));
  const ops = new Set([7]);
  assert.equal(stepping.continueTo(outline, 0, ops), adds[0]);
  assert.equal(stepping.continueTo(outline, adds[0], ops), adds[1]);
  assert.equal(stepping.continueTo(outline, adds[2], ops), steps.length);
  assert.equal(stepping.continueTo(outline, 0, new Set()), steps.length);
  assert.equal(stepping.continueTo(outline, -1, new Set([0])), 0);
  assert.equal(stepping.reverseContinue(outline, steps.length, ops), adds[2]);
  assert.equal(stepping.reverseContinue(outline, adds[1], ops), adds[0]);
  assert.equal(stepping.reverseContinue(outline, adds[0], ops), 0);
});

test("what is not recorded yet is null, and the search is taken up where it ended", () => {
  const { steps, frames } = loop(3);
  const part = outlineOf(steps.slice(0, 9), frames, { done: false });
  assert.equal(stepping.over(part, 1), null);
  assert.equal(stepping.into(part, 8), null);
  assert.equal(stepping.continueTo(part, 0, new Set([6])), null);
  const whole = outlineOf(steps, frames);
  assert.equal(stepping.over(whole, 1, 9), steps.length - 1);
  assert.equal(stepping.continueTo(whole, 0, new Set([6]), 9), steps.length - 1);
});

test("a failed run ends at its last step", () => {
  const { steps, frames } = loop(3);
  const failed = outlineOf(steps.slice(0, 9), frames, { done: false, complete: true });
  assert.equal(stepping.over(failed, 1), 8);
  assert.equal(stepping.into(failed, 8), 8);
  assert.equal(stepping.continueTo(failed, 3, new Set()), 8);
});

test("a chunk that has not arrived is named", () => {
  const { steps, frames } = loop(5000);
  const outline = outlineOf(steps, frames);
  outline.stepChunks[2] = undefined;
  assert.throws(
    () => stepping.over(outline, 1),
    (error) => error instanceof MissingChunk && error.chunk === 2 && error.column === "steps",
  );
});
