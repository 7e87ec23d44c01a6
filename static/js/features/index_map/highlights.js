/**
 * The highlights of each tensor: the chosen elements, the related elements on the other side, windows and marks.
 *
 * @typedef {{side: import("../../core/indexing/related.js").Side, number: number}} Tensor
 */
import { atPlace, count, emptyRegion, placesIn, regionOf, wholeBox } from "../../core/indexing/regions.js";
import { across } from "../../core/indexing/related.js";
import { countOf } from "../../core/tensor/axes.js";
import { spanText } from "../../core/tensor/element_sets.js";
import { counted, countText } from "../../core/tensor/elements.js";
import { unlit } from "../../ui/tensor_grid/projection.js";
import { processNames } from "./group_views.js";
/** @import {Values} from "../../core/indexing/maps.js" */
/** @import {Chosen, OpMaps, Related} from "../../core/indexing/related.js" */
/** @import {Lit} from "../../ui/tensor_grid/projection.js" */

/**
 * @param {Tensor} tensor @param {number[]} shape @param {Chosen|null} chosen @param {Related[]} found @param {import("./group_views.js").View} view whose picture it is
 * @param {{padding: Map<string, import("../../core/indexing/window_positions.js").Padding>, marks: Map<string, Lit["marks"]>, windows: Map<string, Pick<Lit, "outlines"|"ghosts">>}} parts
 * @returns {Lit}
 */
export function highlightsOf({ side, number }, shape, chosen, found, { place, own }, { padding, marks, windows }) {
  const name = `${side} ${number}`;
  const lit = {
    ...unlit(),
    padding: padding.get(name) ?? null,
    ...(own ? { marks: marks.get(name) ?? [], ...windows.get(name) } : {}),
  };
  if (!chosen) return lit;
  if (chosen.side === side) {
    return own && chosen.number === number ? { ...lit, role: "source", region: regionOf(shape, chosen.boxes) } : lit;
  }
  const belongs = found.find((item) => item.number === number);
  if (!belongs) return { ...lit, role: "related", region: emptyRegion(shape) };
  if (belongs.region === null) return { ...lit, role: "related", unknown: true };
  return { ...lit, role: "related", region: regionAt(belongs, { place, own }, shape) };
}

/** The related elements in one process; none for an unknown process. @param {Related} belongs @param {import("./group_views.js").View} view @param {number[]} shape */
function regionAt({ region, placed }, { place, own }, shape) {
  if (!region || (!placed && !own)) return emptyRegion(shape);
  if (!placed) return region;
  return place === null ? emptyRegion(shape) : atPlace(region, place);
}

/** The processes of the tensors on the other side, if the maps name any. @param {Related[]} found @returns {number[]} */
export function placesOf(found) {
  const all = new Set(found.flatMap(({ region, placed }) => (placed && region ? placesIn(region) : [])));
  return [...all].sort((a, b) => a - b);
}

/** The number of elements related to the chosen ones, as sentences. */

/** @param {OpMaps} maps @param {Chosen} chosen @param {Related[]} found @param {boolean} waiting @param {readonly string[]} [processes] names of the places @returns {string[]} */
export function countSentences(maps, chosen, found, waiting, processes = []) {
  const { side, number, boxes, at } = chosen;
  const own = (side === "operand" ? maps.operands : maps.results)[number];
  const others = across(side) === "operand" ? maps.operands : maps.results;
  const chosenCount = boxes.reduce((sum, { sizes }) => sum + countOf(sizes), 0);
  const what =
    chosenCount === 1 ? elementName(own?.name ?? "", at) : `${countText(chosenCount)} elements of ${own?.name}`;
  if (waiting && found.every(({ region }) => region?.parts.length === 0))
    return [`${what}: which elements belong depends on numbers that are not here yet.`];
  if (found.length === 0)
    return [
      `${what} ${side === "result" ? (chosenCount > 1 ? "read no operand" : "reads no operand") : `${chosenCount > 1 ? "are" : "is"} read by no result`}.`,
    ];
  // An op that reads a value twice gets one sentence.
  return [
    ...new Set(
      found.map(({ number: other, region, placed }) =>
        sentence(what, chosenCount, side, others[other], region, placed ? processes : null),
      ),
    ),
  ];
}

/**
 * @param {string} what @param {number} many @param {"operand"|"result"} side @param {import("../../core/indexing/related.js").Named|undefined} other
 * @param {import("../../core/indexing/regions.js").Region|null} region @param {readonly string[]|null} processes of a region with places: their names @returns {string}
 */
function sentence(what, many, side, other, region, processes) {
  const plural = many > 1;
  const verb = side === "result" ? (plural ? "read" : "reads") : plural ? "go into" : "goes into";
  const name = other?.name ?? "";
  if (region === null) return `${what} ${verb} ${name}: which elements is not known.`;
  const all = countOf(other?.shape ?? []);
  const { count: several, exact } = count(region);
  const most = exact ? "" : "at most ";
  if (several === 0 && region.waiting)
    return `${what} ${verb} ${name}: which elements depends on numbers that are not here.`;
  if (several === 0) return `${what} ${verb} no element of ${name}.`;
  if (processes)
    return `${what} ${verb} ${most}${counted(several, "element")} of ${name}, ${inProcesses(placesIn(region), processes)}.`;
  const which = exact && several < all ? boxWords(region) : "";
  return `${what} ${verb} ${most}${countText(several)} of ${counted(all, "element")} of ${name}${which}.`;
}

/** `: [9, 0…5]`; nothing for elements that are not one box. @param {import("../../core/indexing/regions.js").Region} region @returns {string} */
function boxWords({ shape, parts: [part = [], ...others] }) {
  const spans = shape.map((_, axis) => {
    const { axes = [], boxes = [] } = part.find((factor) => factor.axes.includes(axis)) ?? {};
    const [{ start, sizes, strides } = wholeBox([]), ...more] = boxes;
    const at = axes.indexOf(axis);
    return more.length > 0 ? "" : spanText(start[at] ?? 0, sizes[at] ?? 1, strides[at] ?? 1);
  });
  return others.length > 0 || spans.includes("") ? "" : `: [${spans.join(", ")}]`;
}

/** @param {number[]} places @param {readonly string[]} names @returns {string} */
function inProcesses(places, names) {
  const [first = 0] = places;
  if (places.length === 1 && !names[first]) return `in the process at place ${first} of its group`;
  return `in ${processNames(places, names)}`;
}

/** `%x[1, 2]`; only the name for a scalar. @param {string} name @param {readonly number[]} at @returns {string} */
export const elementName = (name, at) => (at.length > 0 ? `${name}[${at.join(", ")}]` : name);
