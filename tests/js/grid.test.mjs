/** The processes of a grid: clocks, positions, executions, and where everybody is. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, CollectiveExecution } from "../../static/js/core/grid/record_parts.js";
import { MissingPart, namesOf } from "../../static/js/core/grid/record.js";
import { consistentTicks, isInLockstep, wantedTicks } from "../../static/js/core/grid/positions.js";
import { MissingChunk } from "../../static/js/core/run/outline.js";
import { visibleAddress } from "../../static/js/core/run/values.js";
import { collectiveGrid, positionBytes } from "./grids.mjs";

const clockOf = (pairs, steps) => new Clock(new Uint32Array(pairs).buffer, steps);

test("a clock without waits", () => {
  const clock = clockOf([0, 0], 5);
  for (const step of [0, 3, 5]) assert.equal(clock.tickOf(step), step);
  assert.equal(clock.stepAt(3, 5), 3);
  assert.equal(clock.stepAt(100, 5), 5);
  assert.equal(clock.nextWait(0), null);
});

test("a wait is a gap between two steps", () => {
  const clock = clockOf([0, 2, 3, 10, 4, 20], 6);
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((step) => clock.tickOf(step)),
    [2, 3, 4, 10, 20, 21, 22],
  );
  assert.deepEqual(
    [0, 2, 4, 9, 10, 19, 20, 30].map((tick) => clock.stepAt(tick, 6)),
    [0, 0, 2, 2, 3, 3, 4, 6],
  );
  assert.equal(clock.nextWait(0), 2);
  assert.equal(clock.nextWait(2), 3);
  assert.equal(clock.nextWait(3), null);
});

test("a process that has not started has an empty clock", () => {
  const clock = clockOf([], 0);
  assert.equal(clock.tickOf(0), 0);
  assert.equal(clock.stepAt(7, 0), 0);
  assert.equal(clock.nextWait(0), null);
});

const met = collectiveGrid().executions.map((info) => new CollectiveExecution(info));

test("a process waits at a collective for processes that have not arrived", () => {
  assert.deepEqual(consistentTicks([9, 0, 0, 0], met), { ticks: [4, 0, 0, 0], held: new Map([[0, 0]]) });
  // Process 1 has arrived at the first collective; the others have not arrived at the second.
  assert.deepEqual(consistentTicks([9, 4, 1, 1], met).ticks, [6, 4, 1, 1]);
  assert.deepEqual(consistentTicks([7, 7, 7, 7], met), { ticks: [7, 7, 7, 7], held: new Map() });
});

test("who goes back takes those with him that could not be where they are", () => {
  const { ticks, held } = consistentTicks([6, 0, 6, 6], met);
  assert.deepEqual(ticks, [4, 0, 4, 4]);
  assert.deepEqual([...held.keys()], [0, 2, 3]);
});

test("one waits for those who send, not the other way round", () => {
  const message = new CollectiveExecution({
    number: 5,
    kind: "send",
    op: 1,
    line: 2,
    channel: 3,
    team: 0,
    group: [0, 1],
    groups: [[0, 1]],
    begin: 2,
    end: 9,
    arrivals: [
      [0, 2, 2],
      [1, 7, 8],
    ],
    released: [
      [0, 3],
      [1, 9],
    ],
    awaited: [[0, [0]]],
  });
  assert.equal(message.isMessage, true);
  assert.deepEqual(message.awaited(0), []);
  assert.deepEqual(message.awaited(1), [0]);
  assert.deepEqual(consistentTicks([5, 0], [message]).ticks, [5, 0]);
  assert.deepEqual(consistentTicks([0, 12], [message]).ticks, [0, 8]);
});

test("who moves along", () => {
  assert.deepEqual(wantedTicks([3, 3, 3], 0, 5, "all"), [5, 5, 5]);
  assert.deepEqual(wantedTicks([3, 4, 3], 0, 5, "one"), [5, 4, 3]);
  assert.deepEqual(wantedTicks([3, 9, 3, 1], 0, 5, new Set([1, 2])), [5, 9, 5, 1]);
  assert.deepEqual(wantedTicks([3, 9, 3, 1], 0, 1, new Set([1, 3])), [1, 1, 3, 1]);
  assert.equal(isInLockstep([2, 2]), true);
  assert.equal(isInLockstep([2, 3]), false);
});

test("what is not here is said by what it is", () => {
  const { grid, clocks, executions } = collectiveGrid();
  assert.throws(
    () => grid.positionAt(0, 300),
    (error) => error instanceof MissingPart && error.part === "positions" && error.chunk === 1,
  );
  assert.throws(
    () => grid.clock(2, {}),
    (error) => error instanceof MissingPart && error.part === "clock" && error.owner === 2,
  );
  assert.throws(() => grid.allExecutions(), MissingPart);
  clocks.forEach((pairs, process) => grid.clocks.set(process, clockOf(pairs, 8)));
  grid.addPage(0, executions, grid.stamp);
  assert.equal(grid.execution(1).info.line, 6);
  assert.equal(grid.allExecutions().length, 2);
  assert.equal(grid.clock(0, {}).nextWait(0), 1);
});

test("what is recorded for all ends with the first that is still running", () => {
  const { grid } = collectiveGrid();
  assert.equal(grid.recordedTicks, Infinity);
  const states = ["waiting", "running", "ready", "done"];
  grid.update(
    {
      ...grid.info,
      tracks: grid.info.tracks.map((track, process) => ({ ...track, state: states[process], end: 4 + process })),
    },
    false,
  );
  assert.equal(grid.recordedTicks, 5);
  assert.equal(grid.stepCount, 5 + 8 + 5 + 5);
});

test("positions that were fetched too early are fetched again where they were not known", () => {
  const { grid } = collectiveGrid();
  const rows = [0, 1, 2, 3].map(() => [[0, 7, null, 1]]);
  grid.addPositions(0, 0, positionBytes(rows), 3, grid.stamp);
  assert.equal(grid.positionAt(0, 5).op, 7);
  grid.update(grid.info, false);
  assert.equal(grid.positionAt(0, 2).op, 7);
  assert.throws(() => grid.positionAt(0, 3), MissingPart);
});

test("positions by process and tick", () => {
  const { grid } = collectiveGrid();
  const row = (...cells) => cells;
  grid.addPositions(
    0,
    0,
    positionBytes([
      row([0, 7, null, 1], [1, 8, 0, 2]),
      row([0, 7, null, 1]),
      row([5, null, null, 3]),
      row([0, null, null, 0]),
    ]),
    256,
    1,
  );
  assert.deepEqual(grid.positionAt(0, 1), { step: 1, op: 8, execution: 0, state: "waiting" });
  assert.deepEqual(grid.positionAt(2, 200), { step: 5, op: null, execution: null, state: "done" });
  assert.equal(grid.positionAt(3, 0).state, "ready");
});

test("processes with the same steps share an outline, each with its own addresses", () => {
  const { grid } = collectiveGrid();
  assert.equal(grid.outline(0).source, 0);
  assert.equal(grid.outline(3).source, 0);
  assert.equal(grid.outline(3).process, 3);
  assert.equal(grid.outline(1).source, 1);
  grid.outline(0).addSteps(0, stepBytes([0, 1, 2, 3, 4].map((op) => [op, 0, 0])));
  grid.outline(0).addFrames(0, new Uint32Array([0, 0xffffffff, 0xffffffff, 0]).buffer);
  assert.equal(grid.outline(3).op(1), 1);
  const program = { definition: () => ({ block: 0, op: 1, index: 2 }), block: () => ({ ops: [0, 1] }) };
  assert.deepEqual(visibleAddress(grid.outline(3), program, 1, 0), { address: "3.s1.2", when: "now" });
});

test("who turns out to do something else gets an outline of its own", () => {
  const { grid } = collectiveGrid();
  const begun = {
    ...grid.info,
    tracks: grid.info.tracks.map((track, process) => ({ ...track, like: 0, steps: process === 1 ? 3 : 2 })),
  };
  grid.update(begun, false);
  grid.outlines.clear();
  assert.equal(grid.outline(1).source, 0);
  assert.equal(grid.furthest(0), 1);
  grid.outline(0).addSteps(0, stepBytes([0, 1, 5].map((op) => [op, 0, 0])));
  grid.count(grid.outline(0));
  assert.equal(grid.outline(0).steps, 2);
  assert.equal(grid.outline(1).steps, 3);
  assert.equal(grid.outline(1).op(2), 5);
  grid.update(
    { ...begun, tracks: begun.tracks.map((track, process) => ({ ...track, like: process === 1 ? 1 : 0, steps: 3 })) },
    false,
  );
  assert.equal(grid.outline(1).source, 1);
  assert.throws(() => grid.outline(0).op(2), MissingChunk);
});

const stepBytes = (rows) => {
  const parts = [Uint32Array, Uint32Array, Uint16Array].map((Type, column) =>
    Buffer.from(new Type(rows.map((row) => row[column])).buffer),
  );
  const buffer = Buffer.concat(parts);
  return buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
};

test("names of processes", () => {
  const { grid } = collectiveGrid();
  assert.equal(grid.nameOf(3), "(1, 1)");
  assert.equal(namesOf(grid, []), "no process");
  assert.equal(namesOf(grid, [0]), "(0, 0)");
  assert.equal(namesOf(grid, [0, 1, 2]), "(0, 0), (0, 1) and (1, 0)");
  assert.equal(namesOf(grid, [0, 1, 2, 3], 3), "(0, 0), (0, 1) and 2 more");
});
