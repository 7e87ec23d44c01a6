/** Chunks of an outline that are longer than the run: another session has recorded the same program further. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MissingChunk, Outline } from "../../static/js/core/run/outline.js";

/** Four steps: ops 10 to 13 in frames 0, 0, 1, 1 at depths 0, 0, 1, 1; and two frames. */
function bytes() {
  const part = (/** @type {any} */ Type, /** @type {number[]} */ numbers) => Buffer.from(new Type(numbers).buffer);
  const joined = (/** @type {Buffer[]} */ parts) => Uint8Array.from(Buffer.concat(parts)).buffer;
  return {
    steps: joined([
      part(Uint32Array, [10, 11, 12, 13]),
      part(Uint32Array, [0, 0, 1, 1]),
      part(Uint16Array, [0, 0, 1, 1]),
    ]),
    frames: joined([
      part(Uint32Array, [0, 5]),
      part(Uint32Array, [0, 0]),
      part(Uint32Array, [9, 1]),
      part(Uint32Array, [0, 7]),
    ]),
  };
}

test("what is beyond the run is not taken, and asked for again when the run has come further", () => {
  const outline = new Outline();
  outline.steps = 3;
  outline.frames = 2;
  outline.addSteps(0, bytes().steps, outline.steps);
  outline.addFrames(0, bytes().frames, outline.frames);
  assert.equal(outline.steps, 3);
  assert.deepEqual([outline.op(2), outline.frame(2), outline.depth(2)], [12, 1, 1]);
  assert.throws(() => outline.op(3), MissingChunk);
  assert.deepEqual([outline.block(1), outline.opener(1), outline.iteration(1)], [5, 1, 7]);
  assert.ok(outline.has("steps", 0));
  outline.steps = 4;
  assert.ok(!outline.has("steps", 0));
  outline.addSteps(0, bytes().steps, outline.steps);
  assert.deepEqual([outline.op(3), outline.frame(3), outline.depth(3)], [13, 1, 1]);
});

test("frames beyond the run are not taken either", () => {
  const outline = new Outline();
  outline.frames = 1;
  outline.addFrames(0, bytes().frames, outline.frames);
  assert.equal(outline.frames, 1);
  assert.deepEqual([outline.block(0), outline.opener(0)], [0, 9]);
  assert.throws(() => outline.block(1), MissingChunk);
});
