/**
 * The table of a program, read from its windows: columns of numbers, and tables of names, types and locations. Ops and
 * values are rows that read them, so half a million cost little memory.
 */
import { withoutSizes } from "../hidden_values.js";
import { inOrder } from "../several.js";
/** @import {BlockInfo, OpInfo, ProgramHead, ProgramInfo, ProgramWindow, TypeInfo, ValueInfo} from "../types.js" */

/** @typedef {ProgramWindow["ops"]["kinds"][number]} OpKind name, opcode and family */

/** Maximum characters of the first line of an op. */
const SUMMARY_WIDTH = 120;

/** Rows of variable length, one after another. */
class Lists {
  /** @param {number} rows @param {number} total their lengths together */
  constructor(rows, total) {
    this.ends = new Uint32Array(rows + 1);
    this.numbers = new Uint32Array(total);
    this.rows = 0;
  }

  /** @param {readonly number[]} row @param {number} base added to each number */
  push(row, base) {
    let at = /** @type {number} */ (this.ends[this.rows]);
    for (const number of row) this.numbers[at++] = number + base;
    this.ends[++this.rows] = at;
  }

  /** @param {number} row @returns {number[]} */
  at(row) {
    return Array.from(this.numbers.subarray(this.ends[row], this.ends[row + 1]));
  }
}

/** The rows of tables of several windows, each once. @template T */
class Rows {
  constructor() {
    /** @type {T[]} */
    this.rows = [];
    /** @type {Map<string, number>} */
    this.numbers = new Map();
  }

  /** The numbers of the rows of one more window. @param {readonly T[]} rows @returns {number[]} */
  add(rows) {
    return rows.map((row) => {
      const key = JSON.stringify(row);
      const number = this.numbers.get(key) ?? this.rows.push(row) - 1;
      this.numbers.set(key, number);
      return number;
    });
  }
}

/** The columns of all ops. */
class OpTable {
  /** @param {readonly ProgramWindow[]} windows @param {string} text */
  constructor(windows, text) {
    const all = windows.map(({ ops }) => ops);
    const count = sumOf(all, ({ kind }) => kind.length);
    const lists = (/** @type {"operands"|"results"|"regions"} */ name) =>
      new Lists(
        count,
        sumOf(all, (ops) => sumOf(ops[name], ({ length }) => length)),
      );
    this.text = text;
    this.count = count;
    /** @type {Rows<OpKind>} */
    const kinds = new Rows();
    /** @type {Rows<string|null>} */
    const locations = new Rows();
    this.kinds = kinds.rows;
    this.locations = locations.rows;
    this.kind = new Uint32Array(count);
    this.location = new Uint32Array(count);
    this.from = new Float64Array(count);
    this.to = new Float64Array(count);
    this.line = new Uint32Array(count);
    this.column = new Uint32Array(count);
    this.height = new Uint32Array(count);
    this.block = new Uint32Array(count);
    this.operands = lists("operands");
    this.results = lists("results");
    this.regions = lists("regions");
    let id = 0;
    for (const ops of all) {
      const kindOf = kinds.add(ops.kinds);
      const locationOf = locations.add(ops.locations);
      let [start, line] = [0, 0];
      for (let at = 0; at < ops.kind.length; at++, id++) {
        const of = (/** @type {readonly number[]} */ column) => /** @type {number} */ (column[at]);
        start += of(ops.starts);
        line += of(ops.lines);
        this.kind[id] = /** @type {number} */ (kindOf[of(ops.kind)]);
        this.location[id] = /** @type {number} */ (locationOf[of(ops.location)]);
        this.from[id] = start;
        this.to[id] = start + of(ops.lengths);
        this.line[id] = line;
        this.column[id] = of(ops.columns);
        this.height[id] = of(ops.heights);
        this.block[id] = of(ops.blocks);
        this.operands.push(ops.operands[at] ?? [], id);
        this.results.push(ops.results[at] ?? [], id);
        this.regions.push(ops.regions[at] ?? [], 0);
      }
    }
  }
}

/** An op, as a row of the table. @implements {OpInfo} */
class OpRow {
  /** @type {OpTable} */
  #table;

  /** @param {OpTable} table @param {number} id */
  constructor(table, id) {
    this.#table = table;
    this.id = id;
  }

  get #kind() {
    return /** @type {OpKind} */ (this.#table.kinds[numberAt(this.#table.kind, this.id)]);
  }

