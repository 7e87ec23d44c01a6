/**
 * The parts of a program that fold: bodies of ops (regions, computations, called functions), source scopes inside a
 * block, and where a block has very many ops, repeated stretches or stretches of lines. Computed when they are opened.
 *
 * @typedef {{kind: "op", op: number}|Group} Part
 * @typedef {{kind: "group", reason: "scope"|"repeat"|"lines", title: string, ops: readonly number[], depth: number}} Group  depth: of its scope
 */
import { countText } from "../../core/tensor/elements.js";
import { shortName } from "../../core/run/op_names.js";
import { scopeOf } from "../../core/run/scopes.js";
/** @import {Program} from "../../core/run/program.js" */
/** @import {ScopedNames} from "../../core/run/scopes.js" */

/** Maximum number of parts of a group: more are cut into stretches. */
const MOST_PARTS = 160;
/** Minimum number of ops of a group. */
const LEAST_OPS = 3;
/** Minimum and maximum number of ops of a repeated stretch. */
const SHORTEST_REPEAT = 6;
const LONGEST_REPEAT = 1500;

export class Parts {
  /** @param {Program} program @param {string} text that ran @param {ScopedNames|null} names */
  constructor(program, text, names) {
    this.program = program;
    this.text = text;
    this.names = names;
    this.bodies = bodiesOf(program, text);
    /** Values of outer blocks that the regions of an op read. @type {Map<number, number[]>} */
    this.captures = capturesOf(program);
    /** The components of each name's scope. @type {string[][]} */
    this.scopes = (names?.names ?? []).map((name) => componentsOf(scopeOf(name)));
    /** @type {Map<number, Part[]>} */
    this.ofBlocks = new Map();
    /** @type {WeakMap<Group, Part[]>} */
    this.ofGroups = new WeakMap();
  }

  /** The bodies of an op: its regions, or the computation or function that it calls. @param {number} op @returns {readonly number[]} */
  bodiesOf(op) {
    return this.bodies.get(op) ?? [];
  }

  /** All values that an op reads: its operands, and what its regions read of the blocks around it. @param {number} op @returns {readonly number[]} */
  readBy(op) {
    const { operands } = this.program.op(op);
    const captured = this.captures.get(op);
    return captured ? [...operands, ...captured] : operands;
  }

  /** Whether a value is a constant, which is drawn at each use. @param {number} value @returns {boolean} */
  isConstant(value) {
    const { op } = this.program.definition(value);
    if (op === null) return false;
    const { operands, results, name } = this.program.op(op);
    return operands.length === 0 && results.length === 1 && /(^|\.)constant$/.test(name);
  }

  /** @param {number} block @returns {readonly Part[]} */
  ofBlock(block) {
    const known = this.ofBlocks.get(block);
    if (known) return known;
    const ops = this.program.block(block).ops.filter((op) => {
      const [result] = this.program.op(op).results;
      return result === undefined || !this.isConstant(result) || this.program.usersOf(result).length === 0;
    });
    const made = this.split(ops, commonDepth(ops.map((op) => this.scopeOf(op))));
    this.ofBlocks.set(block, made);
    return made;
  }

  /** @param {Group} group @returns {readonly Part[]} */
  ofGroup(group) {
    const found = this.ofGroups.get(group) ?? this.split(group.ops, group.depth);
    this.ofGroups.set(group, found);
    return found;
  }

  /** @param {number} op @returns {readonly string[]} */
  scopeOf(op) {
    return this.scopes[this.names?.ops[op] ?? -1] ?? [];
  }

  /** @param {readonly number[]} ops in an order that values follow @param {number} depth @returns {Part[]} */
  split(ops, depth) {
    const parts = this.byScope(ops, depth);
    return parts.length > MOST_PARTS ? this.byStretch(parts) : parts;
  }

  /**
   * Stretches of one scope. Ops are reordered so that each scope comes together as far as values allow: groups that
   * are stretches of an order that values follow never form a cycle.
   *
   * @param {readonly number[]} ops @param {number} depth @returns {Part[]}
   */
  byScope(ops, depth) {
    const keys = ops.map((op) => this.scopeOf(op)[depth] ?? "");
    if (keys.every((key) => key === "")) return ops.map(leaf);
    /** @type {Part[]} */
    const parts = [];
    for (const { key, ops: stretch } of stretches(this, ops, keys)) {
      if (key === "" || stretch.length < LEAST_OPS) parts.push(...stretch.map(leaf));
      else {
        const inner = depth + Math.max(1, commonDepth(stretch.map((op) => this.scopeOf(op).slice(depth))));
        const title = this.scopeOf(stretch[0] ?? 0)
          .slice(depth, inner)
          .join("/");
        parts.push({ kind: "group", reason: "scope", title, ops: stretch, depth: inner });
      }
    }
    return parts;
  }

