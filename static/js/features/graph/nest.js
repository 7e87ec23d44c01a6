/**
 * The visible nodes of the graph: ops, arguments and groups, folded or open, with the edges between them. An edge that
 * crosses the border of an open group passes a port of it.
 *
 * @typedef {{value: number, op: number|null, operand: number}} Use  op: the reader; operand: -1 for a value that a region reads
 * @typedef {{from: Node, to: Node, uses: Use[]}} Wire
 * @typedef {{value: number, operand: number, kind: "constant"|"argument"|"far", text: string}} Chip
 *   an operand that is drawn at its reader, in place of an edge
 */
import { shortName } from "../../core/run/op_names.js";
import { shownName } from "../../core/run/value_names.js";
/** @import {Program} from "../../core/run/program.js" */
/** @import {Part, Parts} from "./parts.js" */

/** Arguments that more ops read, and arguments of a block that has more of them, are drawn at each use. */
const MOST_READERS = 4;
const MOST_ARGUMENTS = 8;

/** @typedef {"op"|"argument"|"group"|"port"|"more"} NodeKind */

export class Node {
  /** @param {NodeKind} kind @param {string} key @param {Node|null} parent @param {{op?: number|null, values?: readonly number[], title?: string, reason?: string, ops?: readonly number[], bodies?: readonly number[], count?: number, canOpen?: boolean}} [about] */
  constructor(
    kind,
    key,
    parent,
    { op = null, values = [], title = "", reason = "", ops = [], bodies = [], count = 1, canOpen = false } = {},
  ) {
    this.kind = kind;
    /** The same for the same part each time. */
    this.key = key;
    this.parent = parent;
    /** @type {number} */
    this.depth = parent === null ? 0 : parent.depth + 1;
    this.op = op;
    /** The values that it makes; the first one is shown. */
    this.values = values;
    this.title = title;
    this.reason = reason;
    /** The ops of a group, and the blocks inside an op. */
    this.ops = ops;
    this.bodies = bodies;
    /** Number of ops inside. */
    this.count = count;
    this.canOpen = canOpen;
    this.isOpen = false;
    /** @type {Chip[]} */
    this.chips = [];
    /** @type {Node[]} */
    this.children = [];
    /** @type {Map<string, Node>} */
    this.ports = new Map();
    /** What it reads, and what reads it, whatever the groups between them. @type {{node: Node, use: Use}[]} */
    this.sources = [];
    /** @type {{node: Node, use: Use}[]} */
    this.readers = [];
    /** Edges between children and ports. @type {Map<Node, Map<Node, Wire>>} */
    this.wires = new Map();
    parent?.children.push(this);
  }

  /** Note that a value goes from one child or port to another; at an open group each port has its own edge. @param {Node} from @param {Node} to @param {Use} use */
  join(from, to, use) {
    const [start, end] = [from.ports.get(`out ${use.value}`) ?? from, to.ports.get(`in ${use.value}`) ?? to];
    let ends = this.wires.get(start);
    if (!ends) this.wires.set(start, (ends = new Map()));
    const wire = ends.get(end);
    if (!wire) ends.set(end, { from, to, uses: [use] });
    else if (!wire.uses.some((other) => isSame(other, use))) wire.uses.push(use);
  }

  allWires() {
    return [...this.wires.values()].flatMap((ends) => [...ends.values()]);
  }

  /** Where a value enters or leaves. @param {"in"|"out"} side @param {number} value @returns {Node} */
  port(side, value) {
    const key = `${side} ${value}`;
    const known = this.ports.get(key);
    if (known) return known;
    const made = new Node("port", `${this.key} ${key}`, null, { values: [value], reason: side });
    made.parent = this;
    made.depth = this.depth + 1;
    this.ports.set(key, made);
    return made;
  }
}

/** @param {Use} one @param {Use} other */
const isSame = (one, other) => one.value === other.value && one.op === other.op && one.operand === other.operand;

/** Join two nodes of the tree, through the ports of the open groups between them. @param {Node} from @param {Node} to @param {Use} use */
export function join(from, to, use) {
  if (from === to) return;
  let [above, below] = [from, to];
  to.sources.push({ node: from, use });
  from.readers.push({ node: to, use });
  while (above.depth > below.depth) above = leave(above, use);
  while (below.depth > above.depth) below = enter(below, use);
  while (above !== below && above.parent !== below.parent) [above, below] = [leave(above, use), enter(below, use)];
  if (above !== below) above.parent?.join(above, below, use);
}

/** @param {Node} node @param {Use} use @returns {Node} the group around it */
function leave(node, use) {
  const group = /** @type {Node} */ (node.parent);
  group.join(node, group.port("out", use.value), use);
  return group;
}

