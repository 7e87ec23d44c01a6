/** The rows of Variables: operands and results of the current op, and the other values of its frame. */
import { lowerBound, Stack } from "../../core/prefix_sums.js";
import { latestFirst, localsAt, localsIn, placeInTable, valuesOf } from "../../core/run/locals.js";
import { scopes } from "../../core/run/scopes.js";
import { shownName } from "../../core/run/value_names.js";
import { framesAround } from "../../core/run/values.js";
import { matching } from "../../core/search/filter.js";
import { nonfinite } from "../../core/search/nonfinite.js";
import * as store from "../../core/store.js";
import { elementParts, insertBehind, isOpen, openValues } from "./tuples.js";
import { addTo, keptFor } from "../../core/kept.js";
/** @import {Program} from "../../core/run/program.js" */
/** @import {ValueRow} from "./value_row.js" */

/**
 * @typedef {{kind: "title", title: string, group: string, open: boolean, values: number, level: number, position: number, of: number}} TitleRow
 * @typedef {TitleRow|ValueRow|import("./tuples.js").ElementRow|import("./tuples.js").NoteRow} VariableRow
 * @typedef {{title: string, count: number, at: (index: number) => number, rowOf: (value: number) => number}} Group values by number
 */

/** The options of the list; `by`: the grouping of the other values. @typedef {{filter: import("../../core/search/filter.js").Filter, by: string}} Shown */

/** @param {Shown} shown @param {(group: string) => boolean} isFolded @returns {Stack<import("./tuples.js").Part<VariableRow>>} */
export function variableRows(shown, isFolded) {
  const groups = groupsHere(shown).filter(({ count }) => count > 0);
  return new Stack(
    groups.flatMap((group, number) => [
      titlePart(group, !isFolded(group.title), { position: number + 1, of: groups.length }),
      ...(isFolded(group.title) ? [] : valueParts(group)),
    ]),
  );
}

/** @param {Shown} shown @returns {Group[]} */
function groupsHere({ filter, by }) {
  const program = store.program.value;
  if (program === null) return [];
  const op = store.calmOp.value;
  const { operands, results } = op === null ? { operands: [], results: [] } : program.op(op);
  const passes = valueFilter(program, filter);
  const mentioned = new Set([...operands, ...results]);
  return [
    listGroup("Operands", [...new Set(operands)].filter(passes)),
    listGroup("Results", results.filter(passes)),
    ...(by === "function" ? frameGroups(mentioned, filter) : localGroups(mentioned, { filter, by })),
  ];
}

/** @param {Program} program @param {import("../../core/search/filter.js").Filter} filter @returns {(value: number) => boolean} */
function valueFilter(program, filter) {
  const fits = matching(program, "values", filter.words);
  const addresses = filter.nonfinite ? nonfinite().addresses : null;
  return (value) =>
    fits[value] === 1 &&
    (addresses === null || addresses.has(store.locate(value, store.calmPosition.value)?.address ?? ""));
}

/** @param {string} title @param {number[]} values @returns {Group} */
const listGroup = (title, values) => ({
  ...{ title, count: values.length },
  at: (index) => /** @type {number} */ (values[index]),
  rowOf: (value) => values.indexOf(value),
});

/** The other values of the frame. @param {ReadonlySet<number>} mentioned @param {Shown} shown @returns {Group[]} */
function localGroups(mentioned, { filter, by }) {
  const groups = store.atPosition((outline, at, program) => {
    const locals = localsAt(outline, program, at);
    const frame = framesAround(outline, at)[0] ?? 0;
    const title = store.calmOp.value === null ? "Values of the program" : "Locals";
    if (by !== "scope" || !scopes()?.titles.length)
      return [localGroup(title, program, locals, chosenPlaces(program, locals, frame, filter), mentioned)];
    const places = chosenPlaces(program, locals, frame, filter);
    return scopeGroups(program, locals.block, places).map(({ title: scope, places: some }) =>
      localGroup(scope, program, locals, some, mentioned),
    );
  }, store.calmPosition.value);
  return groups ?? [];
}

/** The values of each frame around the position, the innermost first. @param {ReadonlySet<number>} mentioned @param {import("../../core/search/filter.js").Filter} filter @returns {Group[]} */
function frameGroups(mentioned, filter) {
  const groups = store.atPosition((outline, at, program) => {
    let step = at;
    return framesAround(outline, at).map((frame, depth) => {
      const locals = localsIn(outline, program, frame, step);
      step = outline.opener(frame);
      const name = `@${program.block(locals.block).function}${depth > 0 ? "" : ", here"}`;
      const title = depth > 0 ? `${name}, ${depth} out` : name;
      return localGroup(title, program, locals, chosenPlaces(program, locals, frame, filter), mentioned);
    });
  }, store.calmPosition.value);
  return groups ?? [];
}

