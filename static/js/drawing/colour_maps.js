/**
 * Colour maps as lookup tables, and the colours of NaN and infinities. app/present/html/pictures.py has the same.
 *
 * Diverging maps have 0 in the middle. All maps are readable with any kind of colour blindness; red is reserved for
 * NaN and infinities. Viridis and Magma are by Stéfan van der Walt and Nathaniel Smith, Cividis by Jamie Nuñez and others,
 * the diverging maps and Greys by Cynthia Brewer (colorbrewer2.org), the categories those of Tableau.
 */

/** @typedef {"one"|"viridis"|"cividis"|"magma"|"greys"|"purple-orange"|"blue-red"|"categories"|"two"|"cycle"} MapName */
/** @typedef {"nan"|"posinf"|"neginf"} Special */

/** The last level of a map; the first is 0. */
export const LEVELS = 250;

/** Colours between which a map interpolates. @type {Partial<Record<MapName, string>>} */
const STOPS = {
  viridis: "440154482475414487355f8d2a788e21918c22a88444bf707ad151bddf26fde725",
  cividis: "0020510a326a2b446e4d566d6969707f7c75948f78ada476caba6aead156fdea45",
  magma: "000004140e363b0f70641a808c2981b73779de4968f7705cfe9f6dfecf92fcfdbf",
  greys: "fffffff0f0f0d9d9d9bdbdbd969696737373525252252525000000",
  "purple-orange": "7f3b08b35806e08214fdb863fee0b6f7f7f7d8daebb2abd28073ac5427882d004b",
  "blue-red": "0530612166ac4393c392c5ded1e5f0f7f7f7fddbc7f4a582d6604db2182b67001f",
};

/** @typedef {number[]} Channels  red, green, blue */
/** Maps without stops: the colour of a level. Categories are last digits. @type {Partial<Record<MapName, (level: number) => Channels>>} */
const MAPS = {
  one: () => colourAt("a6a6a6", 0),
  two: (level) => colourAt("d7dbe00b5cad", Number(level >= LEVELS / 2)),
  categories: (level) => colourAt("4e79a7f28e2ce1575976b7b259a14fedc949af7aa1ff9da79c755fbab0ab", level % 10),
  cycle: (level) => [0, 1, 2].map((third) => 255 * Math.sin(Math.PI * (0.5 - level / LEVELS + third / 3)) ** 2),
};

/** @param {string} colours @param {number} at @returns {Channels} */
const colourAt = (colours, at) =>
  [0, 2, 4].map((from) => parseInt(colours.substring(6 * at + from, 6 * at + from + 2), 16));

/** @param {string} stops @returns {(level: number) => Channels} */
const between = (stops) => (level) => {
  const last = stops.length / 6 - 1;
  const at = (level / LEVELS) * last;
  const before = Math.min(Math.floor(at), last - 1);
  const after = colourAt(stops, before + 1);
  return colourAt(stops, before).map((channel, of) => channel + ((after[of] ?? 0) - channel) * (at - before));
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

const [DARK_MARK, LIGHT_MARK] = ["#4d0010", "#ffffff"];

/** They differ in lightness for everybody, and in their marks. @type {Record<Special, {colour: string, mark: string, name: string}>} */
export const SPECIALS = {
  nan: { colour: "#e3002b", mark: DARK_MARK, name: "NaN" },
  posinf: { colour: "#ffa3b6", mark: DARK_MARK, name: "+Inf" },
  neginf: { colour: "#4d0010", mark: LIGHT_MARK, name: "-Inf" },
};

/** The map of a scale. @param {import("./scale.js").Scale} scale @returns {MapName} */
export function automaticMap({ kind, low, high, cyclic, clipped }) {
  if (kind === "boolean") return "two";
  if (cyclic) return "cycle";
  if (!(high > low)) return "one";
  if (isCategorical(kind, low, high) && !clipped) return "categories";
  return low < 0 && low === -high ? "purple-orange" : "viridis";
}

/** Few consecutive integers differ in their last digits. @param {import("../core/tensor/elements.js").Kind} kind @param {number} low @param {number} high */
export const isCategorical = (kind, low, high) => kind === "integer" && high > low && high - low < 10;

/** The name of a map in words. @param {MapName} name @returns {string} */
export const mapWords = (name) => (CHOICES.find(([id]) => id === name)?.[1] ?? "").toLowerCase();

/** Whether the middle of a map means 0. @param {MapName} name */
export const isDiverging = (name) => name === "purple-orange" || name === "blue-red";

/** `#rrggbb` as a pixel. @param {string} colour @returns {number} */
export const pixelOf = (colour) => pixelOfChannels(colourAt(colour.slice(1), 0));

/** @param {Channels} colour @returns {number} */
export const pixelOfChannels = ([red = 0, green = 0, blue = 0]) =>
  ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;

/** Pixels of NaN, +Inf and -Inf. */
export const SPECIAL_PIXELS = {
  nan: pixelOf(SPECIALS.nan.colour),
  posinf: pixelOf(SPECIALS.posinf.colour),
  neginf: pixelOf(SPECIALS.neginf.colour),
};

/** The levels after the last of a map. */
export const [DARK, LIGHT, NEGINF, POSINF, NAN] = [251, 252, 253, 254, 255];
const AFTER_LAST = [
  pixelOf(DARK_MARK),
  pixelOf(LIGHT_MARK),
  SPECIAL_PIXELS.neginf,
  SPECIAL_PIXELS.posinf,
  SPECIAL_PIXELS.nan,
];

/** Cached: each drawn value needs one. @type {Map<MapName, Uint32Array>} */
const tables = new Map();

/** A map as pixels, as `ImageData` expects them on little-endian machines: of its levels, of marks, infinities and NaN. @param {MapName} name @returns {Uint32Array} */
export function lookupTable(name) {
  const known = tables.get(name);
  if (known) return known;
  const colour = MAPS[name] ?? between(STOPS[name] ?? "");
  const table = Uint32Array.from({ length: NAN + 1 }, (_, level) => pixelOfChannels(colour(Math.min(level, LEVELS))));
  table.set(AFTER_LAST, DARK);
  tables.set(name, table);
  return table;
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
