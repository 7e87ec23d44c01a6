/**
 * The colours of a tensor: one rule for all pictures of it, which docs/design.md states and `engine/colour_scales.py`
 * repeats. A scale is plain data; `placer` makes a function of it.
 *
 * @typedef {"linear"|"log"|"arcsinh"} Shape  arcsinh: linear around 0, logarithmic further away, of either sign
 * @typedef {{kind: Kind, low: number, high: number, shape: Shape, clipped?: boolean, robust?: boolean, cyclic?: boolean,
 *   soft?: number}} Scale  soft: where arcsinh turns logarithmic; the ends are NaN if no element is finite
 * @typedef {{shape: "auto"|Shape, range: "auto"|"all"|"robust"|"fixed", low: number, high: number}} ScaleChoice
 * @typedef {"abs"|"re"|"im"|"phase"} Part
 * @typedef {import("../core/types.js").Spread|null} Spread
 * @typedef {Record<string, string|number|null>|null} Statistics
 */

import { isCategorical, LEVELS } from "./colour_maps.js";
/** @import {Kind} from "../core/tensor/elements.js" */

/** Default linear range of the arcsinh scale, relative to the larger end. */
const SOFTNESS = 1 / 10;
/** Ratio of the whole range to the robust one from which outliers are omitted. */
const OUTLYING = 4;
/** Ratio of a large magnitude to the median from which a logarithmic scale is used. */
const WIDE = 1e3;
/** Minimum ratio of the smaller end to the larger for a diverging scale. */
const BOTH_SIGNS = 0.1;

/** @type {ScaleChoice} */
export const AUTOMATIC = { shape: "auto", range: "auto", low: -1, high: 1 };

/** The scale for a value with these statistics. @param {Statistics} statistics @param {Kind} kind @param {ScaleChoice} [choice] @param {Part} [part] @param {Spread} [spread] @returns {Scale} */
export function scaleFor(statistics, kind, choice = AUTOMATIC, part = "abs", spread = null) {
  if (kind === "boolean") return { kind, low: 0, high: 1, shape: "linear" };
  if (kind === "complex" && part === "phase")
    return { kind, low: -Math.PI, high: Math.PI, shape: "linear", cyclic: true };
  const signed = kind === "complex" && part !== "abs";
  const all = wholeRange(statistics, signed);
  if (all === null) return { kind, low: NaN, high: NaN, shape: "linear" };
  return numberScale(kind, all, choice, signed ? null : spread);
}

/** @param {Kind} kind @param {[number, number]} all @param {ScaleChoice} choice @param {Spread} spread @returns {Scale} */
function numberScale(kind, all, choice, spread) {
  const isPlain = all[0] === all[1] || isCategorical(kind, ...all);
  const wide = choice.shape === "auto" && !isPlain && isWide(spread);
  const robust = isPlain && choice.range === "auto" ? null : robustRange(all, choice, spread, wide);
  const [low, high] =
    choice.range === "fixed" ? [Math.min(choice.low, choice.high), Math.max(choice.low, choice.high)] : (robust ?? all);
  const clipped = low > all[0] || high < all[1];
  // A fixed range is used as typed.
  const ends = choice.range === "fixed" ? { low, high } : centred(kind, low, high);
  const shape = shapeOf(choice.shape, wide, low);
  return { kind, ...ends, shape, clipped, robust: robust !== null, soft: softness(ends, spread) };
}

/** A linear scale of these ends. @param {Kind} kind @param {number} low @param {number} high @returns {Scale} */
export const scaleBetween = (kind, low, high) => ({ kind, ...centred(kind, low, high), shape: "linear" });

/** Zero is in the middle where both signs matter. @param {Kind} kind @param {number} low @param {number} high */
function centred(kind, low, high) {
  const reach = Math.max(-low, high);
  return hasBothSigns(low, high) && !isCategorical(kind, low, high) ? { low: -reach, high: reach } : { low, high };
}

