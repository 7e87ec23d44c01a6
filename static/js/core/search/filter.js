/**
 * The filter of lists: words in the name, op, type, scope, file or function of a row, and `nan` for non-finite
 * values.
 *
 * @typedef {{words: string[], nonfinite: boolean}} Filter
 */
import { shortName, sourceName } from "../run/op_names.js";
import { scopes } from "../run/scopes.js";
import { shownName } from "../run/value_names.js";
import { Haystack } from "./haystack.js";
import { wordsOf } from "./query.js";
import { keepLast } from "../kept.js";
/** @import {Program} from "../run/program.js" */

/** @param {string} text @returns {Filter} */
export function parseFilter(text) {
  const all = wordsOf(text);
  const words = all.filter((word) => !/^[+-]?(?:nan|inf)$/u.test(word));
  return { words, nonfinite: words.length < all.length };
}

/** @typedef {{scopes: object|null, ops: Haystack|null, values: Haystack|null, found: Map<string, Uint8Array>}} Kept */
/** @type {WeakMap<Program, Kept>} */
const kept = new WeakMap();

/** Cached filters: those of three lists, and some older ones. */
const MOST_KEPT = 12;

/** The index of a program; rebuilt once its scopes have arrived. @param {Program} program @returns {Kept} */
function keptOf(program) {
  const grouping = scopes();
  const found = kept.get(program);
  if (found && found.scopes === grouping) return found;
  const fresh = { scopes: grouping, ops: null, values: null, found: new Map() };
  kept.set(program, fresh);
  return fresh;
}

/** For each op or value, 1 if it contains all the words. @param {Program} program @param {"ops"|"values"} kind @param {readonly string[]} words @returns {Uint8Array} */
export function matching(program, kind, words) {
  const known = keptOf(program);
  const key = `${kind} ${words.join(" ")}`;
  const already = known.found.get(key);
  if (already) return already;
  const hay = (known[kind] ??= kind === "ops" ? haystackOfOps(program) : haystackOfValues(program));
  const flags = new Uint8Array(hay.count);
  for (const entry of hay.graded(words).flat()) flags[entry] = 1;
  return keepLast(known.found, key, flags, MOST_KEPT);
}

/** @param {Program} program @returns {Haystack} */
const haystackOfOps = (program) => new Haystack(program.ops.length, (op) => textOfOp(program, op));

/** @param {Program} program @param {number} number @returns {string} */
function textOfOp(program, number) {
  const op = program.op(number);
  const results = op.results.map((value) => `${shownName(program, value)} ${typeText(program.value(value))}`);
  return [...results, whereText(program, number)].join(" ");
}

/** The type as the program writes it, and as lists do. @param {import("../types.js").ValueInfo} value @returns {string} */
const typeText = ({ type, shape, elementType }) => `${type} ${shape ? `${elementType}[${shape}]` : ""}`;

/** The name of an op and its position in the user's source. @param {Program} program @param {number} number @returns {string} */
function whereText(program, number) {
  const op = program.op(number);
  const grouping = scopes();
  const scope = grouping?.titles[grouping.ofOp[number] ?? -1] ?? "";
  return `${shortName(op)} ${sourceName(op)} ${scope} ${op.location ?? ""} @${program.block(op.block).function} line ${op.line}`;
}

/** @param {Program} program @returns {Haystack} */
const haystackOfValues = (program) =>
  new Haystack(program.values.length, (value) => {
    const info = program.value(value);
    const { op } = program.definition(value);
    return `${shownName(program, value)} ${info.name} ${typeText(info)} ${op === null ? "argument" : whereText(program, op)}`;
  });
