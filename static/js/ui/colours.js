/** Colours of thumbnails: the same maps as the tensor view's, by the byte that the server wrote for each pixel. */
import { ENTRIES, SPECIAL_PIXELS, lookupTable } from "../tensor/colours.js";

/** The byte of the largest value; that of the smallest is 0. */
const LEVELS = 250;
/** One value all over is neither low nor high. */
const CONSTANT = 0x66_80_80_80;

/** @type {Map<string, Uint32Array>} */
const maps = new Map();

/** @param {"viridis"|"two"|"purple-orange"} name @returns {Uint32Array} */
function mapNamed(name) {
  const map = maps.get(name) ?? lookupTable(name);
  maps.set(name, map);
  return map;
}

/** A pixel for each byte. @param {import("../types.js").ThumbnailInfo} info @returns {Uint32Array} */
export function pixelTable(info) {
  const [low, high] = [Number(info.min), Number(info.max)];
  const table = new Uint32Array(256).fill(CONSTANT);
  if (high > low) fill(table, low, high, info.text.startsWith("i1["));
  table.set([SPECIAL_PIXELS.neginf, SPECIAL_PIXELS.posinf, SPECIAL_PIXELS.nan], 253);
  return table;
}

/** Where there are both signs, 0 is in the middle. @param {Uint32Array} table @param {number} low @param {number} high @param {boolean} boolean */
function fill(table, low, high, boolean) {
  const diverging = low < 0 && high > 0;
  const map = mapNamed(boolean ? "two" : diverging ? "purple-orange" : "viridis");
  const reach = Math.max(-low, high);
  for (let level = 0; level <= LEVELS; level++) {
    const share = level / LEVELS;
    const place = diverging ? 0.5 + (low * (1 - share) + high * share) / (2 * reach) : share;
    table[level] = /** @type {number} */ (map[Math.round(place * (ENTRIES - 1))]);
  }
}
