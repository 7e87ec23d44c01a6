/**
 * The parts of a recording of several processes: the position of each process of a launch group at each tick (columns
 * of numbers in chunks of 256 ticks), the clock of each process, and the collective executions in pages of 200.
 */
import { NONE } from "../run/outline.js";

export const TICKS = 256;

export const STATES = /** @type {const} */ (["ready", "running", "waiting", "done", "failed", "queue"]);

/** @typedef {typeof STATES[number]} ProcessState */
/**
 * `step`, `op`: the position; `op` is null past the last step. `execution`: the collective execution in which it waits or that it passes.
 *
 * @typedef {{step: number, op: number|null, execution: number|null, state: ProcessState}} ProcessPosition
 */

/** @param {number|undefined} number @returns {number|null} */
const orNull = (number) => (number === undefined || number === NONE ? null : number);

export class PositionChunk {
  /** @param {ArrayBuffer} bytes @param {number} processes @param {number} known ticks that are recorded for all @param {number} stamp of the grid at the time of the request */
  constructor(bytes, processes, known, stamp) {
    const cells = processes * TICKS;
    this.processes = processes;
    this.step = new Uint32Array(bytes, 0, cells);
    this.op = new Uint32Array(bytes, 4 * cells, cells);
    this.execution = new Uint32Array(bytes, 8 * cells, cells);
    this.state = new Uint8Array(bytes, 12 * cells, cells);
    this.known = known;
    this.stamp = stamp;
  }

  /** @param {number} index of the process in its launch group @param {number} tick @returns {ProcessPosition} */
  at(index, tick) {
    const cell = index * TICKS + (tick % TICKS);
    return {
      step: this.step[cell] ?? 0,
      op: orNull(this.op[cell]),
      execution: orNull(this.execution[cell]),
      state: STATES[this.state[cell] ?? 0] ?? "ready",
    };
  }
}

/** @param {number} tick @returns {number} */
export const chunkOfTick = (tick) => Math.floor(tick / TICKS);

/**
 * The clock of one process: the tick of the common clock at which each step begins. A step takes one tick; only after
 * a wait does a step not follow its predecessor immediately, and only those steps are listed.
 */
export class Clock {
  /** @param {ArrayBuffer} bytes pairs of a step and its tick @param {number} steps the number of steps recorded at the time of the request */
  constructor(bytes, steps) {
    this.pairs = new Uint32Array(bytes);
    this.count = this.pairs.length / 2;
    this.steps = steps;
  }

  /** @param {number} jump @returns {number} */
  step(jump) {
    return this.pairs[2 * jump] ?? 0;
  }

  /** @param {number} jump @returns {number} */
  tick(jump) {
    return this.pairs[2 * jump + 1] ?? 0;
  }

  /** The tick at which a step begins; for the end, the tick after the last step. @param {number} step @returns {number} */
  tickOf(step) {
    const jump = this.last(0, step);
    return jump < 0 ? 0 : this.tick(jump) + step - this.step(jump);
  }

  /** The last step that begins at `tick` or earlier; `last` is the last position. @param {number} tick @param {number} last @returns {number} */
  stepAt(tick, last) {
    const jump = this.last(1, tick);
    if (jump < 0) return 0;
    const next = jump + 1 < this.count ? this.step(jump + 1) - 1 : last;
    return Math.min(this.step(jump) + tick - this.tick(jump), next, last);
  }

  /** The first step after `step` at which the process waits; null if none is known. @param {number} step @returns {number|null} */
  nextWait(step) {
    const jump = this.last(0, step + 1) + 1;
    return jump < this.count && jump > 0 ? this.step(jump) - 1 : null;
  }

  /** The last jump whose step (column 0) or tick (column 1) is at most `bound`; -1 for none. @param {0|1} column @param {number} bound @returns {number} */
  last(column, bound) {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (/** @type {number} */ (this.pairs[2 * middle + column]) <= bound) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/**
 * The collective executions of a recording in the order in which they began, in pages of 200.
 *
 * @typedef {import("../types.js").ExecutionInfo} ExecutionInfo `ends` are those of a message whose program does not name
 *   them: -1 while unknown.
 */

export const PAGE = 200;

/** One collective execution: the group of a collective, or the two ends of a message. */
export class CollectiveExecution {
  /** @param {ExecutionInfo} info */
  constructor(info) {
    this.info = info;
    this.number = info.number;
    this.arrivals = new Map(info.arrivals.map(([process, step, tick]) => [process, { step, tick }]));
    this.released = new Map(info.released);
    this.waitedFor = new Map(info.awaited ?? []);
  }

  /** Whether it is a message instead of a collective. @returns {boolean} */
  get isMessage() {
    return /^(message|send|recv)/.test(this.info.kind);
  }

  /** The processes that `process` waits for in it: the group, unless stated otherwise. @param {number} process @returns {readonly number[]} */
  awaited(process) {
    return (this.waitedFor.get(process) ?? this.info.group).filter((other) => other !== process);
  }

  /** The index of the group of a process in this op; -1 if it does not participate. @param {number} process @returns {number} */
  groupOf(process) {
    return this.info.groups.findIndex((group) => group.includes(process));
  }

  /** The members of the group that have not arrived at these positions. @param {readonly number[]} ticks @returns {number[]} */
  missing(ticks) {
    return this.info.group.filter((process) => {
      const arrival = this.arrivals.get(process);
      return arrival === undefined || arrival.tick > (ticks[process] ?? 0);
    });
  }
}

/** @typedef {{executions: CollectiveExecution[], stamp: number, final: boolean, at: number}} ExecutionPage */
