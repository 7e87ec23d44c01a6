/** The difference of two complete values, as app/answers/comparison.py computes it: see `measured` in engine/comparison/elements.py. */
import { elementOf } from "../tensor/axes.js";
import { formatOf, wordAt } from "../tensor/bits.js";
import { spreadOf } from "../tensor/spread.js";
import { bitsOf, elementAt, elementText, kindOf, roundingOf, short } from "../tensor/elements.js";
import { distanceOf, jointRange } from "./comparison.js";
import { Refusal } from "./values.js";
/** @import {Measure} from "../addresses.js" */
/** @import {Element} from "../tensor/elements.js" */
/** @import {Whole} from "./values.js" */

const WIRE = /** @type {import("../tensor/elements.js").Wire} */ ({ dtype: "f64", components: 1 });
const BINS = 64;

/** The difference as a value of f64, element by element. @param {Whole} one @param {Whole} other @param {Measure} measure @returns {Whole} */
export function differenceValue(one, other, measure) {
  const { shape, address } = one.summary;
  if (String(shape) !== String(other.summary.shape))
    throw new Refusal(
      `The values have the shapes [${shape.join(", ")}] and [${other.summary.shape.join(", ")}]: there are no elements to compare.`,
    );
  const apart = measure === "ulps" ? ulpsApart(one, other) : measuredBy(measure);
  const plane = Float64Array.from({ length: one.summary.count }, (_, at) => {
    const [a, b] = [one, other].map((value) => elementAt(value.plane, value.summary.wire, at));
    return isNaNElement(a) && isNaNElement(b) ? 0 : apart(/** @type {Element} */ (a), /** @type {Element} */ (b), at);
  });
  const summary = { ...one.summary, ...{ address, elementType: "f64", wire: WIRE, lanes: null, layout: null } };
  const isMlir = one.summary.type.startsWith("tensor<");
  const type = isMlir ? `tensor<${shape.map((size) => `${size}x`).join("")}f64>` : `f64[${shape.join()}]`;
  return { summary: { ...summary, type, ...factsOf(plane, shape) }, plane };
}

/** The answer to the question about a difference. @param {Whole} apart @param {Whole} one @param {Whole} other @returns {import("../types.js").DifferenceInfo} */
export function differenceInfo(apart, one, other) {
  const { plane, summary } = apart;
  let [count, worst] = [0, -1];
  for (let at = 0; at < plane.length; at++) {
    const number = Number(plane[at]);
    if (number === 0) continue;
    count++;
    if (worst < 0 || isFurther(number, Number(plane[worst]))) worst = at;
  }
  const text = (/** @type {Whole} */ value) =>
    elementText(elementAt(value.plane, value.summary.wire, worst), value.summary.elementType, value.summary.wire);
  return {
    distance: summary,
    range: jointRange([one.summary, other.summary]),
    count,
    worst:
      worst < 0
        ? null
        : { index: elementOf(summary.shape, worst), value: text(one), other: text(other), apart: text(apart) },
  };
}

/** Whether an element is further apart than another; NaN is furthest. @param {number} number @param {number} other */
const isFurther = (number, other) =>
  !Number.isNaN(other) && (Number.isNaN(number) || Math.abs(number) > Math.abs(other));

/** @param {Element|undefined} element */
const isNaNElement = (element) =>
  typeof element === "object" ? Number.isNaN(element.re) || Number.isNaN(element.im) : Number.isNaN(element);

/** @param {Exclude<Measure, "ulps">} measure @returns {(a: Element, b: Element) => number} */
const measuredBy = (measure) => (a, b) => {
  const distance = distanceOf(a, b);
  if (measure === "relative") return distance === 0 ? 0 : distance / magnitude(b);
  return measure === "signed" && typeof a !== "object" && typeof b !== "object" && a < b ? -distance : distance;
};

/** @param {Element} element */
const magnitude = (element) =>
  typeof element === "object" ? Math.hypot(element.re, element.im) : Math.abs(Number(element));

