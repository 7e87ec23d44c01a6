/**
 * The outline of a recording: the op, frame and depth of each step. Columns of numbers in chunks of 4,096 that arrive
 * one by one; stepping reads loaded chunks without a request.
 */

export const CHUNK = 4096;
const SHIFT = 12;
const MASK = CHUNK - 1;

/** In the columns of parents, openers and iterations: none. */
export const NONE = 0xffffffff;

/** Thrown when missing data is read; the caller fetches it and retries. */
export class Missing extends Error {}

/** A missing chunk of an outline. */
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
  /** @param {number} [process] the owner of the outline */
  constructor(process = 0) {
    this.process = process;
    /** @type {(StepChunk|undefined)[]} */
    this.stepChunks = [];
    /** @type {(FrameChunk|undefined)[]} */
    this.frameChunks = [];
    /** The number of steps and frames that the server has recorded, loaded or not. */
    this.steps = 0;
    this.frames = 0;
    /** Whether the program finished; then position `steps` exists, the end. */
    this.done = false;
    /** Whether the recording has ended (done, or failed). */
    this.complete = false;
    /** Whether the last step waits for another process and has no results yet. */
    this.waits = false;
    /** The process that chunks are loaded from: another may have made the same steps. */
    this.source = process;
  }

  /** Share the outline of another process up to its end: a chunk that arrives for one is there for both. @param {number} process @returns {Outline} */
  as(process) {
    return process === this.process ? this : Object.assign(Object.create(this), { process, steps: 0, frames: 0 });
  }

  /** Load all chunks again. */
  forget() {
    this.stepChunks = [];
    this.frameChunks = [];
  }

  /** The last recorded position. @returns {number} */
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

  /** At the end the position is in frame 0. @param {number} position @returns {number} */
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

  /** Whether all recorded steps of a chunk are loaded. @param {"steps"|"frames"} column @param {number} chunk @returns {boolean} */
  has(column, chunk) {
    const total = column === "steps" ? this.steps : this.frames;
    const here = (column === "steps" ? this.stepChunks : this.frameChunks)[chunk]?.count ?? 0;
    return here >= Math.min(CHUNK, total - chunk * CHUNK);
  }

  /**
   * Store a chunk. Equal programs with equal inputs share an address in all sessions: a longer recording of another
   * session may be kept, so the chunk is cut to this run's `most` steps.
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
