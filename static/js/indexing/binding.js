/**
 * The numbers that runtime variables are read from: blocks of the operands, fetched around what is asked for.
 *
 * A block is asked for at once; until it comes its elements are undefined, and `arrived` is called when it has.
 *
 * @typedef {{key: string, load: () => Promise<(index: number[]) => number>}} Block  the numbers around an element
 * @typedef {{shape: number[]|null, block: (index: number[]) => Block|null}} Readable
 */

/** Blocks kept of all operands together. */
const KEPT = 256;

export class RunValues {
  /** @param {(operand: number) => Readable|null} sourceOf @param {() => void} arrived */
  constructor(sourceOf, arrived) {
    this.sourceOf = sourceOf;
    this.arrived = arrived;
    /** @type {Map<string, ((index: number[]) => number)|null>} null: on its way */
    this.blocks = new Map();
    /** @type {unknown} */
    this.error = null;
    this.closed = false;
  }

  /** @param {number} operand @returns {number[]} */
  shapeOf(operand) {
    return this.sourceOf(operand)?.shape ?? [];
  }

  /** @param {number} operand @param {number[]} index @returns {number|undefined} */
  at(operand, index) {
    const block = this.sourceOf(operand)?.block(index);
    if (!block) return undefined;
    const key = `${operand} ${block.key}`;
    const read = this.blocks.get(key);
    if (read === undefined) this.fetch(key, block);
    return read ? read(index) : undefined;
  }

  /** @param {string} key @param {Block} block */
  async fetch(key, block) {
    this.blocks.set(key, null);
    try {
      this.blocks.set(key, await block.load());
    } catch (error) {
      this.error = error;
    }
    for (const old of this.blocks.keys()) {
      if (this.blocks.size <= KEPT) break;
      if (old !== key) this.blocks.delete(old);
    }
    if (!this.closed) this.arrived();
  }

  close() {
    this.closed = true;
  }
}
