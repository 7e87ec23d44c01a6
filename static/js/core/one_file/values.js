/**
 * Complete values of the page: all their elements in row-major order.
 *
 * @typedef {{summary: ValueSummary, plane: Plane}} Whole
 */
import { readWindow } from "../api.js";
import { elementAt } from "../tensor/elements.js";
/** @import {ValueSummary} from "../types.js" */
/** @import {Plane} from "../view_types.js" */

/** An invalid request; the message is a sentence for the user. */
export class Refusal extends Error {}

/** The summary and all elements; null if the page does not have them. @param {import("./file_source.js").Table} table @param {string} address @returns {Promise<Whole|null>} */
export async function wholeValue(table, address) {
  const [summary, bytes] = await Promise.all([
    table.json(`values/${address}`),
    table.bytes(`values/${address}/elements`),
  ]);
  const plane = bytes && readWindow(bytes).planes.value;
  return summary && plane ? { summary, plane } : null;
}

/** An element as a number; the magnitude of a complex one. @param {Whole} value @param {number} index @returns {number} */
export function numberAt({ summary, plane }, index) {
  const element = elementAt(plane, summary.wire, index);
  if (typeof element !== "object") return Number(element);
  const size = Math.hypot(element.re, element.im);
  return summary.wire.dtype === "f32" ? Math.fround(size) : size;
}

/** Whether an element, or a part of it, is NaN or infinite. @param {Whole} value @param {number} index @returns {boolean} */
export const isBad = (value, index) => !Number.isFinite(numberAt(value, index));

/** The row-major indices of matching elements. @param {Whole} value @param {(index: number) => boolean} isSo @returns {number[]} */
export function placesOf({ summary }, isSo) {
  const found = [];
  for (let index = 0; index < summary.count; index++) if (isSo(index)) found.push(index);
  return found;
}
