/** Colours of small pictures: a byte for each level, and three for what is no number. */
import { interpolateViridis } from "d3-scale-chromatic";

/** What the server writes where there is no finite number. */
export const NEGATIVE_INFINITY = 253;
export const POSITIVE_INFINITY = 254;
export const NOT_A_NUMBER = 255;
const LEVELS = 250;

/** Red is kept for what is wrong, in every theme. */
const ALARMS = [0xff_2a_3f_e0, 0xff_4d_4d_ff, 0xff_1c_1c_d0];

/** @type {Uint32Array|null} */
let table = null;

/** RGBA as the browser keeps it in ImageData, by byte. @returns {Uint32Array} */
export function lookupTable() {
  if (table) return table;
  table = new Uint32Array(256);
  for (let level = 0; level <= LEVELS; level++) table[level] = packed(interpolateViridis(level / LEVELS));
  ALARMS.forEach((colour, i) => (/** @type {Uint32Array} */ (table)[NEGATIVE_INFINITY + i] = colour));
  return table;
}

/** @param {string} colour "#rrggbb" or "rgb(r, g, b)" @returns {number} */
function packed(colour) {
  const parts = colour.startsWith("#")
    ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
    : (colour.match(/\d+/g) ?? []).map(Number);
  const [red = 0, green = 0, blue = 0] = parts;
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}