  /** Many parts, as repeated stretches or as stretches of lines. @param {readonly Part[]} parts @returns {Part[]} */
  byStretch(parts) {
    const isOfGroups = parts.every(({ kind }) => kind === "group");
    const period = isOfGroups ? null : periodOf(parts.map((part) => this.lookOf(part)));
    const cuts = period ? repeatCuts(period, parts.length) : evenCuts(parts.length);
    const repeats = cuts.filter(({ isRepeat }) => isRepeat).length;
    let number = 0;
    const found = cuts.flatMap(({ from, to, isRepeat }) => {
      const inside = parts.slice(from, to);
      if (inside.length < LEAST_OPS) return inside;
      const ops = inside.flatMap((part) => (part.kind === "op" ? [part.op] : part.ops));
      const title = isRepeat ? `repeat ${++number} of ${repeats}` : this.linesOf(ops);
      /** @type {Group} */
      const group = { kind: "group", reason: isRepeat ? "repeat" : "lines", title, ops, depth: 0 };
      this.ofGroups.set(group, inside.length > MOST_PARTS ? this.byStretch(inside) : inside);
      return [group];
    });
    return found.length > MOST_PARTS ? this.byStretch(found) : found;
  }

  /** What makes parts look alike: the op and the type of its result, or the title without numbers. @param {Part} part @returns {string} */
  lookOf(part) {
    if (part.kind === "group") return part.title.replaceAll(/\d+/g, "#");
    const found = this.program.op(part.op);
    const [result] = found.results;
    return `${shortName(found)} ${result === undefined ? "" : this.program.value(result).type}`;
  }

  /** @param {readonly number[]} ops @returns {string} */
  linesOf(ops) {
    const lines = ops.map((op) => this.program.op(op).line);
    const [first, last] = [lines.reduce((a, b) => Math.min(a, b)), lines.reduce((a, b) => Math.max(a, b))];
    return `lines ${countText(first)} to ${countText(last)}`;
  }
}

/** @param {number} op @returns {Part} */
const leaf = (op) => ({ kind: "op", op });

/** The parts of a scope: slashes in parentheses do not separate. @param {string} scope @returns {string[]} */
export function componentsOf(scope) {
  const found = [];
  for (let rest = scope; rest !== "";) {
    const before = scopeOf(rest);
    found.push(rest.slice(before === "" ? 0 : before.length + 1));
    rest = before;
  }
  return found.reverse();
}

/** The number of leading components that all have. @param {readonly (readonly string[])[]} scopes @returns {number} */
function commonDepth(scopes) {
  const named = scopes.filter(({ length }) => length > 0);
  const [first] = named;
  if (!first) return 0;
  let depth = first.length;
  for (const scope of named) {
    let same = 0;
    while (same < depth && scope[same] === first[same]) same++;
    depth = same;
  }
  return depth;
}

/** Reorder ops so that those of one key follow each other as far as values allow; the empty key is none. @param {Parts} parts @param {readonly number[]} ops @param {readonly string[]} keys @returns {{key: string, ops: number[]}[]} */
function stretches(parts, ops, keys) {
  const { waiting, readers } = dependencies(parts, ops);
  /** Of each key the ops that can come next, and how many of them have come. @type {Map<string, {queue: number[], done: number}>} */
  const ready = new Map();
  const enter = (/** @type {number} */ at) => {
    const known = ready.get(keys[at] ?? "") ?? { queue: [], done: 0 };
    known.queue.push(at);
    ready.set(keys[at] ?? "", known);
  };
  for (let at = 0; at < ops.length; at++) if (waiting[at] === 0) enter(at);
  /** @type {{key: string, ops: number[]}[]} */
  const found = [];
  for (let key = earliest(ready); key !== null; key = earliest(ready)) {
    const last = found.at(-1);
    const stretch = last?.key === key ? last.ops : [];
    if (last?.key !== key) found.push({ key, ops: stretch });
    const here = /** @type {{queue: number[], done: number}} */ (ready.get(key));
    const { queue } = here;
    const isOne = key === "";
    do {
      const at = /** @type {number} */ (queue[here.done++]);
      stretch.push(/** @type {number} */ (ops[at]));
      for (const reader of readers[at] ?? []) {
        waiting[reader] = Number(waiting[reader]) - 1;
        if (waiting[reader] === 0) enter(reader);
      }
    } while (!isOne && here.done < queue.length);
    if (here.done === queue.length) ready.delete(key);
  }
  return found;
}

