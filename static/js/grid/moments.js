/** Where every process of a team is at each tick: columns of numbers in chunks of 256 ticks. */
import { NONE } from "../run/outline.js";

export const TICKS = 256;

export const STATES = /** @type {const} */ (["ready", "running", "waiting", "done", "failed", "queue"]);

/** @typedef {typeof STATES[number]} ProcessState */
/**
 * `step`, `op`: where the process is; `op` is null past its last step. `meeting`: the one it waits in or passes.
 *
 * @typedef {{step: number, op: number|null, meeting: number|null, state: ProcessState}} Moment
 */

/** @param {number|undefined} number @returns {number|null} */
const orNull = (number) => (number === undefined || number === NONE ? null : number);

export class MomentChunk {
  /** @param {ArrayBuffer} bytes @param {number} processes @param {number} known ticks that are recorded for all @param {number} stamp of the grid when it was asked for */
  constructor(bytes, processes, known, stamp) {
    const cells = processes * TICKS;
    this.processes = processes;
    this.step = new Uint32Array(bytes, 0, cells);
    this.op = new Uint32Array(bytes, 4 * cells, cells);
    this.meeting = new Uint32Array(bytes, 8 * cells, cells);
    this.state = new Uint8Array(bytes, 12 * cells, cells);
    this.known = known;
    this.stamp = stamp;
  }

  /** @param {number} index of the process in its team @param {number} tick @returns {Moment} */
  at(index, tick) {
    const cell = index * TICKS + (tick % TICKS);
    return {
      step: this.step[cell] ?? 0,
      op: orNull(this.op[cell]),
      meeting: orNull(this.meeting[cell]),
      state: STATES[this.state[cell] ?? 0] ?? "ready",
    };
  }
}

/** @param {number} tick @returns {number} */
export const chunkOfTick = (tick) => Math.floor(tick / TICKS);