  get name() {
    return this.#kind[0];
  }

  get opcode() {
    return this.#kind[1];
  }

  get family() {
    return this.#kind[2];
  }

  get line() {
    return numberAt(this.#table.line, this.id);
  }

  get column() {
    return numberAt(this.#table.column, this.id);
  }

  get endLine() {
    return this.line + numberAt(this.#table.height, this.id);
  }

  get from() {
    return numberAt(this.#table.from, this.id);
  }

  get to() {
    return numberAt(this.#table.to, this.id);
  }

  get operands() {
    return this.#table.operands.at(this.id);
  }

  get results() {
    return this.#table.results.at(this.id);
  }

  get block() {
    return numberAt(this.#table.block, this.id);
  }

  get regions() {
    return this.#table.regions.at(this.id);
  }

  get location() {
    return this.#table.locations[numberAt(this.#table.location, this.id)] ?? null;
  }

  /** Its first line, cut to a readable width. */
  get summary() {
    const [line = ""] = this.#table.text
      .slice(this.from, Math.min(this.to, this.from + 2 * SUMMARY_WIDTH + 2))
      .split("\n");
    const letters = [...line];
    return letters.length <= SUMMARY_WIDTH ? line : `${letters.slice(0, SUMMARY_WIDTH - 1).join("")}…`;
  }
}

/** A value, as a row of the table; the type is that of many values. @implements {ValueInfo} */
class ValueRow {
  /** @type {TypeInfo} */
  #type;

  /** @param {number} id @param {string} name @param {TypeInfo} type */
  constructor(id, name, type) {
    this.id = id;
    this.name = name;
    this.#type = type;
  }

  /** The type, as far as no question asks for it. */
  get type() {
    return withoutSizes(this.#type.type);
  }

  get layout() {
    return this.#type.layout;
  }

  get elements() {
    return this.#type.elements;
  }

  get shape() {
    return this.#type.shape;
  }

  get elementType() {
    return this.#type.elementType;
  }
}

/** Request the table. @param {(path: string) => Promise<ProgramWindow>} fetchWindow @param {string} text the program @returns {Promise<Omit<ProgramInfo, "lines">>} */
export async function fetchTable(fetchWindow, text) {
  const first = await fetchWindow("program/window?chunk=0");
  const windows = await inOrder(first.head?.windows ?? 1, (chunk) =>
    chunk === 0 ? first : fetchWindow(`program/window?chunk=${chunk}`),
  );
  return programTable(windows, text);
}

/** The table as one object. @param {readonly ProgramWindow[]} windows all of them, in order @param {string} text the program @returns {Omit<ProgramInfo, "lines">} */
export function programTable(windows, text) {
  const [first] = /** @type {[ProgramWindow]} */ (windows);
  const { blocks, ...head } = /** @type {ProgramHead} */ (first.head);
  const table = new OpTable(windows, text);
  return {
    ...head,
    ops: Array.from({ length: table.count }, (_, id) => new OpRow(table, id)),
    values: valueRows(windows),
    blocks: blocksWithOps(blocks, table.block),
  };
}

/** @param {readonly ProgramWindow[]} windows @returns {ValueInfo[]} */
function valueRows(windows) {
  /** @type {Rows<TypeInfo>} */
  const types = new Rows();
  /** @type {ValueInfo[]} */
  const rows = [];
  for (const { values } of windows) {
    const typeOf = types.add(values.types).map((number) => /** @type {TypeInfo} */ (types.rows[number]));
    values.names.forEach((name, at) =>
      rows.push(new ValueRow(rows.length, name, /** @type {TypeInfo} */ (typeOf[values.type[at] ?? 0]))),
    );
  }
  return rows;
}

/** Ops are numbered in the order of their block. @param {ProgramHead["blocks"]} heads @param {Uint32Array} blockOf @returns {BlockInfo[]} */
function blocksWithOps(heads, blockOf) {
  const blocks = heads.map((head, id) => ({ ...head, id, ops: /** @type {number[]} */ ([]) }));
  blockOf.forEach((block, op) => blocks[block]?.ops.push(op));
  return blocks;
}

/** @param {ArrayLike<number>} column @param {number} row */
const numberAt = (column, row) => /** @type {number} */ (column[row]);

/** @template T @param {readonly T[]} items @param {(item: T) => number} number @returns {number} */
const sumOf = (items, number) => items.reduce((sum, item) => sum + number(item), 0);
