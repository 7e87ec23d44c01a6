/** What a breakpoint is: its stored forms, its ops, and how it moves with the text. */
import { withoutDialect } from "./op_names.js";
import { opsInScope } from "./scopes.js";
import { sourceKey } from "./source_lines.js";
/** @import {BreakpointInfo} from "../types.js" */
/** @import {Program} from "./program.js" */

/** @typedef {number|[number, number[]]|BreakpointInfo} Kept  a line, a line with the only processes that stop there, or any other breakpoint */

/** @param {readonly Kept[]} kept @returns {BreakpointInfo[]} lines first, in their order */
export function readBreakpoints(kept) {
  const points = kept.map(read);
  const lines = new Map(points.filter(isOnLine).map((point) => [Number(point.at), point]));
  return [...[...lines.values()].sort(byLine), ...points.filter((point) => !isOnLine(point))];
}

/** @param {Kept} one @returns {BreakpointInfo} */
function read(one) {
  if (typeof one === "number") return { kind: "line", at: one };
  if (Array.isArray(one)) return { kind: "line", at: one[0], processes: one[1] };
  // Version 0.2 named the op of HLO text that returns ROOT.
  return one.kind === "op" && one.at === "ROOT" ? { ...one, at: "return" } : one;
}

/** @param {readonly BreakpointInfo[]} points @returns {Kept[]} */
export const keptBreakpoints = (points) =>
  points.map((point) => {
    const { kind, at, processes, ...texts } = point;
    if (kind !== "line" || Object.keys(texts).length > 0) return point;
    return processes ? [Number(at), [...processes]] : Number(at);
  });

/** @param {BreakpointInfo} one @param {BreakpointInfo} other */
const byLine = (one, other) => Number(one.at) - Number(other.at);

/** @param {BreakpointInfo} point @returns {boolean} */
export const isOnLine = ({ kind }) => kind === "line";

/** @param {readonly BreakpointInfo[]} points @returns {number[]} */
export const linesOf = (points) => points.filter(isOnLine).map(({ at }) => Number(at));

/** Whether a process stops at the breakpoint. @param {BreakpointInfo} point @param {number} process @returns {boolean} */
export const stopsFor = ({ processes }, process) => processes?.includes(process) ?? true;

/** Whether the server finds the stops: of a condition, a hit count, a message, an element, or a difference from another run. @param {BreakpointInfo} point @returns {boolean} */
export const isEvaluated = ({ kind, at, condition, hits, log }) =>
  Boolean(condition || hits || log) || kind === "differs" || (kind === "read" && ELEMENT.test(String(at)));

/** The index at the end of `%12[3, 5]`. */
const ELEMENT = /\[[\d,\s]+\]$/;

/** The breakpoint with other properties; those without a value are dropped. @param {BreakpointInfo} point @param {Partial<BreakpointInfo>} changes @returns {BreakpointInfo} */
export function changed(point, changes) {
  const entries = Object.entries({ ...point, ...changes }).filter(
    ([, value]) => value !== undefined && value !== "" && value !== false,
  );
  return /** @type {BreakpointInfo} */ (Object.fromEntries(entries));
}

/** The breakpoints after lines have moved; a deleted line drops its own. @param {readonly BreakpointInfo[]} points @param {(line: number) => number|null} to @returns {BreakpointInfo[]} */
export const movedBreakpoints = (points, to) =>
  readBreakpoints(
    points.flatMap((point) => {
      if (!isOnLine(point)) return [point];
      const at = to(Number(point.at));
      return at === null ? [] : [{ ...point, at }];
    }),
  );

/** The ops at which a breakpoint may stop; null while names are loading. A finding has steps instead. @param {BreakpointInfo} point @param {Program} program @param {(line: number) => number|null} toRun @returns {Iterable<number>|null} */
export function opsOf({ kind, at }, program, toRun) {
  const name = String(at);
  const where = (/** @type {(op: import("../types.js").OpInfo) => boolean} */ test) =>
    program.ops.filter(test).map(({ id }) => id);
  switch (kind) {
    case "line": {
      const line = toRun(Number(at));
      return line === null ? [] : program.opsAt([line]);
    }
    case "op":
      return where((op) => name === op.opcode || name === op.name);
    case "function":
      return where((op) => program.block(op.block).function === name);
    case "source":
      return where((op) => sourceKey(program, op.id) === name);
    case "scope":
      return opsInScope(name);
    case "finding":
      return [];
    case "differs":
      if (name === ANY) return program.ops.map(({ id }) => id);
      return opsOfValues(program, new Set(valuesAt(program, name)), false);
    default:
      return opsOfValues(program, new Set(valuesAt(program, name.replace(ELEMENT, ""))), kind === "read");
  }
}

/** The ops that compute values or read them; an argument is computed when its block begins, before the first op. @param {Program} program @param {ReadonlySet<number>} values @param {boolean} reads @returns {number[]} */
function opsOfValues(program, values, reads) {
  const ops = program.ops.filter(({ results, operands }) =>
    (reads ? operands : results).some((value) => values.has(value)),
  );
  const begins = reads ? [] : program.blocks.filter((block) => block.arguments.some((value) => values.has(value)));
  return [...ops.map(({ id }) => id), ...begins.flatMap(({ ops: [first] }) => (first === undefined ? [] : [first]))];
}

/** The values called `%12`, or `%12@main` in one function. @param {Program} program @param {string} at @returns {number[]} */
function valuesAt(program, at) {
  const named = (/** @type {string} */ name) =>
    program.values.flatMap((value, id) => (value.name === name ? [id] : []));
  const all = named(at);
  if (all.length > 0) return all;
  const cut = at.lastIndexOf("@");
  return named(at.slice(0, cut)).filter((id) => functionOf(program, id) === at.slice(cut + 1));
}

/** @param {Program} program @param {number} value @returns {string} */
const functionOf = (program, value) => program.block(program.definition(value).block).function;

/** The name of a value as a breakpoint states it, with its function if others have values of that name. @param {Program} program @param {number} value @returns {string} */
export function valueName(program, value) {
  const { name } = program.value(value);
  const own = functionOf(program, value);
  const isShared = valuesAt(program, name).some((other) => functionOf(program, other) !== own);
  return isShared ? `${name}@${own}` : name;
}

/** `line 12`, `op add`, `value %12`. @param {BreakpointInfo} point @returns {string} */
export const titleOf = ({ kind, at }) =>
  kind === "differs" && at === ANY
    ? "any new difference between the runs"
    : `${WORDS[kind]}${kind === "op" ? withoutDialect(String(at)) : at}`;

/** Where a breakpoint on differences stops at every value whose difference its operands do not explain. */
export const ANY = "*";

const WORDS = {
  line: "line ",
  op: "op ",
  function: "function ",
  source: "",
  scope: "scope ",
  finding: "finding ",
  value: "value ",
  read: "reads of ",
  differs: "difference of ",
};
