/** Compare one value across processes, as app/present/comparison.py does: bit by bit, with all NaNs equal. */
import { elementOf as indexOf } from "../tensor/axes.js";
import { elementAt } from "../tensor/elements.js";
/** @import {Element} from "../tensor/elements.js" */
/** @import {Whole} from "./values.js" */

/** @param {Whole[]} values @returns {import("../types.js").Comparison} */
export function compareValues(values) {
  /** @type {number[][]} */
  const groups = [];
  values.forEach((value, number) => {
    const group = groups.find(([first = 0]) => differences(/** @type {Whole} */ (values[first]), value)?.length === 0);
    if (group) group.push(number);
    else groups.push([number]);
  });
  return {
    groups,
    pairs: values.map((value, number) => pairOf(/** @type {Whole} */ (values[0]), value, number)),
    shapes: values.map(({ summary }) => summary.shape),
  };
}

/** The elements that differ; null if the types differ. @param {Whole} one @param {Whole} other @returns {number[]|null} */
function differences(one, other) {
  if (one.summary.elementType !== other.summary.elementType) return null;
  if (String(one.summary.shape) !== String(other.summary.shape)) return null;
  /** @type {number[]} */
  const found = [];
  const { components } = one.summary.wire;
  for (let at = 0; at < one.plane.length; at++) {
    const place = Math.floor(at / components);
    if (!Object.is(one.plane[at], other.plane[at]) && found.at(-1) !== place) found.push(place);
  }
  return found;
}

/** @param {Whole} first @param {Whole} other @param {number} index @returns {import("../types.js").ValuePair} */
function pairOf(first, other, index) {
  const different = differences(first, other);
  const of = other.summary.count;
  if (different === null) return { index, different: null, of, largest: null, first: null };
  const [place] = different;
  if (place === undefined) return { index, different: 0, of, largest: 0, first: null };
  const elementOf = (/** @type {Whole} */ { plane, summary }, /** @type {number} */ at) =>
    elementAt(plane, summary.wire, at);
  const distances = different.map((at) => distanceOf(elementOf(first, at), elementOf(other, at)));
  const largest = distances.reduce((most, each) => Math.max(most, each), 0);
  return {
    index,
    different: different.length,
    of,
    largest: Number.isNaN(largest) ? null : Number.isFinite(largest) ? largest : String(largest),
    first: indexOf(other.summary.shape, place),
  };
}

/** @param {Element} a @param {Element} b @returns {number} */
export function distanceOf(a, b) {
  if (typeof a === "object" && typeof b === "object")
    return a.re === b.re && a.im === b.im ? 0 : Math.hypot(a.re - b.re, a.im - b.im);
  if (typeof a === "bigint" && typeof b === "bigint") return Number(a > b ? a - b : b - a);
  return a === b ? 0 : Math.abs(Number(a) - Number(b));
}

/** The joint range of several values, from their statistics. @param {import("../types.js").ValueSummary[]} summaries @returns {import("../types.js").JointRange} */
export function jointRange(summaries) {
  const known = summaries.flatMap(({ statistics }) => (statistics ? [statistics] : []));
  const sum = (/** @type {"nan"|"posinf"|"neginf"} */ name) => known.reduce((all, one) => all + one[name], 0);
  /** An end of the range; large integers arrive as text. @param {"min"|"max"} name @param {(a: number, b: number) => boolean} isFurther */
  const end = (name, isFurther) =>
    known
      .map((one) => one[name])
      .filter((value) => !Number.isNaN(Number(value)))
      .reduce(
        (best, value) => (best === "NaN" || isFurther(Number(value), Number(best)) ? value : best),
        /** @type {number|string} */ ("NaN"),
      );
  return {
    min: end("min", (a, b) => a < b),
    max: end("max", (a, b) => a > b),
    nan: sum("nan"),
    posinf: sum("posinf"),
    neginf: sum("neginf"),
  };
}
