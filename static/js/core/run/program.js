/** A program as the server describes it, with queries for panels. */
import { lowerBound, upperBound } from "../prefix_sums.js";
import { Missing } from "./outline.js";
import { addTo } from "../kept.js";
/** @import {BlockInfo, OpInfo, ValueInfo} from "../types.js" */

/** The definition of a value: argument `index` of `block`, or result `index` of `op` in `block`. */
/** @typedef {{block: number, op: number|null, index: number}} Definition */

/** The op of values whose maker is not here. */
const NOT_HERE = 2 ** 31 - 1;

export class Program {
  /** @param {Omit<import("../types.js").ProgramInfo, "lines">} info @param {boolean} [isWhole] whether all rows of its table are here */
  constructor(info, isWhole = true) {
    this.isWhole = isWhole;
    this.language = info.language;
    this.ops = info.ops;
    this.values = info.values;
    this.blocks = info.blocks;
    this.functions = info.functions;
    this.makers = makersOf(info);
    /** Computed when they are needed. @type {Map<number, number[]>|undefined} */
    this.users = undefined;
    /** The ops in the order of the text. @type {OpInfo[]|undefined} */
    this.inText = undefined;
    /** @type {Float64Array|undefined} */
    this.starts = undefined;
    this.opsByLine = byLine(info.ops);
    this.parameters = info.parameters ?? {};
    /** The start line of a run that omits the ops before it. */
    this.begin = info.begin ?? null;
    /** Names of arguments in the user's code, by value. */
    this.argumentNames = info.argumentNames ?? {};
    /** The values of parameter instructions, by line. */
    this.parametersOnLine = parametersByLine(this.parameters);
    /** The line of each of them. */
    this.lines = Uint32Array.from(this.opsByLine, (op) => this.op(op).line);
    /** The name of the function of each body. @type {Map<number, string>} */
    this.functionOfBlock = new Map(info.functions.flatMap(({ block, name }) => [[block, name]]));
  }

  /** @template T @param {T|undefined} thing @param {string} what @param {number} id @returns {T} */
  found(thing, what, id) {
    if (thing === undefined) throw new (this.isWhole ? RangeError : Missing)(`the program has no ${what} ${id}`);
    return thing;
  }

  /** @param {number} id @returns {OpInfo} */
  op(id) {
    return this.found(this.ops[id], "op", id);
  }

  /** @param {number} id @returns {ValueInfo} */
  value(id) {
    return this.found(this.values[id], "value", id);
  }

  /** @param {number} id @returns {BlockInfo} */
  block(id) {
    return this.found(this.blocks[id], "block", id);
  }

  /** @param {number} value @returns {Definition} */
  definition(value) {
    const maker = this.found(this.makers.op[value], "value", value);
    const index = /** @type {number} */ (this.makers.index[value]);
    return maker < 0 ? { block: -1 - maker, op: null, index } : { block: this.op(maker).block, op: maker, index };
  }

  /** The line of a parameter instruction. @param {number} value @returns {number} */
  lineOfParameter(value) {
    return this.found(this.parameters[String(value)], "parameter", value);
  }

  /** The line on which an argument is named, else that of its function or of the op around it. @param {number} value @returns {number|null} */
  lineOfArgument(value) {
    const { opener, function: owner } = this.block(this.definition(value).block);
    const around = opener === null ? this.functions.find(({ name }) => name === owner) : this.op(opener);
    return this.parameters[String(value)] ?? around?.line ?? null;
  }

  /** The line at which a breakpoint on `line` stops: the next one where an op starts. @param {number} line @returns {number|null} */
  snap(line) {
    return this.lines[lowerBound(this.lines, line)] ?? null;
  }

  /** The ops that start on a line. @param {number} line @returns {number[]} */
  opsOn(line) {
    return [...this.opsByLine.subarray(lowerBound(this.lines, line), upperBound(this.lines, line))];
  }

  /** The ops at which breakpoints on these lines stop. @param {Iterable<number>} lines @returns {Set<number>} */
  opsAt(lines) {
    const ops = new Set();
    for (const line of lines) {
      const snapped = this.snap(line);
      if (snapped !== null) for (const op of this.opsOn(snapped)) ops.add(op);
    }
    return ops;
  }

