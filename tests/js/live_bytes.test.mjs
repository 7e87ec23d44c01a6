import assert from "node:assert/strict";
import { test } from "node:test";
import { firstStepOf } from "../../static/js/core/run/executions.js";
import { bytesInColumns, scheduledOp } from "../../static/js/core/run/memory.js";
import { NONE } from "../../static/js/core/run/outline.js";
import {
  asOf,
  collectivesText,
  columnsOf,
  headOf,
  notCounted,
  placeOf,
} from "../../static/js/features/memory/model.js";

/** Ops 0 to 3 in a row, where op 2 runs the body of a reduction, ops 4 and 5, in a frame that step 2 opens. */
const outline = {
  steps: 6,
  last: 6,
  stepChunks: [{ count: 6, op: Uint32Array.of(0, 1, 2, 4, 5, 3) }],
  op: (/** @type {number} */ step) => [0, 1, 2, 4, 5, 3][step],
  frame: (/** @type {number} */ step) => (step === 3 || step === 4 ? 1 : 0),
  opener: (/** @type {number} */ frame) => (frame === 1 ? 2 : NONE),
};
const memory = {
  isScheduled: true,
  isWhole: false,
  peak: 2,
  peakBytes: 2048,
  atPeak: { argument: 1024, result: 0, temporary: 1024 },
  bytes: [1024, 1536, 2048, 512, -1, -1],
  schedule: [0, 1, 2, 3],
  constants: 0,
  openSizes: 0,
  spaces: {},
  donated: 0,
  copies: { count: 0, bytes: 0 },
  collectives: [],
};

test("a step in the body of a reduction has the live bytes of the reduction", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((step) => scheduledOp(memory, outline, step)),
    [0, 1, 2, 2, 2, 3, 3],
  );
  assert.equal(placeOf(memory, 3), 3);
  assert.equal(placeOf(memory, null), -1);
});

test("the timeline has the most bytes of each stretch of steps", () => {
  assert.deepEqual([...bytesInColumns(memory, outline, 6)], [1024, 1536, 2048, -1, -1, 512]);
  assert.deepEqual([...bytesInColumns(memory, outline, 2)], [2048, 512]);
  assert.deepEqual(columnsOf([1, 5, 2, 3], 2), [5, 3]);
  assert.deepEqual(columnsOf([1, 5], 4), [1, 1, 5, 5]);
});

test("an op leads to its first recorded step", () => {
  assert.equal(firstStepOf(outline, 3), 5);
  assert.equal(firstStepOf(outline, 7), null);
});

test("sentences say where the bytes come from and what they leave out", () => {
  const program = { ops: [{}, {}, { results: [4] }], values: { 4: { name: "%big" } } };
  assert.equal(
    headOf(memory, program, 12),
    "Peak 2 KiB at line 12, %big: arguments 1 KiB, results 0 B, temporaries 1 KiB.",
  );
  assert.match(headOf({ ...memory, donated: 512 }, program, 12), /; 512 B of the arguments are donated\.$/);
  assert.match(asOf(memory), /^From the text alone, in the order of its schedule\./);
  assert.match(asOf({ ...memory, isScheduled: false, isWhole: true }), /order of its lines.*Arrays are whole/);
  assert.equal(notCounted(memory), "");
  const more = { ...memory, constants: 28, spaces: { 5: 1024 }, openSizes: 1, copies: { count: 2, bytes: null } };
  assert.equal(
    notCounted(more),
    "Not counted: 28 B of constants, 1 KiB in memory space 5, 1 value of unknown size. 2 copy ops write an unknown number of bytes in a run.",
  );
  // One op in a loop of ten iterations makes ten copies.
  assert.equal(
    notCounted({ ...memory, copies: { count: 1, bytes: 10240 } }).trim(),
    "1 copy op writes 10 KiB in a run.",
  );
});

test("collectives add up only if all loops have a known length", () => {
  const known = { total: 64 };
  assert.equal(
    collectivesText({ collectives: [known, known] }),
    "2 collectives: a process sends 128 B in a run, by ring algorithms",
  );
  assert.equal(
    collectivesText({ collectives: [known, { total: null }] }),
    "2 collectives: bytes that a process sends in one execution",
  );
});
