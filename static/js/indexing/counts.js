/** How many elements belong to the chosen ones, in sentences. */
import { countOf } from "../tensor/axes.js";
import { count, placesIn } from "./regions.js";
import { processNames } from "./processes.js";
import { across } from "./related.js";

/** @typedef {import("./related.js").OpMaps} OpMaps */

/** A number with its thousands apart. @param {number} number */
export const counted = (number) => number.toLocaleString("en");

/** @param {OpMaps} maps @param {import("./related.js").Chosen} chosen @param {import("./related.js").Related[]} found @param {boolean} waiting @param {readonly string[]} [processes] names of the places @returns {string[]} */
export function countSentences(maps, chosen, found, waiting, processes = []) {
  const { side, number, boxes, at } = chosen;
  const own = (side === "operand" ? maps.operands : maps.results)[number];
  const others = across(side) === "operand" ? maps.operands : maps.results;
  const chosenCount = boxes.reduce((sum, { sizes }) => sum + countOf(sizes), 0);
  const what = chosenCount === 1 ? elementName(own?.name ?? "", at) : `${counted(chosenCount)} elements of ${own?.name}`;
  if (waiting && found.every(({ region }) => region?.parts.length === 0)) return [`${what}: which elements belong depends on numbers that are not here yet.`];
  if (found.length === 0) return [`${what} ${side === "result" ? (chosenCount > 1 ? "read no operand" : "reads no operand") : `${chosenCount > 1 ? "are" : "is"} read by no result`}.`];
  // An op that reads a value twice says so once.
  return [...new Set(found.map(({ number: other, region, placed }) => sentence(what, chosenCount, side, others[other], region, placed ? processes : null)))];
}

/**
 * @param {string} what @param {number} many @param {"operand"|"result"} side @param {import("./related.js").Named|undefined} other
 * @param {import("./regions.js").Region|null} region @param {readonly string[]|null} processes of a region with places: their names @returns {string}
 */
function sentence(what, many, side, other, region, processes) {
  const plural = many > 1;
  const verb = side === "result" ? (plural ? "read" : "reads") : plural ? "go into" : "goes into";
  const name = other?.name ?? "";
  if (region === null) return `${what} ${verb} ${name}: which elements is not known.`;
  const all = countOf(other?.shape ?? []);
  const { count: several, exact } = count(region);
  const most = exact ? "" : "at most ";
  if (several === 0 && region.waiting) return `${what} ${verb} ${name}: which elements depends on numbers that are not here.`;
  if (several === 0) return `${what} ${verb} no element of ${name}.`;
  if (processes) return `${what} ${verb} ${most}${counted(several)} ${several === 1 ? "element" : "elements"} of ${name}, ${inProcesses(placesIn(region), processes)}.`;
  return `${what} ${verb} ${most}${counted(several)} of ${counted(all)} ${all === 1 ? "element" : "elements"} of ${name}.`;
}

/** @param {number[]} places @param {readonly string[]} names @returns {string} */
function inProcesses(places, names) {
  const [first = 0] = places;
  if (places.length === 1 && !names[first]) return `in the process at place ${first} of its group`;
  return `in ${processNames(places, names)}`;
}

/** `%x[1, 2]`; a scalar has only its name. @param {string} name @param {readonly number[]} at @returns {string} */
export const elementName = (name, at) => (at.length > 0 ? `${name}[${at.join(", ")}]` : name);
