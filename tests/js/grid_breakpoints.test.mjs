/** Breakpoints that are for some processes only, and who stops first. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock } from "../../static/js/core/grid/record_parts.js";
import { firstOther } from "../../static/js/core/grid/lockstep.js";
import { keptBreakpoints, movedLimits, readBreakpoints, stopsFor } from "../../static/js/core/run/saved_breakpoints.js";
import * as store from "../../static/js/core/store.js";
import { collectiveGrid } from "./grids.mjs";

test("old sessions have lines alone", () => {
  assert.deepEqual(readBreakpoints([7, 2]), { lines: [2, 7], limits: new Map() });
});

test("what is read is what is kept", () => {
  const kept = [2, [5, [0, 3]], 7];
  const { lines, limits } = readBreakpoints(kept);
  assert.deepEqual(keptBreakpoints(lines, limits), kept);
  assert.equal(stopsFor(limits, 5, 3), true);
  assert.equal(stopsFor(limits, 5, 1), false);
  assert.equal(stopsFor(limits, 7, 1), true);
});

test("limits move with their lines", () => {
  const moved = movedLimits(
    new Map([
      [5, [0]],
      [9, [1]],
    ]),
    (line) => (line === 9 ? null : line + 2),
  );
  assert.deepEqual([...moved], [[7, [0]]]);
});

/** Op 5 is that of the late process alone; op n stands on line n. */
const program = { opsAt: (lines) => new Set(lines) };

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
  store.breakpoints.value = [5];
  assert.deepEqual(firstOther(grid, program, 0, Infinity, true), { process: 1, tick: 1 });
  store.lockstep.value = "one";
  assert.equal(firstOther(grid, program, 0, Infinity, true), null);
  store.lockstep.value = new Set([2]);
  assert.equal(firstOther(grid, program, 0, Infinity, true), null);
});

test("a breakpoint of another process alone comes before one's own", () => {
  const grid = late();
  store.breakpoints.value = [3, 5];
  store.breakpointLimits.value = new Map([[5, [1]]]);
  assert.deepEqual(store.breakpointsOf(0), [3]);
  assert.deepEqual(firstOther(grid, program, 0, 6, false), { process: 1, tick: 1 });
  assert.equal(firstOther(grid, program, 0, 1, false), null);
  store.breakpointLimits.value = new Map([[5, [2]]]);
  assert.equal(firstOther(grid, program, 0, 6, false), null);
});
