/**
 * Judge answers by the rules of app/wire/lessons.py. A text that is not an answer of its kind is not wrong: the page
 * says what it accepts.
 *
 * @typedef {Pick<Ask, "ask"|"number_kind"|"digits"|"truth"|"cells"|"options"|"wrong">} Judged
 * @typedef {keyof typeof PROBLEMS} Problem
 * @typedef {{right: boolean, html: string, problem?: undefined}|{problem: Problem}} Verdict
 *   html: the feedback for this wrong answer, if the lesson has one
 */
import { indexText } from "../../core/tensor/elements.js";
/** @import {AskBlock as Ask, LessonAnswer as Truth} from "../../core/types.js" */

const WHOLE = /^[-+]?\d+$/;
const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/;
/** Separators of a shape or an index, and brackets around its numbers. */
const LIST = /^[\s\dx×*,()[\]]*$/i;

/** Messages for texts that are not an answer. */
export const PROBLEMS = {
  integer: "This is not a whole number: write it in digits, as 3 or -12.",
  float: "This is not a number: write it as 3, -0.5, 1e-3, 1/3, NaN or Inf.",
  truth: "This is neither true nor false: write one of the two.",
  shape: "This is not a shape: write its sizes as 3x4 or (3, 4); of a scalar write ().",
  cell: "This is not an index: write it as 1, 0, a number for each dimension.",
  comma: "Is the comma a decimal point? Write a point.",
  none: "Choose one of the answers.",
};

/** Judge a typed answer; for a choice it is the number of the option. @param {Judged} ask @param {string} text @returns {Verdict} */
export function judge(ask, text) {
  if (ask.ask === "choice") return judgeOption(ask.options[text.trim() === "" ? -1 : Number(text)]);
  const isLike = readerOf(ask)(text);
  if (typeof isLike === "string") return { problem: isLike };
  const right = ask.ask === "cell" ? (ask.cells ?? []).some(isLike) : ask.truth !== null && isLike(ask.truth);
  const known = right ? undefined : ask.wrong.find(({ value }) => isLike(value));
  return { right, html: known?.html ?? "" };
}

/** @param {import("../../core/types.js").LessonOption|undefined} option @returns {Verdict} */
const judgeOption = (option) => (option ? { right: option.right, html: option.says_html } : { problem: "none" });

/**
 * Parse a text: whether it equals the truth, or the message why it is no answer.
 *
 * @param {Judged} ask @returns {(text: string) => ((truth: Truth) => boolean)|Problem}
 */
function readerOf({ ask, number_kind: kind, digits }) {
  if (ask === "shape") return (text) => likeList(readList(text), "shape");
  if (ask === "cell") return (text) => likeList(readList(text), "cell");
  if (kind === "truth") return likeTruth;
  return kind === "integer" ? likeInteger : (text) => likeFloat(text, digits ?? 3);
}

/** All minus signs are equal, and digits may be grouped, but not after a leading 0: that comma is a decimal one. @param {string} text @returns {string} */
const plain = (text) =>
  text
    .trim()
    .toLowerCase()
    .replaceAll("−", "-")
    .replaceAll(/(?<=\d)(?<!^[-+]?0)(,|_)(?=\d{3}(?!\d))/g, "")
    .replaceAll(/(?<=\d)_(?=\d)/g, "");

/** @param {string} text @returns {((truth: Truth) => boolean)|Problem} */
function likeTruth(text) {
  const said = plain(text);
  const value = ["true", "yes", "1"].includes(said) ? "true" : ["false", "no", "0"].includes(said) ? "false" : null;
  return value === null ? "truth" : (truth) => truth === value;
}

/** As exact as the integers are long. @param {string} text @returns {((truth: Truth) => boolean)|Problem} */
function likeInteger(text) {
  const said = plain(text);
  if (said.includes(",")) return "comma";
  const value = WHOLE.test(said) ? said : DECIMAL.test(said) ? wholeText(Number(said)) : null;
  if (value === null) return "integer";
  return (truth) => typeof truth === "string" && WHOLE.test(truth) && bigInt(truth) === bigInt(value);
}

