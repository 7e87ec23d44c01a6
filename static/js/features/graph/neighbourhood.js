/** The ops around a value: what it is made of, and what is made of it, up to a number of edges away. */
import { countText } from "../../core/tensor/elements.js";
import { argumentNode, chipOf, join, Node, opNode } from "./nest.js";
/** @import {Parts} from "./parts.js" */

/** Maximum readers of one op that are shown, and maximum nodes. */
const MOST_READERS = 12;
const MOST_NODES = 160;

/** @param {Parts} parts @param {number} value @param {number} radius @returns {Node} the group of all nodes */
export function neighbourhood(parts, value, radius) {
  const root = new Node("group", `around ${value}`, null, { canOpen: true });
  root.isOpen = true;
  const around = new Around(parts, root);
  around.nodeOf(value);
  around.grow([value], radius, "up");
  around.grow([value], radius, "down");
  around.joinAll();
  return root;
}

class Around {
  /** @param {Parts} parts @param {Node} root */
  constructor(parts, root) {
    this.parts = parts;
    this.program = parts.program;
    this.root = root;
    /** The nodes by op, and of arguments by value. @type {Map<string, Node>} */
    this.nodes = new Map();
    /** Values of the root's ring: a constant among them is a node. @type {Map<number, Node>} */
    this.ofValues = new Map();
    /** Number of readers left out, by node. @type {Map<Node, number>} */
    this.left = new Map();
  }

  /** @param {number} value @returns {Node} */
  nodeOf(value) {
    const { op } = this.program.definition(value);
    return op === null
      ? this.node(`value ${value}`, () => argumentNode(this.program, `value ${value}`, this.root, value))
      : this.nodeOfOp(op);
  }

  /** @param {number} op @returns {Node} */
  nodeOfOp(op) {
    return this.node(`op ${op}`, () => opNode(this.parts, `op ${op}`, this.root, op));
  }

  /** @param {string} key @param {() => Node} make @returns {Node} */
  node(key, make) {
    const known = this.nodes.get(key);
    if (known) return known;
    const made = make();
    made.canOpen = false;
    this.nodes.set(key, made);
    for (const value of made.values) this.ofValues.set(value, made);
    return made;
  }

  /** @param {readonly number[]} start @param {number} radius @param {"up"|"down"} way */
  grow(start, radius, way) {
    let ring = start.map((value) => this.nodeOf(value));
    const seen = new Set(ring);
    for (let away = 0; away < radius; away++) {
      const next = ring.flatMap((node) => (way === "up" ? this.operandsOf(node) : this.readersOf(node)));
      ring = [...new Set(next)].filter((node) => !seen.has(node));
      for (const node of ring) seen.add(node);
    }
  }

  /** @param {Node} node @returns {Node[]} */
  operandsOf(node) {
    if (node.op !== null) return this.parts.readBy(node.op).flatMap((value) => this.shown(value));
    const passed = this.passedTo(node.values[0] ?? 0);
    return passed === null ? [] : this.shown(passed);
  }

  /** A constant of one element is drawn at its reader. @param {number} value @returns {Node[]} */
  shown(value) {
    if (this.isDrawnAtReader(value) || this.isFull()) return [];
    return [this.nodeOf(value)];
  }

  /** @param {number} value */
  isDrawnAtReader(value) {
    return this.parts.isConstant(value) && this.program.value(value).shape?.length === 0;
  }

  isFull() {
    return this.nodes.size >= MOST_NODES;
  }

  /** @param {Node} node @returns {Node[]} */
  readersOf(node) {
    const readers = node.values.flatMap((value) => this.program.usersOf(value));
    const all = [...new Set(readers)];
    const shown = all.slice(0, MOST_READERS).filter(() => !this.isFull());
    if (all.length > shown.length) this.left.set(node, all.length - shown.length);
    return shown.map((op) => this.nodeOfOp(op));
  }

  /** What an op passes to an argument of its region. @param {number} value @returns {number|null} */
  passedTo(value) {
    const { block, index } = this.program.definition(value);
    const { opener } = this.program.block(block);
    return opener === null ? null : (this.program.op(opener).operands[index] ?? null);
  }

  /** Join each node to its operands among the nodes. */
  joinAll() {
    for (const node of [...this.nodes.values()]) {
      const { op } = node;
      if (op === null) {
        const passed = this.passedTo(node.values[0] ?? 0);
        const from = passed === null ? undefined : this.ofValues.get(passed);
        if (passed !== null && from) join(from, node, { value: passed, op: null, operand: -1 });
        continue;
      }
      const { operands } = this.program.op(op);
      this.parts.readBy(op).forEach((value, at) => {
        const operand = at < operands.length ? at : -1;
        const from = this.ofValues.get(value);
        if (from && from !== node) join(from, node, { value, op, operand });
        else if (!from)
          node.chips.push(chipOf(this.parts, value, operand, this.parts.isConstant(value) ? "constant" : "far"));
      });
    }
    for (const [node, count] of this.left) {
      const more = new Node("more", `${node.key} more`, this.root, { title: `${countText(count)} more`, count });
      join(node, more, { value: node.values[0] ?? 0, op: null, operand: -1 });
    }
  }
}
