/** The content of tuples as rows of a list: the elements of each open tuple follow it. */
import { signal } from "@preact/signals";
import { leafCount, pathText } from "../../core/run/tuples.js";
import { keptFor } from "../../core/kept.js";
/** @import {TupleElement} from "../../core/types.js" */

/**
 * @typedef {{value: number, address: string|null, elements: TupleElement[], path: number[], name: string}} Inside a tuple
 *   that is a value, or in one
 * @typedef {{kind: "element", value: number, address: string|null, name: string, path: number[], type: string, isTensor: boolean,
 *   elements: TupleElement[]|null, open?: boolean, level: number, group: string, position: number, of: number}} ElementRow
 * @typedef {{kind: "note", text: string, level: number, group: string}} NoteRow
 */
/** @template R @typedef {{count: number, at: (row: number) => R}} Part rows of a list, created when they become visible */

/** Maximum number of tensors in tuples that are open initially. */
const FEW = 24;

/** Tuples that the user opened or closed, by value and path. */
const turned = signal(/** @type {ReadonlyMap<string, boolean>} */ (new Map()));

/** @param {number} value @param {readonly number[]} path @returns {string} */
const keyOf = (value, path) => `${value} ${path.join(",")}`;

/** @param {number} value @param {readonly number[]} path @param {boolean} begins whether it is open until it is closed @returns {boolean} */
export const isOpen = (value, path, begins) => turned.value.get(keyOf(value, path)) ?? begins;

/** @param {number} value @param {readonly number[]} path @param {boolean} open */
export function turn(value, path, open) {
  turned.value = new Map(turned.value).set(keyOf(value, path), open);
}

/** The values (not elements) that were opened. @returns {number[]} */
export const openValues = () =>
  [...turned.value].filter(([key, open]) => open && key.endsWith(" ")).map(([key]) => Number(key));

/** A list with others inserted after some of its rows. @template R @param {Part<R>} part @param {readonly number[]} rows ascending @param {(row: number) => Part<R>[]} inner @returns {Part<R>[]} */
export function insertBehind({ count, at }, rows, inner) {
  const slice = (/** @type {number} */ from, /** @type {number} */ to) => ({
    count: to - from,
    at: (/** @type {number} */ index) => at(from + index),
  });
  const starts = [0, ...rows.map((row) => row + 1)];
  return starts.flatMap((from, part) => {
    const row = rows[part];
    return row === undefined ? [slice(from, count)] : [slice(from, row + 1), ...inner(row)];
  });
}

/** The elements of a tuple, one row each. @param {Inside} inside @param {{level: number, group: string}} where @returns {Part<ElementRow|NoteRow>[]} */
export function elementParts(inside, where) {
  const { elements } = inside;
  if (elements.length === 0) return [{ count: 1, at: () => ({ kind: "note", text: "It has no elements.", ...where }) }];
  const open = tuplesAmong(elements).filter((number) => isElementOpen(inside, number));
  const at = (/** @type {number} */ number) => elementRow(inside, number, where);
  return insertBehind({ count: elements.length, at }, open, (number) =>
    elementParts(innerTuple(inside, number), { ...where, level: where.level + 1 }),
  );
}

/** @param {Inside} inside @param {number} number @returns {boolean} */
function isElementOpen({ value, elements, path }, number) {
  const inner = elements[number]?.elements;
  return inner ? isOpen(value, [...path, number], leaves(inner) <= FEW) : false;
}

/** @param {Inside} inside @param {number} number @returns {Inside} */
const innerTuple = (inside, number) => ({
  ...inside,
  elements: inside.elements[number]?.elements ?? [],
  path: [...inside.path, number],
});

/** @param {Inside} inside @param {number} number @param {{level: number, group: string}} where @returns {ElementRow} */
function elementRow(inside, number, where) {
  const { type, isTensor, elements } = /** @type {TupleElement} */ (inside.elements[number]);
  const path = [...inside.path, number];
  const { value, address, name } = inside;
  const open = elements ? isElementOpen(inside, number) : undefined;
  const place = { position: number + 1, of: inside.elements.length };
  return {
    ...{ kind: "element", value, address, name: `${name}${pathText(path)}`, path, type, isTensor, elements, open },
    ...where,
    ...place,
  };
}

/** @type {(elements: TupleElement[]) => number} */
const leaves = keptFor(leafCount);
const tuplesAmong = keptFor((/** @type {TupleElement[]} */ elements) =>
  elements.flatMap((element, number) => (element.elements ? [number] : [])),
);
