/** Prefix sums, and searches in them. */

/**
 * A list of consecutive parts with a number of rows each: headings and the rows below them.
 *
 * @template {{count: number}} P
 */
export class Stack {
  /** @param {readonly P[]} parts */
  constructor(parts) {
    this.parts = parts;
    /** Rows before each part, and in total. */
    this.starts = new Float64Array(parts.length + 1);
    parts.forEach(({ count }, at) => (this.starts[at + 1] = /** @type {number} */ (this.starts[at]) + count));
  }

  get count() {
    return this.starts[this.parts.length] ?? 0;
  }

  /** The part that a row belongs to, and its index in that part. @param {number} row @returns {{part: P, index: number}} */
  at(row) {
    const part = upperBound(this.starts, row) - 1;
    const found = this.parts[part];
    if (row < 0 || found === undefined) throw new RangeError(`the list has no row ${row}`);
    return { part: found, index: row - /** @type {number} */ (this.starts[part]) };
  }

  /** The first row of a part. @param {number} part @returns {number} */
  startOf(part) {
    return /** @type {number} */ (this.starts[part]);
  }
}

/** The count of numbers in an ascending list that are at most `value`. @param {ArrayLike<number>} ascending @param {number} bound @returns {number} */
export function upperBound(ascending, bound) {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (/** @type {number} */ (ascending[middle]) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The count of numbers in an ascending list that are smaller than `value`. @param {ArrayLike<number>} ascending @param {number} bound @returns {number} */
export const lowerBound = (ascending, bound) => upperBound(ascending, bound - 0.5);
