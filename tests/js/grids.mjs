/** A grid to look at, made of what the server would say: two replicas of two partitions that meet twice. */
import { GridRecord } from "../../static/js/core/grid/record.js";
import { TICKS } from "../../static/js/core/grid/record_parts.js";
import { NONE } from "../../static/js/core/run/outline.js";

/**
 * Processes run ops 0, 1 (a collective), 2, 3 (a collective), 4. Process 1 makes `late` steps of op 5 before the first one;
 * the others wait for it there.
 */
export function collectiveGrid(late = 3) {
  const first = 1 + late;
  const arrivals = (tick) =>
    [0, 1, 2, 3].map((process) => [process, process === 1 ? 1 + late : 1, process === 1 ? tick : 1]);
  const info = {
    processes: 4,
    ticks: first + 4,
    collective_executions: 2,
    assembled: false,
    deadlock: null,
    queues: [],
    teams: [{ replicas: 2, partitions: 2, first: 0, begin: 0, opener: null }],
    tracks: [0, 1, 2, 3].map((process) => ({
      steps: process === 1 ? 5 + late : 5,
      frames: 1,
      prints: 0,
      state: "done",
      end: first + 4,
      like: process === 1 ? 1 : 0,
    })),
  };
  const grid = new GridRecord("key", info);
  grid.update(info, true);
  const clocks = [0, 1, 2, 3].map((process) => (process === 1 ? [0, 0] : [0, 0, 2, first + 1]));
  const execution = (number, line, op, steps, begin, end) => ({
    number,
    kind: "all_reduce",
    op,
    line,
    channel: 1,
    team: 0,
    group: [0, 1, 2, 3],
    groups: [[0, 1, 2, 3]],
    begin,
    end,
    arrivals: steps,
    released: [0, 1, 2, 3].map((process) => [process, end]),
  });
  const second = [0, 1, 2, 3].map((process) => [process, process === 1 ? 3 + late : 3, first + 2]);
  return {
    grid,
    clocks,
    executions: [execution(0, 4, 1, arrivals(first), 1, first + 1), execution(1, 6, 3, second, first + 2, first + 3)],
  };
}

/** One chunk of positions as the server writes it: rows of [step, op, execution, state] by process and tick. */
export function positionBytes(rows) {
  const columns = [0, 1, 2].map((column) =>
    Uint32Array.from(rows.flatMap((row) => fill(row).map((cell) => cell[column] ?? NONE))),
  );
  const states = Uint8Array.from(rows.flatMap((row) => fill(row).map((cell) => cell[3])));
  const buffer = Buffer.concat([...columns.map((column) => Buffer.from(column.buffer)), Buffer.from(states.buffer)]);
  return buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
}

const fill = (row) => Array.from({ length: TICKS }, (_, tick) => row[Math.min(tick, row.length - 1)]);
