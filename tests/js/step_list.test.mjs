/** Steps that are filtered and grouped, against doing so one step at a time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CHUNK } from "../../static/js/core/run/outline.js";
import { StepList, WantedSteps } from "../../static/js/features/steps/model.js";
import { outlineOf } from "./outlines.mjs";

const OPS = 7;
const STEPS = CHUNK + 500;
const opAt = (step) => (Math.floor(step / 5) * 3 + (step % 2)) % OPS;
const outline = outlineOf(
  Array.from({ length: STEPS }, (_, step) => [opAt(step), 0, 0]),
  [[0, 0xffffffff, 0xffffffff, 0xffffffff]],
);
const grouping = { titles: ["a", "b"], ofOp: Int32Array.from([0, 0, 1, -1, 1, 0, -1]) };

/** The rows by going through all steps. */
function naive(wanted, grouped, folded) {
  const rows = [];
  let title = null;
  for (let step = 0; step < STEPS; step++) {
    if (!wanted(step, opAt(step))) continue;
    const here = grouping.ofOp[opAt(step)];
    if (grouped && here !== title) rows.push(`title ${here}`);
    title = here;
    if (!grouped || !folded.includes(here)) rows.push(step);
  }
  return rows;
}

const FILTERS = {
  all: () => true,
  odd: (step) => step % 2 === 1,
  some: (_, op) => op === 4 || op === 3,
  none: () => false,
};

for (const [name, wanted] of Object.entries(FILTERS)) {
  for (const grouped of [false, true]) {
    for (const folded of grouped ? [[], [0], [-1, 1], [0, 1, -1]] : [[]]) {
      test(`${name}${grouped ? `, grouped, ${folded.length} folded` : ""}`, () => {
        const steps = new WantedSteps(wanted, grouped ? grouping : null);
        assert.deepEqual(steps.update(outline), []);
        const list = new StepList(steps, (title) => folded.includes(title));
        const expected = naive(wanted, grouped, folded);
        const told = Array.from({ length: list.count }, (_, row) => {
          const found = list.at(row);
          return found.kind === "title" ? `title ${found.title}` : found.step;
        });
        assert.deepEqual(told, expected);
        for (let step = 0; step < STEPS; step += 37) {
          const row = expected.indexOf(step);
          if (row >= 0) assert.equal(list.rowOf(step), row);
          else if (list.count > 0) {
            const found = list.at(list.rowOf(step));
            const first = found.kind === "title" ? found.first : found.step;
            assert.ok(first <= step || list.rowOf(step) <= 1);
          }
        }
      });
    }
  }
}

test("a chunk that has not arrived is named, and taken in when it does", () => {
  const steps = new WantedSteps(FILTERS.odd, null);
  const chunk = outline.stepChunks[1];
  outline.stepChunks[1] = undefined;
  assert.deepEqual(steps.update(outline), [1]);
  assert.equal(new StepList(steps, () => false).count, CHUNK / 2);
  outline.stepChunks[1] = chunk;
  assert.deepEqual(steps.update(outline), []);
  assert.equal(new StepList(steps, () => false).count, STEPS / 2);
});
