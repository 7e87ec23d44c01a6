/**
 * Windows as pixels, through a lookup table.
 *
 * @typedef {import("../types.js").ValueWindow} ValueWindow
 * @typedef {import("../types.js").Plane} Plane
 * @typedef {"mean"|"min"|"max"} Bins
 * @typedef {{table: Uint32Array, scale: import("./scale.js").Scale, part: import("./scale.js").Part, bins: Bins,
 *   categories: boolean}} Ink
 */
import { ENTRIES, SPECIAL_PIXELS } from "./colours.js";
import { placer } from "./scale.js";

/** A pixel for each cell; 0, transparent, for cells that the window does not have. @param {ValueWindow} window @param {Ink} ink @returns {Uint32Array} */
export function paint(window, ink) {
  const { height, width } = window.header;
  const pixels = new Uint32Array(height * width);
  const values = numbersOf(window, ink);
  if (ink.categories) paintCategories(pixels, values, ink.table);
  else paintScaled(pixels, values, ink);
  const bad = window.planes.nonfinite;
  if (bad) for (let cell = 0; cell < bad.length; cell++) if (bad[cell]) pixels[cell] = SPECIAL_PIXELS.nan;
  return pixels;
}

/** What is coloured of each cell, as numbers. @param {ValueWindow} window @param {Pick<Ink, "part"|"bins">} ink @returns {ArrayLike<number>} */
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
    case "re": return re;
    case "im": return im;
    case "phase": return Math.atan2(im, re);
    default: return Math.hypot(re, im);
  }
}

/** @param {Uint32Array} pixels @param {ArrayLike<number>} values @param {Uint32Array} table */
function paintCategories(pixels, values, table) {
  for (let cell = 0; cell < values.length; cell++) {
    pixels[cell] = table[(((values[cell] ?? 0) % 10) + 10) % 10] ?? 0;
  }
}

/** @param {Uint32Array} pixels @param {ArrayLike<number>} values @param {Ink} ink */
function paintScaled(pixels, values, { table, scale }) {
  const place = placer(scale);
  const last = ENTRIES - 1;
  for (let cell = 0; cell < values.length; cell++) {
    const value = values[cell] ?? NaN;
    // A number minus itself is 0; of NaN and infinities it is NaN.
    if (value - value !== 0) {
      pixels[cell] = specialPixel(value);
      continue;
    }
    const at = place(value) * last + 0.5;
    pixels[cell] = table[at > last ? last : at > 0 ? at | 0 : 0] ?? 0;
  }
}

/** @param {number} value @returns {number} */
function specialPixel(value) {
  if (value === Infinity) return SPECIAL_PIXELS.posinf;
  return value === -Infinity ? SPECIAL_PIXELS.neginf : SPECIAL_PIXELS.nan;
}