/** @param {string} title @param {Program} program @param {import("../../core/run/locals.js").Locals} locals @param {Uint32Array|null} chosen @param {ReadonlySet<number>} mentioned @returns {Group} */
function localGroup(title, program, locals, chosen, mentioned) {
  const place = (/** @type {number} */ value) => placeInTable(program, value);
  const here = (/** @type {number} */ value) =>
    program.definition(value).block === locals.block && place(value) < locals.known;
  const { count, at, rowOf } = latestFirst(locals, chosen, [...mentioned].filter(here), place);
  const isListed = (/** @type {number} */ value) =>
    here(value) && !mentioned.has(value) && (!chosen || chosen[lowerBound(chosen, place(value))] === place(value));
  return { title, count, at, rowOf: (value) => (isListed(value) ? rowOf(place(value)) : -1) };
}

/** @param {Group} group @param {boolean} open @param {{position: number, of: number}} place @returns {import("./tuples.js").Part<VariableRow>} */
const titlePart = ({ title, count }, open, place) => ({
  count: 1,
  at: () => ({ kind: "title", title, group: title, open, values: count, level: 1, ...place }),
});

/** @param {Group} group @returns {import("./tuples.js").Part<VariableRow>[]} */
function valueParts(group) {
  const { count, at, title, rowOf } = group;
  const opened = openValues()
    .map(rowOf)
    .filter((row) => row >= 0)
    .sort((a, b) => a - b);
  const part = {
    count,
    at: (/** @type {number} */ index) => rowOfValue(at(index), title, { position: index + 1, of: count }),
  };
  return insertBehind(/** @type {import("./tuples.js").Part<VariableRow>} */ (part), opened, (row) =>
    inside(at(row), title),
  );
}

/** @param {number} value @param {string} group @returns {import("./tuples.js").Part<VariableRow>[]} */
function inside(value, group) {
  const program = /** @type {Program} */ (store.program.value);
  const name = shownName(program, value);
  const { elements } = program.value(value);
  const tuple = {
    value,
    address: store.locate(value, store.calmPosition.value)?.address ?? null,
    elements: elements ?? [],
    path: [],
    name,
  };
  return elements ? elementParts(tuple, { level: 3, group }) : [];
}

/** @param {number} value @param {string} group @param {{position: number, of: number}} place @returns {ValueRow} */
function rowOfValue(value, group, place) {
  const program = /** @type {Program} */ (store.program.value);
  const name = shownName(program, value);
  const { type, layout, elements, shape } = program.value(value);
  const address = store.locate(value, store.calmPosition.value)?.address ?? null;
  const open = elements ? isOpen(value, [], false) : undefined;
  const told = { name, type, layout, elements, isTensor: shape !== null };
  return { kind: "value", value, address, path: [], ...told, open, level: 2, group, ...place };
}

/** @typedef {{title: string, places: Uint32Array}} ScopePlaces */

/** By block, of the flags of a filter. @type {(fits: Uint8Array) => Map<number, Uint32Array>} */
const filtered = keptFor(() => new Map());
/** @type {WeakMap<Uint32Array, ScopePlaces[]>} */
const grouped = new WeakMap();

/** The matching indices in the table of values, ascending; null: all. @param {Program} program @param {import("../../core/run/locals.js").Locals} locals @param {number} frame @param {import("../../core/search/filter.js").Filter} filter @returns {Uint32Array|null} */
function chosenPlaces(program, { block, table }, frame, { words, nonfinite: isBad }) {
  const places = words.length > 0 ? placesThatFit(program, block, words) : null;
  if (!isBad) return places;
  const bad = badPlaces(program, table, frame);
  return (places ?? Uint32Array.from(table.values.keys())).filter((place) => bad.has(place));
}

/** @param {Program} program @param {number} block @param {readonly string[]} words @returns {Uint32Array} */
function placesThatFit(program, block, words) {
  const fits = matching(program, "values", words);
  const byBlock = filtered(fits);
  const { values } = valuesOf(program, block);
  const found = byBlock.get(block) ?? Uint32Array.from(values.keys()).filter((place) => fits[values[place] ?? 0] === 1);
  byBlock.set(block, found);
  return found;
}

/** Indices of non-finite values that the frame produced or received. @param {Program} program @param {import("../../core/run/locals.js").BlockValues} table @param {number} frame @returns {Set<number>} */
function badPlaces(program, { values }, frame) {
  const places = new Map([...values].map((value, place) => [value, place]));
  const outline = store.outline.value;
  const isHere = (/** @type {number|null} */ step) =>
    store.whereHere(() => (step === null ? frame === 0 : outline.frame(step) === frame)) ?? false;
  const here = nonfinite().hits.filter(({ value, step }) => places.has(value) && isHere(step));
  return new Set(here.map(({ value }) => places.get(value) ?? -1));
}

/** The values of a block by the scopes of their ops, in program order. @param {Program} program @param {number} block @param {Uint32Array|null} chosen @returns {ScopePlaces[]} */
function scopeGroups(program, block, chosen) {
  const { values } = valuesOf(program, block);
  const places = chosen ?? values;
  const already = grouped.get(places);
  if (already) return already;
  /** @type {Map<string, number[]>} */
  const found = new Map();
  for (const place of chosen ?? values.keys()) addTo(found, scopeOfValue(program, values[place] ?? 0), place);
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