/** Units in the last place, those of the narrower type. @param {Whole} one @param {Whole} other @returns {(a: Element, b: Element, at: number) => number} */
function ulpsApart(one, other) {
  const types = [one, other].map(({ summary: { elementType, wire } }) =>
    kindOf(elementType, wire) === "complex" ? wire.dtype : elementType,
  );
  const [type = ""] = types.sort((a, b) => bitsOf(a) - bitsOf(b));
  if (!types.every((name) => formatOf(name)))
    throw new Refusal("Only floating-point numbers have units in the last place: choose another measure.");
  const rank = (/** @type {number} */ number) => rankOf(number, type);
  const between = (/** @type {number} */ a, /** @type {number} */ b) => {
    if (Number.isNaN(a) || Number.isNaN(b)) return NaN;
    const [low, high] = [rank(a), rank(b)];
    return Number(high > low ? high - low : low - high);
  };
  return (a, b) => {
    if (typeof a !== "object" || typeof b !== "object") return between(Number(a), Number(b));
    const [real, imaginary] = [between(a.re, b.re), between(a.im, b.im)];
    return Math.max(real, imaginary);
  };
}

/** The position of a float among those of its type. @param {number} number @param {string} type @returns {bigint} */
export function rankOf(number, type) {
  const round = roundingOf(type);
  const dtype = type === "f64" ? "f64" : "f32";
  const plane = dtype === "f64" ? Float64Array.of(number) : Float32Array.of(round ? round(number) : number);
  const word = wordAt(plane, { dtype, components: 1 }, type, 0) ?? 0n;
  const format = /** @type {import("../tensor/bits.js").Format} */ (formatOf(type));
  const sign = 1n << BigInt(format.exponent + format.mantissa);
  if (format.specials === "scale") return word;
  return word & sign ? -(word & (sign - 1n)) : word;
}

/** Statistics, quantiles and histogram, as the server computes them. @param {Float64Array} plane @param {number[]} shape */
function factsOf(plane, shape) {
  const finite = plane.filter((number) => Number.isFinite(number)).sort();
  const [low = NaN, high = NaN] = [finite[0], finite.at(-1)];
  const mean = finite.reduce((sum, number) => sum + number / finite.length, 0);
  const squares = finite.reduce((sum, number) => sum + (number - mean) ** 2 / finite.length, 0);
  const count = (/** @type {(number: number) => boolean} */ isSo) => plane.filter(isSo).length;
  const numbers = { min: low, max: high, mean: finite.length ? mean : NaN, std: Math.sqrt(squares) };
  const statistics = {
    ...mapped(numbers),
    zeros: count((number) => number === 0),
    nan: count(Number.isNaN),
    posinf: count((number) => number === Infinity),
    neginf: count((number) => number === -Infinity),
  };
  const range = finite.length ? `${short(low)} … ${short(high)}` : "no finite element";
  return {
    text: `f64[${shape.join(",")}]  ${range}`,
    statistics: /** @type {import("../types.js").ValueStatistics} */ (statistics),
    spread: /** @type {import("../types.js").Spread} */ (mapped(spreadOf(finite))),
    histogram: histogramOf(finite),
  };
}

/** Numbers, or text where JSON has none. @param {Record<string, number>} numbers */
const mapped = (numbers) =>
  Object.fromEntries(
    Object.entries(numbers).map(([name, number]) => [name, Number.isFinite(number) ? number : String(number)]),
  );

/** @param {Float64Array} finite in order @returns {import("../types.js").Histogram} */
function histogramOf(finite) {
  const [low, high] = [finite[0], finite.at(-1)];
  if (low === undefined || high === undefined) return { edges: [], counts: [] };
  if (low === high) return { edges: [low, high], counts: [finite.length] };
  const edges = Array.from({ length: BINS + 1 }, (_, bin) => low * (1 - bin / BINS) + high * (bin / BINS));
  const counts = new Array(BINS).fill(0);
  for (const number of finite)
    counts[Math.min(BINS - 1, Math.floor(((number / 2 - low / 2) / (high / 2 - low / 2)) * BINS))]++;
  return { edges, counts };
}
