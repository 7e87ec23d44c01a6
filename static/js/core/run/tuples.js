/**
 * The contents of tuples: paths to elements, and their tensors.
 *
 * @typedef {{path: number[], type: string, isTensor: boolean, elements: TupleElement[]|null}} Element
 */
/** @import {TupleElement} from "../types.js" */

/** @param {TupleElement[]} elements @param {number[]} path where they are @returns {Element[]} */
export const elementsAt = (elements, path) =>
  elements.map((element, number) => ({ ...element, path: [...path, number] }));

/** The first tensors in a tuple, at any depth. @param {TupleElement[]} elements @param {number} most @param {number[]} [path] @returns {Element[]} */
export function firstTensors(elements, most, path = []) {
  /** @type {Element[]} */
  const found = [];
  for (const element of elementsAt(elements, path)) {
    if (found.length >= most) break;
    if (element.isTensor) found.push(element);
    else if (element.elements) found.push(...firstTensors(element.elements, most - found.length, element.path));
  }
  return found;
}

/** The total number of tensors and tokens. @param {TupleElement[]} elements @returns {number} */
export const leafCount = (elements) =>
  elements.reduce((sum, { elements: inner }) => sum + (inner ? leafCount(inner) : 1), 0);

/** The element at a path; null for none. @param {TupleElement[]|null} elements @param {number[]} path @returns {TupleElement|null} */
export function elementOf(elements, path) {
  /** @type {TupleElement|null} */
  let found = null;
  for (const number of path) {
    found = elements?.[number] ?? null;
    elements = found?.elements ?? null;
  }
  return found;
}

/** `{1,0}`, the path of an element as XLA writes it. @param {number[]} path @returns {string} */
export const pathText = (path) => (path.length > 0 ? `{${path.join(",")}}` : "");