/** Not a whole number: it equals no integer. @param {number} number */
const wholeText = (number) => (Number.isInteger(number) ? String(BigInt(number)) : "");

/** @param {string} text @returns {bigint|null} */
const bigInt = (text) => (text === "" ? null : BigInt(text.replace(/^\+/, "")));

/** @param {string} text @param {number} digits @returns {((truth: Truth) => boolean)|Problem} */
function likeFloat(text, digits) {
  const said = plain(text);
  if (/\d,\d/.test(said)) return "comma";
  const value = readFloat(said);
  if (value === null) return "float";
  return (truth) => typeof truth === "string" && isNear(value, readFloat(truth.toLowerCase()) ?? NaN, digits);
}

/** @param {string} said @returns {number|null} */
function readFloat(said) {
  const [, sign = "", name = ""] = /^([-+]?)\s*(nan|inf|infinity|∞)$/.exec(said) ?? [];
  if (name === "nan") return NaN;
  if (name) return sign === "-" ? -Infinity : Infinity;
  const [above = "", below = "1", ...others] = said.split("/").map((part) => part.trim());
  if (others.length > 0 || !DECIMAL.test(above) || !DECIMAL.test(below)) return null;
  return Number(above) / Number(below);
}

/** Within one unit of the last significant digit that counts. @param {number} value @param {number} truth @param {number} digits */
function isNear(value, truth, digits) {
  if (Number.isNaN(truth) || Number.isNaN(value)) return Number.isNaN(truth) && Number.isNaN(value);
  if (!Number.isFinite(truth) || !Number.isFinite(value)) return value === truth;
  const unit = truth === 0 ? 10 ** -digits : 10 ** (Math.floor(Math.log10(Math.abs(truth))) - digits + 1);
  // A small margin: one decimal unit may be more in binary.
  return Math.abs(value - truth) <= unit * (1 + 1e-9);
}

/** The whole numbers of a shape or an index, in order; null for other texts. @param {string} text @returns {number[]|null} */
export function readList(text) {
  const said = text.trim().toLowerCase();
  if (said === "scalar") return [];
  if (said === "" || !LIST.test(said) || !/[\d()[\]]/.test(said)) return null;
  return (said.match(/\d+/g) ?? []).map(Number);
}

/** @param {number[]|null} said @param {Problem} problem @returns {((truth: Truth) => boolean)|Problem} */
const likeList = (said, problem) =>
  said === null ? problem : (truth) => Array.isArray(truth) && isSameList(said, truth);

/** @param {readonly number[]} one @param {readonly number[]} other */
const isSameList = (one, other) => one.length === other.length && one.every((number, at) => number === other[at]);

/** Judge an answer that is a position. @param {Pick<Ask, "truth"|"place"|"run"|"wrong">} ask @param {{run: number, process: number, step: number}} here @returns {Verdict} */
export function judgeStep({ truth, place, run, wrong }, here) {
  const isThere = here.run === run && here.process === (place?.process ?? 0);
  const isAt = (/** @type {Truth} */ steps) => isThere && Array.isArray(steps) && steps.includes(here.step);
  const right = truth !== null && isAt(truth);
  return { right, html: right ? "" : (wrong.find(({ value }) => isAt(value))?.html ?? "") };
}

/** The right answer in words; a choice and a step are shown otherwise. @param {Pick<Ask, "ask"|"truth"|"cells">} ask @param {string} or @returns {string} */
export function truthText({ ask, truth, cells }, or = " or ") {
  if (ask === "cell") return (cells ?? []).slice(0, 4).map(indexText).join(or);
  if (ask === "shape" && Array.isArray(truth)) return `(${truth.join(", ")})`;
  return typeof truth === "string" ? truth : "";
}