/** @param {Node} node @param {Use} use @returns {Node} the group around it */
function enter(node, use) {
  const group = /** @type {Node} */ (node.parent);
  group.join(group.port("in", use.value), node, use);
  return group;
}

/** What one name means inside a body: the visible node of each value. */
class Names {
  /** @param {Names|null} outer the names around a region; a called computation has none */
  constructor(outer) {
    this.outer = outer;
    /** @type {Map<number, Node>} */
    this.nodes = new Map();
  }

  /** @param {number} value @returns {Node|undefined} */
  find(value) {
    return this.nodes.get(value) ?? this.outer?.find(value);
  }
}

/** The tree of the whole program. @param {Parts} parts @param {string|undefined} entry the function that runs @param {(key: string, node: Node) => boolean} isOpen @returns {Node} */
export function wholeProgram(parts, entry, isOpen) {
  const root = new Node("group", "", null, { canOpen: true });
  root.isOpen = true;
  const { functions } = parts.program;
  const first = functions.find(({ name }) => name === entry) ?? functions[0];
  const called = new Set([...parts.bodies.values()].flat());
  if (first) new Builder(parts, isOpen).body(root, first.block, null);
  for (const { name, block } of functions) {
    if (block === first?.block || called.has(block)) continue;
    const builder = new Builder(parts, isOpen);
    const count = parts.program.block(block).ops.length;
    const group = new Node("group", `@${name}`, root, {
      title: name,
      reason: "function, not called",
      bodies: [block],
      count,
      canOpen: true,
    });
    if (builder.opens(group)) builder.body(group, block, null);
  }
  return root;
}

class Builder {
  /** @param {Parts} parts @param {(key: string, node: Node) => boolean} isOpen */
  constructor(parts, isOpen) {
    this.parts = parts;
    this.program = parts.program;
    this.isOpen = isOpen;
  }

  /** @param {Node} node @returns {boolean} */
  opens(node) {
    return (node.isOpen = node.canOpen && this.isOpen(node.key, node));
  }

  /** Add the contents of a block. @param {Node} parent @param {number} block @param {Names|null} outer @param {readonly number[]} [passed] the values of its arguments in the block around it */
  body(parent, block, outer, passed = []) {
    const names = new Names(outer);
    const { arguments: values } = this.program.block(block);
    for (const value of values) {
      if (values.length > MOST_ARGUMENTS || this.program.usersOf(value).length > MOST_READERS) continue;
      const node = argumentNode(this.program, `${parent.key}/value ${value}`, parent, value);
      names.nodes.set(value, node);
      const from = passed[this.program.definition(value).index];
      if (from !== undefined)
        node.chips.push(chipOf(this.parts, from, -1, this.parts.isConstant(from) ? "constant" : "far"));
    }
    /** @type {{node: Node, op: number}[]} */
    const readers = [];
    this.add(parent, this.parts.ofBlock(block), names, readers);
    for (const { node, op } of readers) this.joinOperands(node, op, names);
  }

  /** @param {Node} parent @param {readonly Part[]} parts @param {Names} names @param {{node: Node, op: number}[]} readers */
  add(parent, parts, names, readers) {
    for (const part of parts) {
      if (part.kind === "op") this.addOp(parent, part.op, names, readers);
      else this.addGroup(parent, part, names, readers);
    }
  }

  /** @param {Node} parent @param {import("./parts.js").Group} group @param {Names} names @param {{node: Node, op: number}[]} readers */
  addGroup(parent, group, names, readers) {
    const { title, reason, ops } = group;
    const node = new Node("group", `${parent.key}/${reason} ${ops[0]}`, parent, {
      title,
      reason,
      ops,
      count: ops.length,
      canOpen: true,
    });
    if (this.opens(node)) return this.add(node, this.parts.ofGroup(group), names, readers);
    for (const op of ops) {
      for (const value of this.program.op(op).results) names.nodes.set(value, node);
      readers.push({ node, op });
    }
  }

  /** @param {Node} parent @param {number} op @param {Names} names @param {{node: Node, op: number}[]} readers */
  addOp(parent, op, names, readers) {
    const bodies = this.parts.bodiesOf(op);
    const node = opNode(this.parts, `${parent.key}/${op}`, parent, op);
    for (const value of node.values) names.nodes.set(value, node);
    readers.push({ node, op });
    if (bodies.length === 0 || !this.opens(node)) return;
    const isRegion = this.program.op(op).regions.length > 0;
    bodies.forEach((block, at) => {
      const into = bodies.length === 1 ? node : this.bodyGroup(node, op, block, at);
      const { operands } = this.program.op(op);
      const passed = this.program.block(block).arguments.length === operands.length ? operands : [];
      if (into === node || this.opens(into)) this.body(into, block, isRegion ? names : null, passed);
      else if (isRegion) this.joinCaptured(into, block, names);
    });
  }

