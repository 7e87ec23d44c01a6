/** The picture of a deadlock. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutOf } from "../../static/js/features/grid/layout.js";
import { arrowPath, arrowsOf, neverCame } from "../../static/js/features/grid/deadlock.js";

const wait = (process, ...missing) => ({
  process,
  op: 1,
  line: 2,
  step: 3,
  channel: 0,
  group: [process, ...missing],
  missing,
  kind: "meet",
});
const report = (waits, cycle = []) => ({ kind: "deadlock", sentence: "", lines: [], waits, cycle });

test("an arrow for each wait, those of the cycle first", () => {
  const arrows = arrowsOf(report([wait(3, 0), wait(0, 1), wait(1, 2), wait(2, 0)], [0, 1, 2]));
  assert.deepEqual(
    arrows.map(({ from, to, inCycle }) => `${from}${to}${inCycle ? "!" : ""}`),
    ["01!", "12!", "20!", "30"],
  );
});

test("of one process alone, with the cycle", () => {
  const arrows = arrowsOf(report([wait(0, 1), wait(1, 0), wait(4, 5), wait(6, 4), wait(7, 8)], [0, 1]), 4);
  assert.deepEqual(
    arrows.map(({ from, to }) => [from, to]),
    [
      [0, 1],
      [1, 0],
      [4, 5],
      [6, 4],
    ],
  );
});

test("who never came waits for nobody", () => {
  assert.deepEqual(neverCame(report([wait(0, 1, 2), wait(1, 2)])), [2]);
});

test("a crowd is not a tangle", () => {
  const waits = Array.from({ length: 100 }, (_, process) => wait(process, 100));
  assert.equal(arrowsOf(report(waits)).length, 64);
});

test("two that wait for each other have arrows that lie apart", () => {
  const layout = layoutOf({ replicas: 1, partitions: 2 }, { width: 400, height: 300 });
  const [there, back] = [arrowPath(layout, 0, 1), arrowPath(layout, 1, 0)];
  const control = (path) => Number(path.curve.match(/Q\S+ ([\d.-]+)/)[1]);
  assert.ok(Math.abs(control(there) - control(back)) > 20);
  assert.doesNotMatch(there.curve + there.head, /NaN/);
});
