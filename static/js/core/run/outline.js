/**
 * The outline of a recording: which op each step ran, in which frame, how deep. Columns of numbers in chunks of
 * 4,096, which arrive one by one; stepping reads them and never waits for the server where they are there.
 */

export const CHUNK = 4096;
const SHIFT = 12;
const MASK = CHUNK - 1;

/** In the column of parents, openers and iterations: there is none. */
export const NONE = 0xffffffff;

/** Thrown where something is read that has not arrived; whoever asked fetches it and tries again. */
export class Missing extends Error {}

/** A chunk of an outline that has not arrived. */
export class MissingChunk extends Missing {
  /** @param {"steps"|"frames"} column @param {number} chunk @param {number} [process] */
  constructor(column, chunk, process = 0) {
    super(`chunk ${chunk} of the ${column} of process ${process} has not arrived`);
    this.column = column;
    this.chunk = chunk;
    this.process = process;
  }
}

/** @typedef {{count: number, op: Uint32Array, frame: Uint32Array, depth: Uint16Array}} StepChunk */
/** @typedef {{count: number, block: Uint32Array, parent: Uint32Array, opener: Uint32Array, iteration: Uint32Array}} FrameChunk */

export class Outline {
  /** @param {number} [process] whose outline it is */
  constructor(process = 0) {
    this.process = process;
    /** @type {(StepChunk|undefined)[]} */
    this.stepChunks = [];
    /** @type {(FrameChunk|undefined)[]} */
    this.frameChunks = [];
    /** How many steps and frames the server has recorded, here already or not. */
    this.steps = 0;
    this.frames = 0;
    /** Whether the program came to its end; then the position `steps` exists: at the end. */
    this.done = false;
    /** Whether no step will ever follow (done, or failed). */
    this.complete = false;
    /** Whether the last step waits for another process, so that it has no results. */
    this.waits = false;
    /** Where the chunks are fetched from: another process may have made the very same steps. */
    this.source = process;
  }

  /** The same outline as that of another process, as far as that has come: what arrives for one is there for both. @param {number} process @returns {Outline} */
  as(process) {
    return process === this.process ? this : Object.assign(Object.create(this), { process, steps: 0, frames: 0 });
  }

  /** All chunks are to be fetched anew. */
  forget() {
    this.stepChunks = [];
    this.frameChunks = [];
  }

  /** The last position there is so far. @returns {number} */
  get last() {
    return this.done ? this.steps : Math.max(0, this.steps - 1);
  }

  /** @param {number} step @returns {StepChunk} */
  chunkOf(step) {
    const chunk = this.stepChunks[step >> SHIFT];
    if (!chunk || (step & MASK) >= chunk.count) throw new MissingChunk("steps", step >> SHIFT, this.source);
    return chunk;
  }

  /** @param {number} frame @returns {FrameChunk} */
  frameChunkOf(frame) {
    const chunk = this.frameChunks[frame >> SHIFT];
    if (!chunk || (frame & MASK) >= chunk.count) throw new MissingChunk("frames", frame >> SHIFT, this.source);
    return chunk;
  }

  /** @param {number} step @returns {number} */
  op(step) {
    return /** @type {number} */ (this.chunkOf(step).op[step & MASK]);
  }

  /** At the end one is back in frame 0. @param {number} position @returns {number} */
  frame(position) {
    if (position >= this.steps) return 0;
    return /** @type {number} */ (this.chunkOf(position).frame[position & MASK]);
  }

  /** @param {number} position @returns {number} */
  depth(position) {
    if (this.steps === 0) return 0;
    const step = position >= this.steps ? 0 : position;
    return /** @type {number} */ (this.chunkOf(step).depth[step & MASK]);
  }

  /** @param {number} frame @returns {number} */
  block(frame) {
    return /** @type {number} */ (this.frameChunkOf(frame).block[frame & MASK]);
  }

  /** @param {number} frame @returns {number} */
  parent(frame) {
    return /** @type {number} */ (this.frameChunkOf(frame).parent[frame & MASK]);
  }

  /** The step whose op opened the frame. @param {number} frame @returns {number} */
  opener(frame) {
    return /** @type {number} */ (this.frameChunkOf(frame).opener[frame & MASK]);
  }

  /** @param {number} frame @returns {number} */
  iteration(frame) {
    return /** @type {number} */ (this.frameChunkOf(frame).iteration[frame & MASK]);
  }

  /** Whether all of a chunk that has been recorded is here. @param {"steps"|"frames"} column @param {number} chunk @returns {boolean} */
  has(column, chunk) {
    const total = column === "steps" ? this.steps : this.frames;
    const here = (column === "steps" ? this.stepChunks : this.frameChunks)[chunk]?.count ?? 0;
    return here >= Math.min(CHUNK, total - chunk * CHUNK);
  }

  /**
   * A chunk that has come. Of the same program on the same inputs there is one address, whichever session asks: what has been
   * recorded further elsewhere, and kept, is longer than this run, which has `most` steps.
   *
   * @param {number} chunk @param {ArrayBuffer} bytes @param {number} [most]
   */
  addSteps(chunk, bytes, most = Infinity) {
    const all = bytes.byteLength / 10;
    const count = Math.min(all, Math.max(0, most - chunk * CHUNK));
    const op = new Uint32Array(bytes, 0, count);
    const frame = new Uint32Array(bytes, 4 * all, count);
    this.stepChunks[chunk] = { count, op, frame, depth: new Uint16Array(bytes, 8 * all, count) };
    this.steps = Math.max(this.steps, chunk * CHUNK + count);
  }

  /** @param {number} chunk @param {ArrayBuffer} bytes @param {number} [most] frames of this run */
  addFrames(chunk, bytes, most = Infinity) {
    const all = bytes.byteLength / 16;
    const count = Math.min(all, Math.max(0, most - chunk * CHUNK));
    const column = (/** @type {number} */ i) => new Uint32Array(bytes, 4 * all * i, count);
    this.frameChunks[chunk] = { count, block: column(0), parent: column(1), opener: column(2), iteration: column(3) };
    this.frames = Math.max(this.frames, chunk * CHUNK + count);
  }
}
