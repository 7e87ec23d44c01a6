/**
 * The table of a program, read from its windows: columns of numbers, and tables of names, types and locations. Ops and
 * values are rows that read them, so half a million cost little memory.
 */
import { withoutSizes } from "../hidden_values.js";
import { inOrder } from "../several.js";
/** @import {OpInfo, ProgramHead, ProgramInfo, ProgramWindow, TypeInfo, ValueInfo} from "../types.js" */

/** @typedef {ProgramWindow["ops"]["kinds"][number]} OpKind name, opcode and family */

/** Maximum characters of the first line of an op. */
const SUMMARY_WIDTH = 120;

/** The ops of a window. */
class OpColumns {
  /** @param {ProgramWindow["ops"]} ops @param {number} first the number of the first one @param {string} text */
  constructor(ops, first, text) {
    this.ops = ops;
    this.first = first;
    this.text = text;
    this.from = sums(ops.starts);
    this.line = sums(ops.lines);
    this.ends = {
      operands: sums(ops.operands.lengths),
      results: sums(ops.results.lengths),
      regions: sums(ops.regions.lengths),
    };
  }

  /** @param {"operands"|"results"|"regions"} name @param {number} row @param {number} base added to each number @returns {number[]} */
  list(name, row, base) {
    return listAt(this.ops[name].items, this.ends[name], row, base);
  }
}

/** One of the lists that follow each other. @param {readonly number[]} items @param {readonly number[]} ends @param {number} row @param {number} base added to each number @returns {number[]} */
function listAt(items, ends, row, base) {
  const found = [];
  for (let at = ends[row - 1] ?? 0; at < numberAt(ends, row); at++) found.push(numberAt(items, at) + base);
  return found;
}

/** An op, as a row of a window. @implements {OpInfo} */
class OpRow {
  #all;
  #row;

  /** @param {OpColumns} all @param {number} row */
  constructor(all, row) {
    this.#all = all;
    this.#row = row;
    this.id = all.first + row;
  }

  get #kind() {
    const { kinds, kind } = this.#all.ops;
    return /** @type {OpKind} */ (kinds[numberAt(kind, this.#row)]);
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
    return numberAt(this.#all.line, this.#row);
  }

  get column() {
    return numberAt(this.#all.ops.columns, this.#row);
  }

  get endLine() {
    return this.line + numberAt(this.#all.ops.heights, this.#row);
  }

  get from() {
    return numberAt(this.#all.from, this.#row);
  }

  get to() {
    return this.from + numberAt(this.#all.ops.lengths, this.#row);
  }

  get operands() {
    return this.#all.list("operands", this.#row, this.id);
  }

  get results() {
    return this.#all.list("results", this.#row, this.id);
  }

  get block() {
    return numberAt(this.#all.ops.blocks, this.#row);
  }

  get regions() {
    return this.#all.list("regions", this.#row, 0);
  }

  get location() {
    const { locations, location } = this.#all.ops;
    return locations[numberAt(location, this.#row)] ?? null;
  }

  /** Its first line, cut to a readable width. */
  get summary() {
    const [line = ""] = this.#all.text
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

/**
 * Request the table.
 *
 * @param {(path: string) => Promise<ProgramWindow>} fetchWindow @param {string} text the program
 * @param {(first: ProgramWindow, load: (chunk: number) => Promise<ProgramWindow>) => Promise<void>} [begin] called before the other windows are loaded
 * @returns {Promise<Omit<ProgramInfo, "lines">>}
 */
export async function fetchTable(fetchWindow, text, begin) {
  /** @type {Promise<ProgramWindow>[]} */
  const parts = [];
  const load = (/** @type {number} */ chunk) => (parts[chunk] ??= fetchWindow(`program/window?chunk=${chunk}`));
  const first = await load(0);
  const windows = first.head?.windows ?? 1;
  if (windows > 1) await begin?.(first, load);
  return programTable(await inOrder(windows, load), text);
}

/** The number of rows of each window but the last. @param {ProgramWindow} first @returns {number} */
export const rowsOf = ({ ops, values, blocks }) =>
  Math.max(ops.kind.length, values.type.length, blocks.functions.length);

/** The table as one object. @param {readonly ProgramWindow[]} windows those in place: all, or for a part of the table some @param {string} text the program @returns {Omit<ProgramInfo, "lines">} */
export function programTable(windows, text) {
  const [start] = /** @type {[ProgramWindow]} */ (windows);
  const head = /** @type {ProgramHead} */ (start.head);
  const rows = rowsOf(start);
  /** @type {Omit<ProgramInfo, "lines">} */
  const table = { ...head, parameters: { ...head.parameters }, ops: [], values: [], blocks: [], functions: [] };
  windows.forEach((window, number) => addWindow(table, window, number * rows, text));
  table.blocks.forEach((block) => (block.function = table.functions[Number(block.function)]?.name ?? ""));
  table.ops.forEach(({ id, block }) => table.blocks[block]?.ops.push(id));
  return table;
}

/** Ops are numbered in the order of their blocks; a block has the number of its function first. @param {Omit<ProgramInfo, "lines">} table @param {ProgramWindow} window @param {number} first the number of its first rows @param {string} text */
function addWindow(table, { ops, values, blocks, functions }, first, text) {
  const all = new OpColumns(ops, first, text);
  ops.kind.forEach((_, row) => (table.ops[first + row] = new OpRow(all, row)));
  values.names.forEach((name, row) => {
    const type = /** @type {TypeInfo} */ (values.types[numberAt(values.type, row)]);
    table.values[first + row] = new ValueRow(first + row, name, type);
  });
  const [from, line] = [sums(functions.starts), sums(functions.lines)];
  functions.names.forEach((name, row) => {
    const start = numberAt(from, row);
    const place = { line: numberAt(line, row), from: start, to: start + numberAt(functions.lengths, row) };
    table.functions[first + row] = { name, block: numberAt(functions.blocks, row), ...place };
  });
  const [ends, lines] = [sums(blocks.arguments.lengths), sums(blocks.lines)];
  let argument = 0;
  blocks.functions.forEach((number, row) => {
    const [id, opener] = [first + row, numberAt(blocks.openers, row)];
    const region = numberAt(blocks.regions, row);
    const of = listAt(blocks.arguments.items, ends, row, id);
    for (const value of lines.length > 0 ? of : []) table.parameters[value] = numberAt(lines, argument++);
    table.blocks[id] = {
      id,
      function: `${number}`,
      opener: opener < 0 ? null : opener,
      region,
      arguments: of,
      ops: [],
    };
  });
}

/** @param {ArrayLike<number>} column @param {number} row */
const numberAt = (column, row) => /** @type {number} */ (column[row]);

/** Numbers from their differences. @param {readonly number[]} differences @returns {number[]} */
function sums(differences) {
  let sum = 0;
  return differences.map((number) => (sum += number));
}
