/**
 * Numbers of index maps in words. A count is exact or an interval; numbers beyond 2^53 arrive as digits.
 *
 * @typedef {{operand: (number: number) => string, result: (number: number) => string}} Names
 */
import { countText as wholeText, decimalText, indexText, percentText } from "../../../core/tensor/elements.js";
/** @import {JsonNumber as Whole, CountInfo as Count, MeasureInfo as Measure, StartsInfo as Starts, WritersInfo as Writers, OverlapInfo as Overlap, MeasuresInfo as Measures} from "../../../core/types.js" */

/** @param {Whole} value @returns {string} */
export const integerText = (value) => wholeText(typeof value === "number" ? value : BigInt(value));

/** @param {Count} count @returns {boolean} */
export const isExact = ({ least, most }) => least === most;

/** `48`, `4 to 20`, `at most 20`. @param {Count} count @param {(value: Whole) => string} [write] @returns {string} */
export function countText(count, write = integerText) {
  if (isExact(count)) return write(count.most);
  return Number(count.least) === 0 ? `at most ${write(count.most)}` : `${write(count.least)} to ${write(count.most)}`;
}

/** The number of reads per element: `6 ×`, or `2.5 × (1 to 4)`. @param {Measure["reuse"]} reuse @returns {string} */
export function reuseText({ least, most, mean }) {
  if (isExact(least) && isExact(most) && least.most === most.most) return `${integerText(most.most)} ×`;
  const range = isExact(least) && isExact(most) ? `${integerText(least.most)} to ${integerText(most.most)}` : "";
  if (mean === null) return range && `${range} ×`;
  return `${decimalText(mean, 2)} ×${range && ` (${range})`}`;
}

/** @param {{least: number, most: number}} part @returns {string} */
export function partText({ least, most }) {
  if (least === most) return percentText(most);
  return least === 0 ? `at most ${percentText(most)}` : `${percentText(least)} to ${percentText(most)}`;
}

/** The verdict in one or two words, and its reason as a sentence. @param {Measure} measure @returns {{short: string, long: string}} */
export function kindText({ bijection, injective, single_valued: single, covers }) {
  if (bijection)
    return {
      short: "bijection",
      long: "Each result element reads one element, and each element is read by one result element.",
    };
  const reaches = covers === false ? " Not every result element reads it." : "";
  if (single === null || injective === null)
    return { short: "depends on the run", long: `Which elements correspond depends on values.${reaches}` };
  if (single && injective)
    return { short: "one to one", long: `No element is read by two result elements, and none reads two.${reaches}` };
  if (single)
    return {
      short: "one to many",
      long: `An element goes to several result elements, each of which reads one.${reaches}`,
    };
  if (injective)
    return {
      short: "many to one",
      long: `A result element reads several elements, and no other result element reads these.${reaches}`,
    };
  return { short: "many to many", long: `Result elements read several elements and share them.${reaches}` };
}

/** The sharing between neighbouring results. @param {Measure} measure @returns {string} */
export function sharedText({ perIndex, shared }) {
  const parts = shared.flatMap((count, axis) =>
    count > 0 ? [`${integerText(count)} with its neighbour along d${axis}`] : [],
  );
  if (perIndex === null || perIndex < 2 || parts.length === 0) return "";
  return `A result element in the middle reads ${integerText(perIndex)} and shares ${parts.join(", ")}.`;
}

/** @param {Starts} starts @param {Names} names @returns {string[]} */
export function startsText({ operand, of, interval, clamped, count, below, above, complete, examples }, names) {
  const tensor = of.operand === undefined ? names.result(of.result ?? 0) : names.operand(of.operand);
  const where = `dimension ${of.dimension} of ${tensor}`;
  if (!complete) return [`The starts in ${where} are too many to look at each.`];
  const some = `${integerText(count)} ${count === 1 ? "start" : "starts"} in ${where}, read from ${names.operand(operand)}`;
  if (below + above === 0) return [`${some}: all within [${interval.join(", ")}].`];
  const sides = [
    below && `${integerText(below)} below ${interval[0]}`,
    above && `${integerText(above)} above ${interval[1]}`,
  ]
    .filter(Boolean)
    .join(", ");
  const lines = [`${some}: ${sides}. ${clamped ? "They are clamped." : "Nothing is written there."}`];
  for (const { at: place, value, used } of examples) {
    lines.push(
      `${names.operand(operand)}${place.length ? indexText(place) : ""} = ${integerText(value)}${used === null ? " is dropped" : ` is read as ${used}`}`,
    );
  }
  return lines;
}

/** @param {Writers} writers @param {Names} names @returns {string[]} */
export function writersText({ operand, result, updates, written, several, dropped, most, examples }, names) {
  const twice =
    Number(several) === 0
      ? "none of them more than once"
      : `${integerText(several)} of them more than once (up to ${integerText(most)} times)`;
  const lost =
    Number(dropped) === 0
      ? "No update is dropped."
      : `${integerText(dropped)} ${Number(dropped) === 1 ? "update lies" : "updates lie"} outside and ${Number(dropped) === 1 ? "is" : "are"} dropped.`;
  const lines = [
    `The ${integerText(updates)} updates of ${names.operand(operand)} write ${integerText(written)} elements of ${names.result(result)}, ${twice}. ${lost}`,
  ];
  for (const { element, updates: own } of examples)
    lines.push(`${indexText(element)} is written by ${own.map(indexText).join(", ")}`);
  return lines;
}

/** @param {Overlap} overlap @param {Names} names @returns {string} */
export function overlapText({ operands, elements }, names) {
  const [left, right] = operands;
  return `Operands ${left} and ${right} are both ${names.operand(left ?? 0)}: ${countText(elements)} of its elements are read through both.`;
}

/** Integers separated by commas or ×; null for any other text. @param {string} text @returns {number[]|null} */
export function numbersIn(text) {
  const parts = text.split(/[\s,×x]+/).filter(Boolean);
  return parts.every((part) => /^\d{1,15}$/.test(part)) ? parts.map(Number) : null;
}
