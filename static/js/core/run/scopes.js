/**
 * Groups of ops: by the scope that the framework named, `jit(f)/attention`, or by function.
 *
 * @typedef {{titles: string[], ofOp: Int32Array}} Grouping for each op the index of its title, or -1
 * @typedef {{names: string[], ops: number[]}} ScopedNames for each op the number of its name, or -1
 */
import { signal } from "@preact/signals";
import { AnswerCache } from "../answers.js";
import { getJson, recordingPath } from "../api.js";
import * as store from "../store.js";
import { keptFor } from "../kept.js";
/** @import {Program} from "./program.js" */

const arrivals = signal(0);
/** @type {AnswerCache<ScopedNames>} */
const answers = new AnswerCache(4, { arrivals, asksAgain: true });

/** Of the shown program. */
const byScope = keptFor((/** @type {ScopedNames} */ names) => groupByScope(names, store.program.value?.blocks ?? []));

/** The names of the program's ops; null while the first reader's request is pending. @returns {ScopedNames|null} */
export function opNames() {
  arrivals.value;
  const key = store.recordingKey.value;
  const names =
    key === null
      ? undefined
      : answers.read(key, async () => readNames(await getJson(`${recordingPath(key)}/op-names`)));
  return names === undefined || names instanceof Error ? null : names;
}

/** The names of an answer in full. @param {import("../types.js").OpNames} sent @returns {ScopedNames} */
export function readNames({ shared, rests, ops }) {
  let name = "";
  return { names: rests.map((rest, at) => (name = name.slice(0, shared[at]) + rest)), ops };
}

/** The scopes of the program's ops; null while the first reader's request is pending. @returns {Grouping|null} */
export function scopes() {
  const names = opNames();
  return names && byScope(names);
}

/** The ops of a scope and of the scopes in it; null while the names are loading. @param {string} scope @returns {number[]|null} */
export function opsInScope(scope) {
  const found = opNames();
  if (found === null) return null;
  const isInside = found.names.map((name) => `${name}/`.startsWith(`${scope}/`));
  return found.ops.flatMap((name, op) => (isInside[name] ? [op] : []));
}

/** The last op of a block returns and mostly has no name: it joins the op before it. @param {ScopedNames} names @param {readonly Pick<import("../types.js").BlockInfo, "ops">[]} blocks @returns {Grouping} */
export function groupByScope({ names, ops }, blocks) {
  const scopeOfName = names.map(scopeOf);
  const titles = [...new Set(scopeOfName)].filter((scope) => scope !== "");
  const numbers = new Map(titles.map((title, number) => [title, number]));
  const ofOp = Int32Array.from(ops, (name) => numbers.get(scopeOfName[name] ?? "") ?? -1);
  for (const { ops: inside } of blocks) {
    const [before, last] = inside.slice(-2);
    if (before !== undefined && last !== undefined && ofOp[last] === -1) ofOp[last] = ofOp[before] ?? -1;
  }
  return { titles, ofOp };
}

/** The common prefix of all titles, which is omitted: `jit(step)/`. @param {readonly string[]} titles @returns {string} */
export function commonHead(titles) {
  const head = /^[^/(]*(?:\([^()]*\))?\//u.exec(titles.find((title) => title.includes("/")) ?? "")?.[0] ?? "";
  return titles.every((title) => `${title}/`.startsWith(head)) ? head : "";
}

/** @param {string} title @param {readonly string[]} titles @returns {string} */
export function shortTitle(title, titles) {
  const head = commonHead(titles);
  return title.startsWith(head) ? title.slice(head.length) : title;
}

/** The name without its last part; slashes in parentheses do not separate. @param {string} name @returns {string} */
export function scopeOf(name) {
  let [depth, last] = [0, 0];
  for (let at = 0; at < name.length; at++) {
    const character = name[at];
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === "/" && depth === 0) last = at;
  }
  return name.slice(0, last);
}

/** @type {(program: Program) => Grouping} */
export const functions = keptFor((program) => {
  const titles = [...new Set(program.blocks.map(({ function: name }) => name))];
  const numbers = new Map(titles.map((title, number) => [title, number]));
  const ofBlock = program.blocks.map(({ function: name }) => numbers.get(name) ?? -1);
  return { titles, ofOp: Int32Array.from(program.ops, ({ block }) => ofBlock[block] ?? -1) };
});
