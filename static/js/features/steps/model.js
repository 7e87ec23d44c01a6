/**
 * The rows of Steps when filtered or grouped: matching steps, and the titles of groups between them. Each chunk of the
 * outline is read once per filter and grouping.
 *
 * @typedef {{steps: Uint32Array, titles: Int32Array, starts: Uint32Array}} Piece the steps of a chunk that are wanted, and the
 *   runs among them of one title: -1 is none
 * @typedef {{kind: "title", title: number, count: number, open: boolean, steps: number, first: number}
 *   |{kind: "steps", count: number, from: number}} Part `from`: the first of its steps, among those that are wanted
 * @typedef {{kind: "title", title: number, open: boolean, steps: number, first: number}|{kind: "step", step: number, title: number}} StepRow
 */
import { lowerBound, Stack, upperBound } from "../../core/prefix_sums.js";
import { CHUNK } from "../../core/run/outline.js";
/** @import {Outline} from "../../core/run/outline.js" */
/** @import {Grouping} from "../../core/run/scopes.js" */

/** @param {import("../../core/run/outline.js").StepChunk} chunk @param {number} base its first step @param {number} count @param {(step: number, op: number) => boolean} wanted @param {Grouping|null} grouping @returns {Piece} */
export function pieceOf(chunk, base, count, wanted, grouping) {
  const steps = new Uint32Array(count);
  /** @type {number[]} */
  const titles = [];
  /** @type {number[]} */
  const starts = [];
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const op = /** @type {number} */ (chunk.op[i]);
    if (!wanted(base + i, op)) continue;
    const title = grouping ? (grouping.ofOp[op] ?? -1) : -1;
    if (starts.length === 0 || titles.at(-1) !== title) {
      titles.push(title);
      starts.push(kept);
    }
    steps[kept++] = base + i;
  }
  return { steps: steps.slice(0, kept), titles: Int32Array.from(titles), starts: Uint32Array.from(starts) };
}

/** The matching steps of a recording, chunk by chunk as they arrive. */
export class WantedSteps {
  /** @param {(step: number, op: number) => boolean} wanted @param {Grouping|null} grouping */
  constructor(wanted, grouping) {
    this.wanted = wanted;
    this.grouping = grouping;
    /** @type {(Piece & {count: number}|undefined)[]} */
    this.pieces = [];
  }

  /** Read new chunks. @param {Outline} outline @returns {number[]} the chunks that have not */
  update(outline) {
    const missing = [];
    for (let number = 0; number * CHUNK < outline.steps; number++) {
      const chunk = outline.stepChunks[number];
      if (!outline.has("steps", number)) missing.push(number);
      if (!chunk || this.pieces[number]?.count === chunk.count) continue;
      this.pieces[number] = {
        ...pieceOf(chunk, number * CHUNK, chunk.count, this.wanted, this.grouping),
        count: chunk.count,
      };
    }
    return missing;
  }
}

/** The list: matching steps, with titles if they are grouped. */
export class StepList {
  /** @param {WantedSteps} wanted @param {(title: number) => boolean} isFolded */
  constructor({ pieces, grouping }, isFolded) {
    const here = pieces.flatMap((piece) => (piece ? [piece] : []));
    this.steps = joined(here.map(({ steps }) => steps));
    this.runs = grouping ? runsOf(here) : { titles: [-1], starts: [0] };
    this.isGrouped = grouping !== null;
    this.stack = new Stack(this.partsOf(isFolded));
  }

  /** @param {(title: number) => boolean} isFolded @returns {Part[]} */
  partsOf(isFolded) {
    const { titles, starts } = this.runs;
    if (!this.isGrouped) return [{ kind: "steps", count: this.steps.length, from: 0 }];
    return titles.flatMap((title, run) => {
      const from = starts[run] ?? 0;
      const steps = (starts[run + 1] ?? this.steps.length) - from;
      const open = !isFolded(title);
      const first = this.steps[from] ?? 0;
      return [
        { kind: /** @type {const} */ ("title"), title, count: 1, open, steps, first },
        { kind: /** @type {const} */ ("steps"), count: open ? steps : 0, from },
      ];
    });
  }

  get count() {
    return this.stack.count;
  }

  /** @param {number} row @returns {StepRow} */
  at(row) {
    const { part, index } = this.stack.at(row);
    if (part.kind === "title") return part;
    const rank = part.from + index;
    return { kind: "step", step: this.steps[rank] ?? 0, title: this.runs.titles[this.runOf(rank)] ?? -1 };
  }

  /** @param {number} rank @returns {number} */
  runOf(rank) {
    return upperBound(this.runs.starts, rank) - 1;
  }

  /** The row of a step, or of the previous matching one; in a folded group, its title. @param {number} step @returns {number} */
  rowOf(step) {
    if (this.steps.length === 0) return 0;
    const rank = Math.max(0, lowerBound(this.steps, step + 1) - 1);
    if (!this.isGrouped) return rank;
    const run = this.runOf(rank);
    const { open, first } = /** @type {Part & {kind: "title"}} */ (this.stack.parts[2 * run]);
    const title = this.stack.startOf(2 * run);
    return open ? title + 1 + rank - lowerBound(this.steps, first) : title;
  }
}

/** @param {Uint32Array[]} arrays @returns {Uint32Array} */
function joined(arrays) {
  const all = new Uint32Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}

/** Runs of one title across chunks. @param {Piece[]} pieces @returns {{titles: number[], starts: number[]}} */
function runsOf(pieces) {
  /** @type {{titles: number[], starts: number[]}} */
  const runs = { titles: [], starts: [] };
  let before = 0;
  for (const { steps, titles, starts } of pieces) {
    titles.forEach((title, run) => {
      if (runs.titles.at(-1) === title) return;
      runs.titles.push(title);
      runs.starts.push(before + /** @type {number} */ (starts[run]));
    });
    before += steps.length;
  }
  return runs;
}