  /** Blocks around `block`, itself first, the function's own last. @param {number} block @returns {number[]} */
  enclosing(block) {
    const chain = [];
    for (let at = /** @type {number|null} */ (block); at !== null;) {
      chain.push(at);
      const { opener } = this.block(at);
      at = opener === null ? null : this.op(opener).block;
    }
    return chain;
  }

  /** The value called `name` at `offset`: defined in the innermost block around it, else in the function. `%r` of `%r:2` is its first result. @param {string} name @param {number} offset @returns {number|null} */
  valueNamed(name, offset) {
    const op = this.opAt(offset);
    const regions = op === null ? [] : this.blocks.filter(({ opener }) => opener === op);
    // In the head of an op with regions, and in `^bb0(…)`, arguments of a region are named before its ops.
    regions.sort((a, b) => Number(this.startOf(a.id) < offset) - Number(this.startOf(b.id) < offset));
    for (const block of [...this.enclosing(this.blockAt(offset) ?? 0), ...regions.map(({ id }) => id)]) {
      const names = this.namesOf(block);
      const id = names.get(name) ?? names.get(`${name}#0`);
      if (id !== undefined) return id;
    }
    return null;
  }

  /** The offset of the first op of a block. @param {number} block @returns {number} */
  startOf(block) {
    const first = this.block(block).ops[0];
    return first === undefined ? Infinity : this.op(first).from;
  }

  /** The ops that have a value as an operand. @param {number} value @returns {readonly number[]} */
  usersOf(value) {
    this.users ??= usersByValue(this.ops);
    return this.users.get(value) ?? [];
  }

  /** The block of the text at `offset`; the regions of an op are inside its text. @param {number} offset @returns {number|null} */
  blockAt(offset) {
    const op = this.opAt(offset);
    if (op !== null) return this.op(op).block;
    return this.functions.find(({ from, to }) => from <= offset && offset <= to)?.block ?? null;
  }

  /** The innermost op around `offset`. @param {number} offset @returns {number|null} */
  opAt(offset) {
    this.inText ??= [...this.ops].sort((a, b) => a.from - b.from || b.to - a.to);
    this.starts ??= Float64Array.from(this.inText, ({ from }) => from);
    for (let at = upperBound(this.starts, offset) - 1; at >= 0; at--) {
      const op = /** @type {OpInfo} */ (this.inText[at]);
      if (offset <= op.to) return op.id;
    }
    return null;
  }

  /** @param {number} block @returns {Map<string, number>} */
  namesOf(block) {
    const { arguments: values, ops } = this.block(block);
    const all = [...values, ...ops.flatMap((op) => this.op(op).results)];
    return new Map(all.map((value) => [this.value(value).name, value]));
  }
}

/** The ops in the order of their lines, those of one line by number. @param {readonly OpInfo[]} ops @returns {Uint32Array} */
function byLine(ops) {
  const lines = new Uint32Array(ops.length);
  ops.forEach(({ id, line }) => (lines[id] = line));
  return Uint32Array.from(ops.flatMap(({ id }) => id)).sort((a, b) => Number(lines[a]) - Number(lines[b]) || a - b);
}

/** @param {readonly OpInfo[]} ops @returns {Map<number, number[]>} */
function usersByValue(ops) {
  /** @type {Map<number, number[]>} */
  const users = new Map();
  for (const { id, operands } of ops) {
    for (const value of new Set(operands)) addTo(users, value, id);
  }
  return users;
}

/** @param {Record<string, number>} parameters @returns {Map<number, number[]>} */
function parametersByLine(parameters) {
  /** @type {Map<number, number[]>} */
  const lines = new Map();
  for (const [value, line] of Object.entries(parameters)) addTo(lines, line, Number(value));
  return lines;
}

/**
 * The op that makes each value, or -1 - block for the arguments of a block, and the index among its results or arguments.
 *
 * @param {Pick<import("../types.js").ProgramInfo, "blocks"|"ops"|"values">} info
 */
function makersOf({ blocks, ops, values }) {
  const makers = { op: new Int32Array(values.length).fill(NOT_HERE), index: new Uint32Array(values.length) };
  const put = (/** @type {readonly number[]} */ made, /** @type {number} */ maker) =>
    made.forEach((value, index) => ([makers.op[value], makers.index[value]] = [maker, index]));
  blocks.forEach((block) => put(block.arguments, -1 - block.id));
  ops.forEach((op) => put(op.results, op.id));
  return makers;
}
