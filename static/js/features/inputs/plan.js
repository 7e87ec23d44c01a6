/**
 * The planned value of each argument and of each result of outside code. Plain data.
 *
 * @typedef {import("../../core/types.js").Wanted} Wanted  literal: the type as MLIR spells it
 * @typedef {Wanted & {location: string|null, input: InputSpec}} Planned
 * @typedef {{name: string, file: string, arrays: FileArray[], matches: Match[]}} Upload
 * @typedef {import("../../core/types.js").FileMatch} Match  replica, partition: of an array for one process
 */

import { inWay, processesOf, withSpec } from "./distribution.js";
import { counted } from "../../core/tensor/elements.js";
/** @import {FileArray, InputSpec} from "../../core/types.js" */

/** Generated values, with their labels. */
const GENERATED = /** @type {const} */ ([
  ["normal", "normal"],
  ["uniform", "uniform"],
  ["zeros", "zeros"],
  ["ones", "ones"],
  ["iota", "iota (0, 1, 2, …)"],
]);

/** Whether random numbers of a type are normal or uniform, and take a factor: integers are from 0 to 9. @param {string} type */
export const isDistributed = (type) => /(^|[<x])(b?f\d|tf32|complex|c\d)/i.test(type) && !/f8e8m0fnu/i.test(type);

/** The generated values of a type. @param {string} type @returns {(readonly [string, string])[]} */
export const generatedFor = (type) =>
  isDistributed(type) ? [...GENERATED] : [["normal", "random"], ...GENERATED.slice(2)];

/** @param {string} kind @returns {Extract<InputSpec, {seed: number}>} */
export const defaultSpec = (kind) => ({ kind: /** @type {any} */ (kind), seed: 0 });

/** Keep inputs of the previous run for arguments with the same name, type and op. @param {Wanted[]} wanted @param {import("../../core/types.js").Argument[]} before @returns {Planned[]} */
export function planFor(wanted, before) {
  // Names may repeat in other functions: each is used once, in order.
  /** @type {Map<string, import("../../core/types.js").Argument[]>} */
  const left = new Map();
  for (const known of before) {
    if (!left.get(kind(known))?.push(known)) left.set(kind(known), [known]);
  }
  return wanted.map((item) => {
    const known = left.get(kind(item))?.shift();
    const input = known?.input ?? (item.outside ? { kind: "stop" } : defaultSpec("normal"));
    return { ...item, location: known?.location ?? null, input };
  });
}

/** Rows of the same kind match each other. @param {Wanted} row @returns {string} */
const kind = ({ name, type, outside }) => JSON.stringify([name, type, outside?.maker]);

/** @param {Wanted} one @param {Wanted} other @returns {boolean} */
const isSame = (one, other) => kind(one) === kind(other);

/** The row for an input of a run: that of the same op, else a similar one. @param {Wanted[]} planned @param {Wanted|null} row @returns {number} */
export function placeOf(planned, row) {
  if (row === null) return -1;
  const same = planned.findIndex((item) => isSame(item, row) && item.outside?.op === row.outside?.op);
  return same < 0 ? planned.findIndex((item) => isSame(item, row)) : same;
}

/** Set the input of one row. An op gets all of its results or none. @param {Planned[]} planned @param {number} at @param {InputSpec} input @returns {Planned[]} */
export function replaceInput(planned, at, input) {
  const op = planned[at]?.outside?.op;
  const stops = input.kind === "stop";
  return planned.map((item, other) => {
    if (other === at) return { ...item, input };
    if (op === undefined || item.outside?.op !== op || stops === (item.input.kind === "stop")) return item;
    return { ...item, input: stops ? { kind: "stop" } : defaultSpec("normal") };
  });
}

/** Use the arrays of a file for all arguments that match one. @param {Planned[]} planned @param {Upload} upload @param {import("../../core/types.js").GridSize} [grid] @returns {Planned[]} */
export const fromFile = (planned, { file, matches }, grid = { replicas: 1, partitions: 1 }) =>
  matches.reduce((rows, match) => {
    const row = rows[match.argument];
    if (!row) return rows;
    /** @type {import("../../core/types.js").ValueSpec} */
    const spec = { kind: "file", file, array: match.array };
    if (match.replica === undefined || match.partition === undefined) return replaceInput(rows, match.argument, spec);
    const each = row.input.kind === "each" ? row.input : inWay("each", row.input, processesOf(grid));
    if (each.kind !== "each" || match.replica >= grid.replicas || match.partition >= grid.partitions) return rows;
    return replaceInput(rows, match.argument, withSpec(each, match.replica * grid.partitions + match.partition, spec));
  }, planned);

/** The used and unused arrays of the file, as sentences. @param {Planned[]} planned @param {Upload} upload @returns {string[]} */
export function matchSentences(planned, { name, arrays, matches }) {
  const wanted = planned.map((item, at) => ({ ...item, at })).filter(({ outside, type }) => !outside && !isToken(type));
  const fed = new Set(matches.map(({ argument }) => argument));
  const used = new Set(matches.map(({ array }) => array));
  const missing = wanted.filter(({ at }) => !fed.has(at)).map((item) => item.name);
  const spare = arrays.filter((array) => !used.has(array.name)).map((array) => array.name);
  return [
    `${name} has ${counted(arrays.length, "array")}; ${fed.size} of ${wanted.length} inputs are loaded from it.`,
    ...(missing.length
      ? [
          `No array matches ${missing.join(", ")}: its source is unchanged. Name arrays in_0, in_1, … or as the arguments.`,
        ]
      : []),
    ...(spare.length ? [`Not used: ${spare.join(", ")}.`] : []),
  ];
}

/** A token needs no value. @param {string} type @returns {boolean} */
export const isToken = (type) => type === "!stablehlo.token" || type === "token[]";

/** A program with only this literal: its diagnostics are those of the literal. @param {string} text @param {string} type @returns {string} */
export function literalProgram(text, type) {
  const trimmed = text.trim();
  const literal = /^dense\b/.test(trimmed) ? trimmed.replace(/\s*:\s*tensor<[^>]*>+\s*$/, "") : `dense<${trimmed}>`;
  return `func.func @main() -> ${type} {\n  %0 = stablehlo.constant ${literal} : ${type}\n  return %0 : ${type}\n}\n`;
}
