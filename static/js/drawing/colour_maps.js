/**
 * Colour maps as lookup tables, and the colours of NaN and infinities.
 *
 * Diverging maps have 0 in the middle. All maps are readable with any kind of colour blindness; red is reserved for
 * NaN and infinities.
 */
import {
  interpolateCividis,
  interpolateGreys,
  interpolateMagma,
  interpolatePuOr,
  interpolateRdBu,
  interpolateSinebow,
  interpolateViridis,
  schemeTableau10,
} from "d3-scale-chromatic";

/** @typedef {"viridis"|"cividis"|"magma"|"greys"|"purple-orange"|"blue-red"|"categories"|"two"|"cycle"} MapName */
/** @typedef {"nan"|"posinf"|"neginf"} Special */

export const ENTRIES = 256;

/** Twelve distinguishable colours. */
const CATEGORIES = [...schemeTableau10, "#17324d", "#d9c84a"];

/** @type {Record<MapName, (place: number) => string>} */
const MAPS = {
  viridis: interpolateViridis,
  cividis: interpolateCividis,
  magma: interpolateMagma,
  greys: interpolateGreys,
  "purple-orange": (place) => interpolatePuOr(1 - place),
  "blue-red": (place) => interpolateRdBu(1 - place),
  categories: (place) => CATEGORIES[Math.round(place * (ENTRIES - 1)) % CATEGORIES.length] ?? "#000000",
  two: (place) => (place < 0.5 ? "#d7dbe0" : "#0b5cad"),
  cycle: interpolateSinebow,
};

/** The choices with their labels. @type {[MapName, string][]} */
export const CHOICES = [
  ["viridis", "Viridis"],
  ["cividis", "Cividis"],
  ["magma", "Magma"],
  ["greys", "Greys"],
  ["purple-orange", "Purple–orange, 0 in the middle"],
  ["blue-red", "Blue–red, 0 in the middle"],
  ["categories", "Categories (integers)"],
];

/** @type {Record<Special, {colour: string, name: string}>} */
export const SPECIALS = {
  nan: { colour: "#e3002b", name: "NaN" },
  posinf: { colour: "#ff6b81", name: "+Inf" },
  neginf: { colour: "#8a0020", name: "-Inf" },
};

/** The map for values of this kind. @param {import("../core/tensor/elements.js").Kind} kind @param {import("./scale.js").Scale} scale @param {number[]|null} [categories] @returns {MapName} */
export function automaticMap(kind, scale, categories = null) {
  if (kind === "boolean") return "two";
  if (categories) return "categories";
  if (scale.cyclic) return "cycle";
  return scale.diverging ? "purple-orange" : "viridis";
}

/** The name of a map in words. @param {MapName} name @returns {string} */
export const mapWords = (name) => (CHOICES.find(([id]) => id === name)?.[1] ?? "").toLowerCase();

/** Whether the middle of a map means 0. @param {MapName} name */
export const isDiverging = (name) => name === "purple-orange" || name === "blue-red";

/** Cached: each drawn value needs one. @type {Map<MapName, Uint32Array>} */
const tables = new Map();

/** A map as pixels, as `ImageData` expects them on little-endian machines. @param {MapName} name @returns {Uint32Array} */
export function lookupTable(name) {
  const table =
    tables.get(name) ?? Uint32Array.from({ length: ENTRIES }, (_, entry) => pixelOf(MAPS[name](entry / (ENTRIES - 1))));
  tables.set(name, table);
  return table;
}

/** Pixels of NaN, +Inf and -Inf. */
export const SPECIAL_PIXELS = {
  nan: pixelOf(SPECIALS.nan.colour),
  posinf: pixelOf(SPECIALS.posinf.colour),
  neginf: pixelOf(SPECIALS.neginf.colour),
};

/** `#rrggbb` or `rgb(r, g, b)` as a pixel. @param {string} colour @returns {number} */
export function pixelOf(colour) {
  const [red, green, blue] = channels(colour);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** @param {string} colour @returns {[number, number, number]} */
function channels(colour) {
  if (colour.startsWith("#")) {
    const bits = Number.parseInt(colour.slice(1), 16);
    return [bits >> 16, (bits >> 8) & 255, bits & 255];
  }
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((text) => Math.round(Number(text)));
  return [red, green, blue];
}

/** @param {number} pixel @returns {string} */
export const cssColour = (pixel) => `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;

/** Black or white, whichever has more contrast on `pixel`. @param {number} pixel @returns {string} */
export function textColourOn(pixel) {
  const luminance =
    0.2126 * linear(pixel & 255) + 0.7152 * linear((pixel >> 8) & 255) + 0.0722 * linear((pixel >> 16) & 255);
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

/** @param {number} channel @returns {number} */
function linear(channel) {
  const part = channel / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
