/**
 * Predicates of the search over values: see engine/debugger/value_search.py. A predicate returns the number of
 * matching elements and the first one, or null for none.
 *
 * @typedef {{count: number, first: number}} Found
 * @typedef {(value: Whole) => Found|null} Predicate
 */
import { elementAt, kindOf, roundingOf } from "../tensor/elements.js";
import { placesOf, Refusal } from "./values.js";
/** @import {Whole} from "./values.js" */

/** @param {URLSearchParams} query @returns {Predicate} */
export function parsePredicate(query) {
  const said = (/** @type {string} */ name) => query.get(name) ?? "";
  switch (said("find")) {
    case "nan":
      return elements((part) => Number.isNaN(part), "some");
    case "inf":
      return elements((part) => Math.abs(part) === Infinity, "some");
    case "nonfinite":
      return elements((part) => !Number.isFinite(part), "some");
    case "equal":
      return constant(false);
    case "zero":
      return constant(true);
    case "range":
      return within(said("low"), said("high"));
    case "number":
      return near(said("number"), said("tolerance"));
    default:
      return ({ summary: { count } }) => ({ count: Math.max(1, count), first: 0 });
  }
}

/** The numbers of an element: both parts of a complex one. @param {Whole} value @param {number} index @returns {number[]} */
function partsAt({ summary, plane }, index) {
  const element = elementAt(plane, summary.wire, index);
  return typeof element === "object" ? [element.re, element.im] : [Number(element)];
}

/** @param {(part: number) => boolean} isSo @param {"some"|"every"} many of the parts of a complex element @returns {Predicate} */
const elements = (isSo, many) => (value) => foundIn(value, (index) => partsAt(value, index)[many](isSo));

/** @param {Whole} value @param {(index: number) => boolean} isSo @returns {Found|null} */
function foundIn(value, isSo) {
  const places = placesOf(value, isSo);
  return places.length > 0 ? { count: places.length, first: places[0] ?? 0 } : null;
}

/** All elements are equal; with `zero`, all are zero. @param {boolean} zero @returns {Predicate} */
const constant = (zero) => (value) => {
  const { count } = value.summary;
  const first = count > 0 ? partsAt(value, 0) : null;
  if (first === null) return null;
  const isSo = (/** @type {number} */ index) =>
    partsAt(value, index).every((part, at) => isSame(part, zero ? 0 : first[at]));
  return placesOf(value, isSo).length === count ? { count, first: 0 } : null;
};

/** Whether two numbers are equal or both NaN. @param {number} one @param {number|undefined} other */
const isSame = (one, other) => one === other || (Number.isNaN(one) && Number.isNaN(other));

/** @param {string} low @param {string} high @returns {Predicate} */
function within(low, high) {
  const bounds = [numberOf(low || "-inf"), numberOf(high || "inf")];
  const [least = 0, most = 0] = bounds;
  if (least > most) throw new Refusal(`No number lies between ${low} and ${high}: the first is the larger.`);
  return (value) =>
    value.summary.wire.components === 2
      ? null
      : foundIn(value, (index) => partsAt(value, index).every((part) => part >= least && part <= most));
}

/** @param {string} said @param {string} tolerance @returns {Predicate} */
function near(said, tolerance) {
  const [wanted, around] = [numberOf(said), numberOf(tolerance || "0")];
  if (!(Number.isFinite(around) && around >= 0))
    throw new Refusal(`${tolerance} is not a tolerance; it is a number, 0 or more.`);
  return (value) => {
    const number = around > 0 ? wanted : rounded(wanted, value);
    const distance = (/** @type {number[]} */ [re = 0, im = 0]) => Math.hypot(re - number, im);
    return foundIn(value, (index) => {
      const parts = partsAt(value, index);
      return around > 0 ? distance(parts) <= around : parts[0] === number && (parts[1] ?? 0) === 0;
    });
  };
}

/** Round a number to the type of the value. @param {number} number @param {Whole} value @returns {number} */
function rounded(number, { summary: { elementType, wire } }) {
  if (kindOf(elementType, wire) === "integer") return number;
  const round = roundingOf(elementType === "f64" || wire.dtype === "f64" ? "f64" : elementType);
  return round === null ? number : round(number);
}

/** @param {string} text @returns {number} */
function numberOf(text) {
  const said = text.trim().toLowerCase();
  const infinite = /^([+-]?)inf(inity)?$/.exec(said);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  if (/^[+-]?nan$/.test(said)) throw new Refusal("NaN equals no number: search for “has NaN” instead.");
  const found = /^[+-]?(\d[\d_]*\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(said) ? Number(said.replaceAll("_", "")) : NaN;
  if (Number.isNaN(found)) throw new Refusal(`“${text}” is not a number.`);
  return found;
}
