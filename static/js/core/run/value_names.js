/**
 * What a value is called where one reads it: an argument by the name that the user's own code gives it, as far as the
 * program says so (`loc("params['b1']")`, `op_name="params['b1']"`), any other value as in the text.
 */
/** @import {Program} from "./program.js" */

/** Names that say nothing; others in MLIR's text are somebody's choice. */
const NUMBERED = /^%(?:arg)?\d+$/;

/** @type {WeakMap<Program, ReadonlyMap<number, string>>} */
const known = new WeakMap();

/** `params['h'][11]["w"]` as a name: `%params.h.11.w`. @param {string} label @returns {string} */
export const nameFromLabel = (label) =>
  `%${label
    .replaceAll(/\[\\?['"]?([^\]'"\\]*)\\?['"]?\]/g, ".$1")
    .replaceAll(/\s+/g, "_")
    .replace(/^\.+/, "")}`;

/** Of values that have a name of their own besides that in the text. @param {Program} program @returns {ReadonlyMap<number, string>} */
export function shownNames(program) {
  const found = known.get(program) ?? findNames(program);
  known.set(program, found);
  return found;
}

/** @param {Program} program @param {number} value @returns {string} */
export const shownName = (program, value) => shownNames(program).get(value) ?? program.value(value).name;

/** @param {Program} program @returns {ReadonlyMap<number, string>} */
function findNames(program) {
  /** @type {Map<number, string>} */
  const names = new Map();
  for (const { block } of program.functions) {
    const candidates = program.block(block).arguments.flatMap((value) => {
      const label = program.argumentNames[String(value)];
      const { name } = program.value(value);
      const says = label && (program.language === "hlo" || NUMBERED.test(name));
      return says ? [{ value, name, shown: nameFromLabel(label) }] : [];
    });
    if (candidates.length === 0) continue;
    const taken = countNames(program, block, candidates);
    for (const { value, name, shown } of candidates)
      if (shown !== name && shown.length > 1 && taken.get(shown) === 1) names.set(value, shown);
  }
  return names;
}

/** How many values of a function would have each name. @param {Program} program @param {number} block the function's @param {{value: number, name: string, shown: string}[]} candidates @returns {Map<string, number>} */
function countNames(program, block, candidates) {
  const shown = new Map(candidates.map((candidate) => [candidate.value, candidate.shown]));
  const counts = new Map();
  const inFunction = program.block(block).function;
  for (const { id, function: name } of program.blocks) {
    if (name !== inFunction) continue;
    for (const [own, value] of program.namesOf(id)) {
      const called = shown.get(value) ?? own;
      counts.set(called, (counts.get(called) ?? 0) + 1);
    }
  }
  return counts;
}

/**
 * The same by name, for each function where there are any: between which offsets of the text they hold.
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

/** HLO text may leave the percent sign out. @param {Map<string, string>} names @param {string} name @param {string} shown @param {string} language */
function addSpellings(names, name, shown, language) {
  names.set(name, shown);
  if (language === "hlo") names.set(name.replace(/^%/, ""), shown.replace(/^%/, ""));
}