  /** One of several bodies. @param {Node} node @param {number} op @param {number} block @param {number} at @returns {Node} */
  bodyGroup(node, op, block, at) {
    const title = bodyTitle(shortName(this.program.op(op)), at);
    const count = this.program.block(block).ops.length;
    return new Node("group", `${node.key}/body ${at}`, node, {
      title,
      reason: "body",
      bodies: [block],
      count,
      canOpen: true,
    });
  }

  /** What a folded region reads of the blocks around it. @param {Node} node @param {number} block @param {Names} names */
  joinCaptured(node, block, names) {
    for (const op of this.program.block(block).ops)
      for (const value of this.parts.readBy(op)) {
        const from = this.program.definition(value).block === block ? undefined : names.find(value);
        if (from) join(from, node, { value, op, operand: -1 });
      }
  }

  /** @param {Node} node @param {number} op @param {Names} names */
  joinOperands(node, op, names) {
    const { operands } = this.program.op(op);
    const read = node.isOpen ? operands : this.parts.readBy(op);
    read.forEach((value, at) => {
      const operand = at < operands.length ? at : -1;
      const from = names.find(value);
      if (from) {
        join(from, node, { value, op, operand });
      } else if (node.op === op) node.chips.push(chipOf(this.parts, value, operand));
    });
  }
}

/** @param {string} name @param {number} at @returns {string} */
function bodyTitle(name, at) {
  if (name === "while") return at === 0 ? "condition" : "body";
  if (name === "if") return at === 0 ? "true" : "false";
  return name === "case" || name === "conditional" ? `branch ${at}` : `body ${at}`;
}

/** @param {Parts} parts @param {string} key @param {Node} parent @param {number} op @returns {Node} */
export function opNode(parts, key, parent, op) {
  const found = parts.program.op(op);
  const bodies = parts.bodiesOf(op);
  const inside = bodies.reduce((sum, block) => sum + parts.program.block(block).ops.length, 0);
  const count = Math.max(1, inside);
  const callee = /(^|\.)call$/.test(found.name) ? parts.program.functionOfBlock.get(bodies[0] ?? -1) : undefined;
  return new Node("op", key, parent, {
    op,
    values: found.results,
    title: callee === undefined ? shortName(found) : `call @${callee}`,
    bodies,
    count,
    canOpen: bodies.length > 0,
  });
}

/** @param {Program} program @param {string} key @param {Node} parent @param {number} value @returns {Node} */
export function argumentNode(program, key, parent, value) {
  const kind = program.block(program.definition(value).block).opener === null ? "argument" : "region argument";
  return new Node("argument", key, parent, { values: [value], title: kind });
}

/** Maximum characters of a chip. */
const CHIP_TEXT = 16;

/** @param {Parts} parts @param {number} value @param {number} operand @param {Chip["kind"]} [kind] @returns {Chip} */
export function chipOf({ program }, value, operand, kind) {
  const { op } = program.definition(value);
  const literal = op === null ? null : literalOf(program.op(op).summary);
  const text = literal && literal.length <= CHIP_TEXT ? literal : shownName(program, value);
  return { value, operand, kind: kind ?? (op === null ? "argument" : "constant"), text: cut(text, CHIP_TEXT) };
}

/** Infinities as MLIR writes them. @type {Record<string, string>} */
const SPECIAL = {
  "0xFF800000": "-Inf",
  "0x7F800000": "+Inf",
  "0xFF80": "-Inf",
  "0x7F80": "+Inf",
  "0xFC00": "-Inf",
  "0x7C00": "+Inf",
};

/** The number of a constant, as short as it can be written; null for none, and for arrays of several. @param {string} summary @returns {string|null} */
function literalOf(summary) {
  const found = /(?:dense<|constant\()([^"<>()[\]{},]*)[>)]/.exec(summary)?.[1];
  if (found === undefined) return null;
  if (found.startsWith("0x")) return SPECIAL[found] ?? null;
  return found === "" || Number.isNaN(Number(found)) ? found : String(Number(Number(found).toPrecision(6)));
}

/** @param {string} text @param {number} most @returns {string} */
export const cut = (text, most) =>
  text.length <= most
    ? text
    : `${text.slice(0, Math.ceil(most / 2))}…${text.slice(text.length - Math.floor(most / 2) + 1)}`;