/** The key whose next op comes first in the text. @param {Map<string, {queue: number[], done: number}>} ready @returns {string|null} */
function earliest(ready) {
  /** @type {string|null} */
  let found = null;
  let least = Infinity;
  for (const [key, { queue, done }] of ready) {
    if (Number(queue[done]) >= least) continue;
    [found, least] = [key, Number(queue[done])];
  }
  return found;
}

/** For each op the number of others among them that it reads, and its readers. @param {Parts} parts @param {readonly number[]} ops */
function dependencies(parts, ops) {
  const places = new Map(ops.map((op, at) => [op, at]));
  const waiting = new Int32Array(ops.length);
  /** @type {number[][]} */
  const readers = ops.map(() => []);
  ops.forEach((op, at) => {
    for (const value of new Set(parts.readBy(op))) {
      const from = places.get(parts.program.definition(value).op ?? -1);
      if (from === undefined || from === at) continue;
      readers[from]?.push(at);
      waiting[at] = Number(waiting[at]) + 1;
    }
  });
  return { waiting, readers };
}

/** The length of a stretch that repeats at least three times, and where; null for none. @param {readonly string[]} looks @returns {{from: number, length: number, times: number}|null} */
export function periodOf(looks) {
  const numbers = new Map([...new Set(looks)].map((look, at) => [look, at]));
  const row = Int32Array.from(looks, (look) => numbers.get(look) ?? 0);
  let best = null;
  for (let length = SHORTEST_REPEAT; length <= Math.min(LONGEST_REPEAT, row.length / 3); length++) {
    if (best && best.times * best.length > 0.8 * row.length) break;
    for (let at = 0, run = 0; at + length < row.length; at++) {
      run = row[at] === row[at + length] ? run + 1 : 0;
      const times = Math.floor(run / length) + 1;
      if (times < 3 || times * length <= (best ? best.times * best.length : 0)) continue;
      best = { from: at - run + 1, length, times };
    }
  }
  return best && best.times * best.length > row.length / 2 ? best : null;
}

/** @param {{from: number, length: number, times: number}} period @param {number} count */
function repeatCuts({ from, length, times }, count) {
  const end = from + times * length;
  const repeats = Array.from({ length: times }, (_, at) => ({
    from: from + at * length,
    to: from + (at + 1) * length,
    isRepeat: true,
  }));
  return [{ from: 0, to: from, isRepeat: false }, ...repeats, { from: end, to: count, isRepeat: false }];
}

/** @param {number} count */
function evenCuts(count) {
  const pieces = Math.min(MOST_PARTS, Math.max(2, Math.round(Math.sqrt(count))));
  return Array.from({ length: pieces }, (_, at) => ({
    from: Math.round((at * count) / pieces),
    to: Math.round(((at + 1) * count) / pieces),
    isRepeat: false,
  }));
}

/** @param {Program} program @param {string} text @returns {Map<number, readonly number[]>} */
function bodiesOf(program, text) {
  const blocks = new Map(program.functions.map(({ name, block }) => [name, block]));
  const found = new Map();
  for (const { id, regions, family, from, to } of program.ops) {
    if (regions.length > 0) found.set(id, regions);
    else if (family === "control") {
      const called = [...text.slice(from, to).matchAll(/(?:calls=|to_apply=|@)%?([\w.$-]+)/g)];
      const bodies = called.flatMap(([, name = ""]) => blocks.get(name) ?? []);
      if (bodies.length > 0) found.set(id, bodies);
    }
  }
  return found;
}

/** @param {Program} program @returns {Map<number, number[]>} */
function capturesOf(program) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  const note = (/** @type {number} */ op, /** @type {number} */ value) => {
    const known = found.get(op);
    if (!known) found.set(op, [value]);
    else if (!known.includes(value)) known.push(value);
  };
  for (const { operands, block } of program.ops) {
    for (const value of operands) {
      const home = program.definition(value).block;
      for (let at = block; at !== home;) {
        const { opener } = program.block(at);
        if (opener === null) break;
        note(opener, value);
        at = program.op(opener).block;
      }
    }
  }
  return found;
}
