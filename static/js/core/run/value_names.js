/**
 * Names of values for readers: an argument by its name in the user's code, if the program states it
 * (`loc("params['b1']")`, `op_name="params['b1']"`), any other value as in the text. engine/argument_names.py finds them.
 */
import { keptFor } from "../kept.js";
/** @import {Program} from "./program.js" */

/** Values whose name differs from the text. @type {(program: Program) => ReadonlyMap<number, string>} */
export const shownNames = keptFor(
  ({ argumentNames }) => new Map(Object.entries(argumentNames).map(([value, name]) => [Number(value), name])),
);

/** @param {Program} program @param {number} value @returns {string} */
export const shownName = (program, value) => shownNames(program).get(value) ?? program.value(value).name;

/**
 * A sentence of the engine, which names values as the text does, with the names that the page shows.
 *
 * @param {Program} program @param {string} sentence @param {string} within the function whose values it names @returns {string}
 */
export function inShownNames(program, sentence, within) {
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const [value, shown] of shownNames(program)) {
    const { name } = program.value(value);
    const inFunction = program.block(program.definition(value).block).function;
    if (inFunction === within) names.set(name.startsWith("%") ? name : `%${name}`, shown);
  }
  return names.size === 0 ? sentence : sentence.replaceAll(/%[\w$.-]*[\w$]/g, (name) => names.get(name) ?? name);
}

/**
 * An answer of the server with the names that the page shows, in place of those of the text: of objects that state their
 * `value`, and in texts about a function.
 *
 * @template T @param {Program|null} program @param {T} answer @param {number} [op] an op of the function that the texts are about @returns {T}
 */
export function asShown(program, answer, op) {
  if (!program || shownNames(program).size === 0) return answer;
  const within = op === undefined ? "" : program.block(program.op(op).block).function;
  /** @param {any} part @returns {any} */
  const visit = (part) => {
    if (typeof part === "string") return within ? inShownNames(program, part, within) : part;
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part)) return part.map(visit);
    const found = Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, visit(inner)]));
    const shown = part.name && shownNames(program).get(part.value);
    if (shown) found.name = shown + part.name.slice(program.value(part.value).name.length);
    return found;
  };
  return visit(answer);
}

/**
 * By name, the offsets of the text between which each name holds, for each function that has any.
 *
 * @param {Program} program @returns {{from: number, to: number, names: ReadonlyMap<string, string>}[]}
 */
export function shownNamesByFunction(program) {
  const shown = shownNames(program);
  return program.functions.flatMap(({ block, from, to }) => {
    /** @type {Map<string, string>} */
    const names = new Map();
    for (const value of program.block(block).arguments) {
      const name = shown.get(value);
      if (name !== undefined) addSpellings(names, program.value(value).name, name, program.language);
    }
    return names.size > 0 ? [{ from, to, names }] : [];
  });
}

/** HLO text may omit the percent sign. @param {Map<string, string>} names @param {string} name @param {string} shown @param {string} language */
function addSpellings(names, name, shown, language) {
  names.set(name, shown);
  if (language === "hlo") names.set(name.replace(/^%/, ""), shown.replace(/^%/, ""));
}
