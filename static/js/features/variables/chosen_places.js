/** Which values of a block pass a filter, and which belong to a scope: found once, for all steps in it. */
import { valuesOf } from "../../core/run/locals.js";
import { scopes } from "../../core/run/scopes.js";
import * as store from "../../core/store.js";
import { matching } from "../../core/search/filter.js";
import { nonfinite } from "../../core/search/nonfinite.js";

/**
 * @typedef {import("../../core/run/program.js").Program} Program
 * @typedef {{title: string, places: Uint32Array}} ScopePlaces
 */

/** @type {WeakMap<Uint8Array, Map<number, Uint32Array>>} */
const filtered = new WeakMap();
/** @type {WeakMap<Uint32Array, ScopePlaces[]>} */
const grouped = new WeakMap();

/** The places in the table of values that pass, ascending; null: all. @param {Program} program @param {import("../../core/run/locals.js").Locals} locals @param {number} frame @param {import("../../core/search/filter.js").Filter} filter @returns {Uint32Array|null} */
export function chosenPlaces(program, { block, table }, frame, { words, nonfinite: isBad }) {
  const places = words.length > 0 ? placesThatFit(program, block, words) : null;
  if (!isBad) return places;
  const bad = badPlaces(program, table, frame);
  return (places ?? Uint32Array.from(table.values.keys())).filter((place) => bad.has(place));
}

/** @param {Program} program @param {number} block @param {readonly string[]} words @returns {Uint32Array} */
function placesThatFit(program, block, words) {
  const fits = matching(program, "values", words);
  const byBlock = filtered.get(fits) ?? new Map();
  filtered.set(fits, byBlock);
  const { values } = valuesOf(program, block);
  const found = byBlock.get(block) ?? Uint32Array.from(values.keys()).filter((place) => fits[values[place] ?? 0] === 1);
  byBlock.set(block, found);
  return found;
}

/** Places of values that the frame made, or was given, and that are not finite. @param {Program} program @param {import("../../core/run/locals.js").BlockValues} table @param {number} frame @returns {Set<number>} */
function badPlaces(program, { values }, frame) {
  const places = new Map([...values].map((value, place) => [value, place]));
  const outline = store.outline.value;
  const isHere = (/** @type {number|null} */ step) =>
    store.whereHere(() => (step === null ? frame === 0 : outline.frame(step) === frame)) ?? false;
  const here = nonfinite().hits.filter(({ value, step }) => places.has(value) && isHere(step));
  return new Set(here.map(({ value }) => places.get(value) ?? -1));
}

/** The values of a block by the scopes of the ops that made them, in the order of the program. @param {Program} program @param {number} block @param {Uint32Array|null} chosen @returns {ScopePlaces[]} */
export function scopeGroups(program, block, chosen) {
  const { values } = valuesOf(program, block);
  const places = chosen ?? values;
  const already = grouped.get(places);
  if (already) return already;
  /** @type {Map<string, number[]>} */
  const found = new Map();
  for (const place of chosen ?? values.keys()) {
    const title = scopeOfValue(program, values[place] ?? 0);
    const some = found.get(title);
    if (some) some.push(place);
    else found.set(title, [place]);
  }
  const groups = [...found].map(([title, list]) => ({ title, places: Uint32Array.from(list) }));
  grouped.set(places, groups);
  return groups;
}

/** @param {Program} program @param {number} value @returns {string} */
function scopeOfValue(program, value) {
  const { op } = program.definition(value);
  if (op === null) return "Arguments";
  const grouping = scopes();
  return grouping?.titles[grouping.ofOp[op] ?? -1] ?? "no scope";
}
