/**
 * Which place in the colour map a number has. A scale is plain data; `placer` makes a function of it.
 *
 * @typedef {"linear"|"log"|"arcsinh"} Shape
 * @typedef {{low: number, high: number, shape: Shape, diverging: boolean, clipped: boolean, cyclic?: boolean}} Scale
 * @typedef {{shape: Shape, range: "all"|"robust"|"fixed", low: number, high: number}} ScaleChoice
 * @typedef {"abs"|"re"|"im"|"phase"} Part
 */

/** Deviations from the mean that a robust range keeps. */
const DEVIATIONS = 3;
/** Where arcsinh goes over from linear to logarithmic: this part of the larger end. */
const SOFTNESS = 1 / 10;

/**
 * The scale for a value with these statistics.
 *
 * @param {Record<string, string|number|null>|null} statistics
 * @param {import("./elements.js").Kind} kind @param {ScaleChoice} choice @param {Part} [part] @returns {Scale}
 */
export function scaleFor(statistics, kind, choice, part = "abs") {
  if (kind === "complex" && part === "phase") {
    return { low: -Math.PI, high: Math.PI, shape: "linear", diverging: false, clipped: false, cyclic: true };
  }
  if (kind === "boolean") return { low: 0, high: 1, shape: "linear", diverging: false, clipped: false };
  const all = wholeRange(statistics, kind === "complex" && part !== "abs");
  const [low, high] = chosenRange(all, statistics, choice);
  const clipped = low > all[0] || high < all[1];
  // A fixed range is drawn as it was typed; a diverging one found by itself has 0 in its middle.
  const diverging = low < 0 && high > 0;
  const reach = Math.max(-low, high);
  const ends = diverging && choice.range !== "fixed" ? { low: -reach, high: reach } : { low, high };
  const shape = choice.shape === "log" && low <= 0 ? "arcsinh" : choice.shape;
  return { ...ends, shape, diverging: diverging && ends.low === -ends.high, clipped };
}

/** @param {Record<string, string|number|null>|null} statistics @param {boolean} signed @returns {[number, number]} */
function wholeRange(statistics, signed) {
  const low = Number(statistics?.min ?? NaN);
  const high = Number(statistics?.max ?? NaN);
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return signed ? [-high, high] : [low, high];
}

/** @param {[number, number]} all @param {Record<string, string|number|null>|null} statistics @param {ScaleChoice} choice @returns {[number, number]} */
function chosenRange(all, statistics, choice) {
  if (choice.range === "fixed") return [Math.min(choice.low, choice.high), Math.max(choice.low, choice.high)];
  const mean = Number(statistics?.mean ?? NaN);
  const reach = DEVIATIONS * Number(statistics?.std ?? NaN);
  if (choice.range === "all" || !Number.isFinite(mean) || !Number.isFinite(reach)) return all;
  return [Math.max(all[0], mean - reach), Math.min(all[1], mean + reach)];
}

/** From a number to its place, 0 at the low end and 1 at the high one; outside for what lies outside. @param {Scale} scale @returns {(value: number) => number} */
export function placer(scale) {
  const { low, high, shape } = scale;
  if (!(high > low)) return () => 0.5;
  // Halves: the difference of two ends of f64 may be infinite.
  if (shape === "linear") return (value) => (value / 2 - low / 2) / (high / 2 - low / 2);
  const bend = bending(scale);
  const start = bend(low);
  const factor = 1 / (bend(high) - start);
  return (value) => (bend(value) - start) * factor;
}

/** From a place back to the number there. @param {Scale} scale @returns {(place: number) => number} */
export function reader(scale) {
  const { low, high, shape } = scale;
  if (shape === "linear" || !(high > low)) return (place) => low * (1 - place) + high * place;
  const bend = bending(scale);
  const [start, end] = [bend(low), bend(high)];
  const soft = softness(scale);
  const straighten = shape === "log" ? Math.exp : (/** @type {number} */ bent) => Math.sinh(bent) * soft;
  return (place) => straighten(start * (1 - place) + end * place);
}

/** @param {Scale} scale @returns {(value: number) => number} */
function bending(scale) {
  const soft = softness(scale);
  return scale.shape === "log" ? Math.log : (value) => Math.asinh(value / soft);
}

/** @param {Scale} scale @returns {number} */
const softness = ({ low, high }) => Math.max(Math.abs(low), Math.abs(high)) * SOFTNESS;
