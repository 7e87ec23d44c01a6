/**
 * The clock of one process: at which tick of the common clock each of its steps begins. A step takes one tick; only
 * where the process waited does a step not follow its predecessor at once, and only those are listed.
 */
export class Clock {
  /** @param {ArrayBuffer} bytes pairs of a step and its tick @param {number} steps how many were recorded when this was asked for */
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

  /** The last step begun at `tick` or before; `last` is the last position there is. @param {number} tick @param {number} last @returns {number} */
  stepAt(tick, last) {
    const jump = this.last(1, tick);
    if (jump < 0) return 0;
    const next = jump + 1 < this.count ? this.step(jump + 1) - 1 : last;
    return Math.min(this.step(jump) + tick - this.tick(jump), next, last);
  }

  /** The first step after `step` at which the process waits; null where none is known. @param {number} step @returns {number|null} */
  nextWait(step) {
    const jump = this.last(0, step + 1) + 1;
    return jump < this.count && jump > 0 ? this.step(jump) - 1 : null;
  }

  /** The last jump whose step (column 0) or tick (column 1) is at most `bound`; -1 where there is none. @param {0|1} column @param {number} bound @returns {number} */
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
