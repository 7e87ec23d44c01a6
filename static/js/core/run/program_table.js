/**
 * The table of a program, read from its windows: columns of numbers, and tables of names, types and locations. Ops and
 * values are rows that read them, so half a million cost little memory.
 */
import { withoutSizes } from "../hidden_values.js";
import { inOrder } from "../several.js";
/** @import {BlockInfo, FunctionInfo, Lists, OpInfo, ProgramHead, ProgramInfo, ProgramWindow, TypeInfo, ValueInfo} from "../types.js" */

/** @typedef {ProgramWindow["ops"]["kinds"][number]} OpKind name, opcode and family */

/** Maximum characters of the first line of an op. */
const SUMMARY_WIDTH = 120;

/** Rows of variable length, one after another, as differences from their own numbers times `unit`. */
class RowLists {
  /** @param {readonly Lists[]} parts @param {number} [unit] */
  constructor(parts, unit = 1) {
    this.ends = Uint32Array.from(sums(parts.flatMap(({ lengths }) => lengths)));
    this.items = Int32Array.from(parts.flatMap(({ items }) => items));
    this.unit = unit;
  }

  /** @param {number} row @returns {number[]} */
  at(row) {
    const found = [];
    for (let at = this.ends[row - 1] ?? 0; at < numberAt(this.ends, row); at++)
      found.push(numberAt(this.items, at) + this.unit * row);
    return found;
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

  /** Numbers of rows of one more window, as numbers of rows of all. @param {readonly T[]} rows @param {readonly number[]} numbers @returns {number[]} */
  numbersOf(rows, numbers) {
    const all = rows.map((row) => {
      const key = JSON.stringify(row);
      const number = this.numbers.get(key) ?? this.rows.push(row) - 1;
      this.numbers.set(key, number);
      return number;
    });
    return numbers.map((number) => numberAt(all, number));
  }
}

/** The columns of all ops. */
class OpTable {
  /** @param {readonly ProgramWindow[]} windows @param {string} text */
  constructor(windows, text) {
    const all = windows.map(({ ops }) => ops);
    const column = (/** @type {(ops: ProgramWindow["ops"]) => readonly number[]} */ numbers) =>
      Uint32Array.from(all.flatMap(numbers));
    const lists = (/** @type {"operands"|"results"|"regions"} */ name, unit = 1) =>
      new RowLists(
        all.map((ops) => ops[name]),
        unit,
      );
    this.text = text;
    /** @type {Rows<OpKind>} */
    const kinds = new Rows();
    /** @type {Rows<string|null>} */
    const locations = new Rows();
    this.kinds = kinds.rows;
    this.locations = locations.rows;
    this.kind = column(({ kinds: rows, kind }) => kinds.numbersOf(rows, kind));
    this.location = column(({ locations: rows, location }) => locations.numbersOf(rows, location));
    this.from = column(({ starts }) => sums(starts));
    this.length = column(({ lengths }) => lengths);
    this.line = column(({ lines }) => sums(lines));
    this.column = column(({ columns }) => columns);
    this.height = column(({ heights }) => heights);
    this.block = column(({ blocks }) => blocks);
    this.operands = lists("operands");
    this.results = lists("results");
    this.regions = lists("regions", 0);
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
    return this.from + numberAt(this.#table.length, this.id);
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
  const head = /** @type {ProgramHead} */ (windows[0]?.head);
  const table = new OpTable(windows, text);
  const functions = functionsOf(windows);
  const { blocks, parameters } = blocksOf(windows, functions, table.block);
  return {
    ...head,
    ops: Array.from(table.block, (_, id) => new OpRow(table, id)),
    values: valueRows(windows),
    blocks,
    functions,
    parameters: { ...head.parameters, ...parameters },
  };
}

/** @param {readonly ProgramWindow[]} windows @returns {ValueInfo[]} */
function valueRows(windows) {
  /** @type {Rows<TypeInfo>} */
  const types = new Rows();
  const type = windows.flatMap(({ values }) => types.numbersOf(values.types, values.type));
  return windows
    .flatMap(({ values }) => values.names)
    .map((name, id) => new ValueRow(id, name, /** @type {TypeInfo} */ (types.rows[numberAt(type, id)])));
}

/** @param {readonly ProgramWindow[]} windows @returns {FunctionInfo[]} */
function functionsOf(windows) {
  return windows.flatMap(({ functions: { names, blocks, starts, lengths, lines } }) => {
    const [from, line] = [sums(starts), sums(lines)];
    return names.map((name, at) => ({
      name,
      block: numberAt(blocks, at),
      line: numberAt(line, at),
      from: numberAt(from, at),
      to: numberAt(from, at) + numberAt(lengths, at),
    }));
  });
}

/**
 * The blocks with their ops, which are numbered in the order of their block, and the lines of parameters of HLO text.
 *
 * @param {readonly ProgramWindow[]} windows @param {readonly FunctionInfo[]} functions @param {Uint32Array} blockOf
 */
function blocksOf(windows, functions, blockOf) {
  const all = windows.map(({ blocks }) => blocks);
  const values = new RowLists(all.map((blocks) => blocks.arguments));
  const lines = all.flatMap((blocks) => sums(blocks.lines));
  const openers = all.flatMap((blocks) => blocks.openers);
  const regions = all.flatMap((blocks) => blocks.regions);
  /** @type {BlockInfo[]} */
  const blocks = all
    .flatMap((part) => part.functions)
    .map((number, id) => ({
      id,
      function: /** @type {FunctionInfo} */ (functions[number]).name,
      opener: numberAt(openers, id) < 0 ? null : numberAt(openers, id),
      region: numberAt(regions, id),
      arguments: values.at(id),
      ops: [],
    }));
  blockOf.forEach((block, op) => blocks[block]?.ops.push(op));
  const of = blocks.flatMap((block) => block.arguments);
  return { blocks, parameters: Object.fromEntries(lines.map((line, at) => [of[at], line])) };
}

/** @param {ArrayLike<number>} column @param {number} row */
const numberAt = (column, row) => /** @type {number} */ (column[row]);

/** Numbers from their differences. @param {readonly number[]} differences @returns {number[]} */
function sums(differences) {
  let sum = 0;
  return differences.map((number) => (sum += number));
}
