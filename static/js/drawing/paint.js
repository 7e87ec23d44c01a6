/**
 * Windows as pixels, through a lookup table.
 *
 * @typedef {"mean"|"min"|"max"} Bins
 * @typedef {{table: Uint32Array, scale: import("./scale.js").Scale, part: import("./scale.js").Part, bins: Bins,
 *   categories: boolean, brush?: {low: number, high: number}}} ColourScale  categories: integers have the colour of their last
 *   digits; brush: elements outside of it are pale
 */
import { automaticMap, lookupTable, SPECIAL_PIXELS } from "./colour_maps.js";
import { leveller } from "./scale.js";
import { keptFor } from "../core/kept.js";
/** @import {Plane, ValueWindow} from "../core/view_types.js" */

/** The colours of a scale in its default colour map. @param {import("./scale.js").Scale} scale @returns {ColourScale} */
export const coloursIn = (scale, map = automaticMap(scale)) => ({
  table: lookupTable(map),
  scale,
  part: "abs",
  bins: "mean",
  categories: map === "categories",
});

/** A pixel for each cell; 0, transparent, for cells outside the window. @param {ValueWindow} window @param {ColourScale} colourScale @returns {Uint32Array} */
export function paint(window, colourScale) {
  const { height, width } = window.header;
  const pixels = new Uint32Array(height * width);
  const values = numbersOf(window, colourScale);
  paintScaled(pixels, values, colourScale);
  if (colourScale.brush) paleOutside(pixels, values, colourScale.brush);
  const marks = window.planes.mark;
  for (let cell = 0; cell < (marks?.length ?? 0); cell++)
    if (marks?.[cell]) pixels[cell] = colourScale.table[Number(marks[cell])] ?? 0;
  return pixels;
}

/** Opacity of elements outside a selected range. */
const PALE = 0x28000000;

/** @param {Uint32Array} pixels @param {ArrayLike<number>} values @param {{low: number, high: number}} range */
function paleOutside(pixels, values, { low, high }) {
  for (let cell = 0; cell < values.length; cell++) {
    const value = values[cell] ?? NaN;
    if (!(value >= low && value < high)) pixels[cell] = ((pixels[cell] ?? 0) & 0xffffff) | PALE;
  }
}

/** Whether a window contains NaN or infinities. */
export const hasNonfinite = keptFor((/** @type {ValueWindow} */ { planes: { value } }) => {
  // A finite number minus itself is 0; otherwise it is NaN.
  const isSpecial = (/** @type {number} */ number) => number - number !== 0;
  return (value instanceof Float32Array || value instanceof Float64Array) && value.some(isSpecial);
});

/** The number that colours each cell. @param {ValueWindow} window @param {Pick<ColourScale, "part"|"bins">} colourScale @returns {ArrayLike<number>} */
export function numbersOf({ header, planes }, { part, bins }) {
  const plane = planes.value ?? planes[bins];
  if (!plane) return [];
  if (planes.value && header.wire.components === 2) return partOf(/** @type {Float64Array} */ (plane), part);
  if (plane instanceof BigInt64Array || plane instanceof BigUint64Array) return Float64Array.from(plane, Number);
  return plane;
}

/** @param {Float32Array|Float64Array} pairs @param {import("./scale.js").Part} part @returns {Float64Array} */
function partOf(pairs, part) {
  const numbers = new Float64Array(pairs.length / 2);
  for (let cell = 0; cell < numbers.length; cell++) {
    numbers[cell] = partOfNumber(pairs[2 * cell] ?? NaN, pairs[2 * cell + 1] ?? NaN, part);
  }
  return numbers;
}

/** @param {number} re @param {number} im @param {import("./scale.js").Part} part @returns {number} */
export function partOfNumber(re, im, part) {
  switch (part) {
    case "re":
      return re;
    case "im":
      return im;
    case "phase":
      return Math.atan2(im, re);
    default:
      return Math.hypot(re, im);
  }
}

/** @param {Uint32Array} pixels @param {ArrayLike<number>} values @param {ColourScale} colourScale */
function paintScaled(pixels, values, { table, scale, categories }) {
  const levelOf = leveller(scale, categories);
  for (let cell = 0; cell < values.length; cell++) {
    const value = values[cell] ?? NaN;
    // A finite number minus itself is 0; otherwise it is NaN.
    pixels[cell] = value - value === 0 ? (table[levelOf(value)] ?? 0) : specialPixel(value);
  }
}

/** @param {number} value @returns {number} */
function specialPixel(value) {
  if (value === Infinity) return SPECIAL_PIXELS.posinf;
  return value === -Infinity ? SPECIAL_PIXELS.neginf : SPECIAL_PIXELS.nan;
}