/** @param {Statistics} statistics @param {boolean} signed @returns {[number, number]|null} */
function wholeRange(statistics, signed) {
  const low = Number(statistics?.min ?? NaN);
  const high = Number(statistics?.max ?? NaN);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return null;
  return signed ? [-high, high] : [low, high];
}

/** The percentiles 0.5 to 99.5, if requested or if a few outliers would leave no colours for the rest. @param {[number, number]} all @param {ScaleChoice} choice @param {Spread} spread @param {boolean} wide @returns {[number, number]|null} */
function robustRange(all, { range }, spread, wide) {
  if (spread === null || (range !== "robust" && range !== "auto")) return null;
  const [low, high] = [Number(spread.low), Number(spread.high)];
  if (!(high > low) || (low <= all[0] && high >= all[1])) return null;
  if (range === "robust") return [low, high];
  return !wide && all[1] / 2 - all[0] / 2 > OUTLYING * (high / 2 - low / 2) ? [low, high] : null;
}

/** @param {Spread} spread @returns {boolean} */
const isWide = (spread) => spread !== null && Number(spread.large) / Number(spread.median) > WIDE;

/** @param {ScaleChoice["shape"]} chosen @param {boolean} wide @param {number} low @returns {Shape} */
function shapeOf(chosen, wide, low) {
  const wanted = chosen === "auto" ? (wide ? "log" : "linear") : chosen;
  return wanted === "log" && low <= 0 ? "arcsinh" : wanted;
}

/** @param {number} low @param {number} high @returns {boolean} */
const hasBothSigns = (low, high) => low < 0 && high > 0 && Math.min(-low, high) > BOTH_SIGNS * Math.max(-low, high);

/** @param {{low: number, high: number}} ends @param {Spread} spread @returns {number} */
function softness({ low, high }, spread) {
  const small = Number(spread?.small ?? NaN);
  return small > 0 ? small : Math.max(Math.abs(low), Math.abs(high)) * SOFTNESS;
}

/** The level of a finite number in a map; of an integer in categories its last digit. @param {Scale} scale @param {boolean} categories @returns {(value: number) => number} */
export function leveller(scale, categories) {
  if (categories) return (value) => ((Math.round(value) % 10) + 10) % 10;
  const place = placer(scale);
  return (value) => {
    const at = place(value) * LEVELS + 0.5;
    return at > LEVELS ? LEVELS : at > 0 ? at | 0 : 0;
  };
}

/** Map a number to its position: 0 at the low end, 1 at the high end, outside this range beyond them. @param {Scale} scale @returns {(value: number) => number} */
export function placer(scale) {
  const { low, high, shape } = scale;
  if (!(high > low)) return () => 0.5;
  // Halves, because the difference of two f64 ends may be infinite.
  if (shape === "linear") return (value) => (value / 2 - low / 2) / (high / 2 - low / 2);
  const bend = bendOf(scale);
  const start = bend(low);
  const factor = 1 / (bend(high) - start);
  return (value) => (bend(value) - start) * factor;
}

/** The inverse: from a position to its number. @param {Scale} scale @returns {(place: number) => number} */
export function reader(scale) {
  const { low, high, shape } = scale;
  if (shape === "linear" || !(high > low)) return (place) => low * (1 - place) + high * place;
  const bend = bendOf(scale);
  const [start, end] = [bend(low), bend(high)];
  const soft = softOf(scale);
  const straighten = shape === "log" ? Math.exp : (/** @type {number} */ bent) => Math.sinh(bent) * soft;
  return (place) => straighten(start * (1 - place) + end * place);
}

/** @param {Scale} scale @returns {(value: number) => number} */
function bendOf(scale) {
  const soft = softOf(scale);
  return scale.shape === "log" ? Math.log : (value) => Math.asinh(value / soft);
}

/** @param {Scale} scale @returns {number} */
const softOf = (scale) => scale.soft ?? softness(scale, null);
