/**
 * Judge typed answers: numbers, indices and shapes, in common spellings.
 *
 * @typedef {"right"|"wrong"|"unreadable"} Verdict
 */
/** @import {ExampleQuestion} from "../../core/types.js" */

/** The hint beside the field. */
export const FORMS = {
  number: "a number, NaN, +Inf or -Inf",
  index: "an index, such as 1, 0",
  shape: "a shape, such as 3x4",
  choice: "",
};

const NONFINITE = /^([+-]?)(?:inf|infinity|∞)$/iu;
const INTEGER = /^[+-]?\d+$/u;

/** @param {ExampleQuestion} question @param {string} text @returns {Verdict} */
export function verdict({ kind, truth, digits }, text) {
  if (kind === "choice") return text === truth ? "right" : "wrong";
  if (kind === "number")
    return numberVerdict(truth, text.replaceAll(/[\s_]|(?<=\d),(?=(\d{3},?)+(?!\d))/gu, ""), digits);
  const given = sizes(text, kind === "shape");
  if (given === null) return "unreadable";
  return given === sizes(truth, kind === "shape") ? "right" : "wrong";
}

/** Integers with or without brackets, separated by commas, spaces or ×. @param {string} text @param {boolean} isShape @returns {string|null} */
function sizes(text, isShape) {
  const inner = text
    .trim()
    .replace(/^%\w+/u, "")
    .replace(/^[[(](.*)[\])]$/u, "$1")
    .replace(/,\s*$/u, "");
  const parts = inner.split(isShape ? /\s*[x×*,\s]\s*/iu : /\s*[,\s]\s*/u);
  if (!parts.every((part) => /^\d+$/u.test(part))) return null;
  return parts.map(Number).join(",");
}

/** @param {string} truth @param {string} text without spaces @param {number|null} digits @returns {Verdict} */
function numberVerdict(truth, text, digits) {
  const [given, right] = [read(text), read(truth)];
  if (given === null || right === null) return "unreadable";
  if (typeof given === "bigint" && typeof right === "bigint") return given === right ? "right" : "wrong";
  return same(Number(given), Number(right), digits) ? "right" : "wrong";
}

/** @param {string} text @returns {number|bigint|null} */
function read(text) {
  if (INTEGER.test(text)) return BigInt(text.replace(/^\+/u, ""));
  if (/^[+-]?nan$/iu.test(text)) return Number.NaN;
  const infinite = NONFINITE.exec(text);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  const number = Number(text);
  return text === "" || Number.isNaN(number) ? null : number;
}

/** Whether two numbers agree in this many significant digits. @param {number} given @param {number} right @param {number|null} digits */
function same(given, right, digits) {
  if (Object.is(given, right) || given === right) return true;
  if (digits === null || !Number.isFinite(given) || !Number.isFinite(right) || right === 0) return false;
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(right))) - digits + 1);
  return Math.abs(given - right) <= 0.5 * unit * (1 + 1e-9);
}
