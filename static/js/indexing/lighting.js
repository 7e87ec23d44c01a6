/**
 * What is lit in each tensor, given what one looks at: the chosen elements themselves, what belongs to them on the other
 * side, windows, and what is remarkable anyway.
 *
 * @typedef {import("./related.js").OpMaps} OpMaps
 * @typedef {import("./related.js").Chosen} Chosen
 * @typedef {import("./related.js").Related} Related
 * @typedef {import("./projecting.js").Lit} Lit
 * @typedef {import("./maps.js").Values} Values
 * @typedef {{side: import("./related.js").Side, number: number}} Tensor
 */
import { unlit } from "./projecting.js";
import { atPlace, nothing, placesIn, regionOf } from "./regions.js";

/**
 * @param {Tensor} tensor @param {number[]} shape @param {Chosen|null} chosen @param {Related[]} found @param {import("./processes.js").View} view whose picture it is
 * @param {{padding: Map<string, import("./projecting.js").Padding>, marks: Map<string, Lit["marks"]>, windows: Map<string, Pick<Lit, "outlines"|"ghosts">>}} parts
 * @returns {Lit}
 */
export function litIn({ side, number }, shape, chosen, found, { place, own }, { padding, marks, windows }) {
  const name = `${side} ${number}`;
  const lit = { ...unlit(), padding: padding.get(name) ?? null, ...(own ? { marks: marks.get(name) ?? [], ...windows.get(name) } : {}) };
  if (!chosen) return lit;
  if (chosen.side === side) {
    return own && chosen.number === number ? { ...lit, role: "source", region: regionOf(shape, chosen.boxes) } : lit;
  }
  const belongs = found.find((item) => item.number === number);
  if (!belongs) return { ...lit, role: "related", region: nothing(shape) };
  if (belongs.region === null) return { ...lit, role: "related", unknown: true };
  return { ...lit, role: "related", region: regionAt(belongs, { place, own }, shape) };
}

/** What belongs in one process; elements of unknown processes belong in none. @param {Related} belongs @param {import("./processes.js").View} view @param {number[]} shape */
function regionAt({ region, placed }, { place, own }, shape) {
  if (!region || (!placed && !own)) return nothing(shape);
  if (!placed) return region;
  return place === null ? nothing(shape) : atPlace(region, place);
}

/** Where the tensors of the other side are, if maps tell: places of processes. @param {Related[]} found @returns {number[]} */
export function places(found) {
  const all = new Set(found.flatMap(({ region, placed }) => (placed && region ? placesIn(region) : [])));
  return [...all].sort((a, b) => a - b);
}
