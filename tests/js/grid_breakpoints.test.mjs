/** Breakpoints that are for some processes only, and who stops first. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock } from "../../static/js/core/grid/record_parts.js";
import { firstOther } from "../../static/js/core/grid/lockstep.js";
import { keptBreakpoints, movedBreakpoints, readBreakpoints, stopsFor } from "../../static/js/core/run/breakpoints.js";
import { stopsOf } from "../../static/js/core/run/stops.js";
import * as store from "../../static/js/core/store.js";
import { collectiveGrid } from "./grids.mjs";

test("old sessions have lines, alone or with processes", () => {
  assert.deepEqual(readBreakpoints([7, [2, [0, 3]]]), [
    { kind: "line", at: 2, processes: [0, 3] },
    { kind: "line", at: 7 },
  ]);
});

test("the op of HLO text that returns keeps its breakpoints of version 0.2, which named it ROOT", () => {
  const [point] = readBreakpoints([{ kind: "op", at: "ROOT", condition: "%a > 1" }]);
  assert.deepEqual(point, { kind: "op", at: "return", condition: "%a > 1" });
});

test("what is read is what is kept", () => {
  const value = { kind: "value", at: "%3", condition: "value > 1", off: true };
  const kept = [2, [5, [0, 3]], { kind: "line", at: 6, log: "{%x}" }, 7, value];
  const points = readBreakpoints(kept);
  assert.deepEqual(keptBreakpoints(points), kept);
  assert.equal(stopsFor(points[1], 3), true);
  assert.equal(stopsFor(points[1], 1), false);
  assert.equal(stopsFor(points[3], 1), true);
});

test("breakpoints move with their lines", () => {
  const points = readBreakpoints([[5, [0]], [9, [1]], { kind: "op", at: "stablehlo.add" }]);
  assert.deepEqual(
    movedBreakpoints(points, (line) => (line === 9 ? null : line + 2)),
    [{ kind: "line", at: 7, processes: [0] }, points[2]],
  );
});

/** Op 5 is that of the late process alone; op n stands on line n. */
const program = { opsAt: (lines) => new Set(lines), snap: (line) => line };

function late() {
  const { grid, clocks } = collectiveGrid();
  clocks.forEach((pairs, process) => grid.clocks.set(process, new Clock(new Uint32Array(pairs).buffer, 8)));
  const column = (ops) => {
    const parts = [new Uint32Array(ops), new Uint32Array(ops.length), new Uint16Array(ops.length)].map((array) =>
      Buffer.from(array.buffer),
    );
    const buffer = Buffer.concat(parts);
    return buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
  };
  grid.outline(0).addSteps(0, column([0, 1, 2, 3, 4]));
  grid.outline(1).addSteps(0, column([0, 5, 5, 5, 1, 2, 3, 4]));
  store.ticks.value = [0, 0, 0, 0];
  store.lockstep.value = "all";
  return grid;
}

test("another process stops all where the shown one never does", () => {
  const grid = late();
  store.breakpoints.value = readBreakpoints([5]);
  assert.deepEqual(firstOther(grid, program, 0, Infinity, true), { process: 1, tick: 1 });
  store.lockstep.value = "one";
  assert.equal(firstOther(grid, program, 0, Infinity, true), null);
  store.lockstep.value = new Set([2]);
  assert.equal(firstOther(grid, program, 0, Infinity, true), null);
});

test("a breakpoint of another process alone comes before one's own", () => {
  const grid = late();
  store.breakpoints.value = readBreakpoints([3, [5, [1]]]);
  assert.deepEqual([...stopsOf(0, program).ops], [3]);
  assert.deepEqual(firstOther(grid, program, 0, 6, false), { process: 1, tick: 1 });
  assert.equal(firstOther(grid, program, 0, 1, false), null);
  store.breakpoints.value = readBreakpoints([3, [5, [2]]]);
  assert.equal(firstOther(grid, program, 0, 6, false), null);
});
