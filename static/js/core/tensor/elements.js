/**
 * Elements of a value as text and numbers: exact, with the fewest digits that tell an element from its neighbours.
 *
 * @typedef {{dtype: import("../types.js").WireType, components: 1|2}} Wire
 * @typedef {"boolean"|"integer"|"float"|"complex"} Kind
 * @typedef {number|bigint|{re: number, im: number}} Element
 */
import { digits, separator } from "../preferences.js";
/** @import {Plane} from "../view_types.js" */

/** Significand bits and smallest normal exponent of the floats that travel as f32. */
/** @type {Record<string, [number, number]>} */
const SMALL_FLOATS = {
  f16: [11, -14],
  bf16: [8, -126],
  tf32: [11, -126],
  f8E3M4: [5, -2],
  f8E4M3: [4, -6],
  f8E4M3FN: [4, -6],
  f8E4M3FNUZ: [4, -7],
  f8E4M3B11FNUZ: [4, -10],
  f8E5M2: [3, -14],
  f8E5M2FNUZ: [3, -15],
  f8E8M0FNU: [1, -127],
  f6E2M3FN: [4, 0],
  f6E3M2FN: [3, -2],
  f4E2M1FN: [2, 0],
};

const NONFINITE = /NaN|Inf/;

/** Maximum characters of a rounded float: `-0.036`. */
const LEAST_ROOM = 6;

/** The kind of the elements. @param {string} elementType @param {Wire} wire @returns {Kind} */
export function kindOf(elementType, wire) {
  if (elementType === "i1" || elementType === "pred") return "boolean";
  if (wire.components === 2) return "complex";
  return wire.dtype.startsWith("f") ? "float" : "integer";
}

/** Element `index` of a plane. @param {Plane} plane @param {Wire} wire @param {number} index @returns {Element} */
export function elementAt(plane, wire, index) {
  if (wire.components === 1) return plane[index] ?? NaN;
  return { re: Number(plane[2 * index]), im: Number(plane[2 * index + 1]) };
}

/** An element, exactly. @param {Element} element @param {string} elementType @param {Wire} wire @returns {string} */
export function elementText(element, elementType, wire) {
  if (typeof element === "object") return complexText(element, (part) => floatText(part, wire.dtype));
  if (elementType === "i1" || elementType === "pred") return element ? "true" : "false";
  if (!wire.dtype.startsWith("f")) return String(element);
  return floatText(Number(element), elementType);
}

/** @param {{re: number, im: number}} number @param {(part: number) => string} write @returns {string} */
function complexText({ re, im }, write) {
  const imaginary = write(im);
  return `${write(re)}${/^[+-]/.test(imaginary) ? "" : "+"}${imaginary}i`;
}

/** The shortest decimal that reads back as the same number of its type. @param {number} value @param {string} type @returns {string} */
export function floatText(value, type) {
  if (!Number.isFinite(value)) return nonFiniteText(value);
  if (Object.is(value, -0)) return "-0";
  const round = roundingOf(type);
  if (round === null) return String(value);
  for (let digits = 1; digits <= 9; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (round(rounded) === value) return String(rounded);
  }
  return String(value);
}

/** @param {number} value @returns {string} */
function nonFiniteText(value) {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/** The rounding of a type; null for f64, which JavaScript prints itself. @param {string} type @returns {((value: number) => number)|null} */
export function roundingOf(type) {
  if (type === "f64") return null;
  const small = SMALL_FLOATS[type];
  return small ? (value) => roundTo(value, ...small) : Math.fround;
}

/** @param {number} value @param {number} bits @param {number} smallest @returns {number} */
function roundTo(value, bits, smallest) {
  if (value === 0) return value;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(value))), smallest);
  const unit = 2 ** (exponent - bits + 1);
  const quotient = Math.abs(value) / unit;
  const floor = Math.floor(quotient);
  const rest = quotient - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 === 1);
  return Math.sign(value) * (floor + (up ? 1 : 0)) * unit;
}

/** An element in at most `room` characters, rounded if needed; null if that is still too long. @param {Element} element @param {string} elementType @param {Wire} wire @param {number} room @returns {string|null} */
export function fittedText(element, elementType, wire, room) {
  const exact = elementText(element, elementType, wire);
  if (NONFINITE.test(exact) && exact.length <= room) return exact;
  // If most elements would not fit, or would keep one digit, none is written.
  if (wire.dtype.startsWith("f") && room < LEAST_ROOM) return null;
  if (exact.length <= room) return exact;
  if (elementType === "i1" || elementType === "pred") return room > 0 ? exact.slice(0, 1) : null;
  for (let digits = 6; digits >= 2; digits--) {
    const text = round(element, digits);
    if (text.length <= room) return text;
  }
  // The magnitude of a very large or small number says more than an empty cell.
  const text = round(element, 1);
  return text.includes("e") && text.length <= room ? text : null;
}

/** @param {Element} element @param {number} digits @returns {string} */
function round(element, digits) {
  if (typeof element === "object") return complexText(element, (part) => short(part, digits));
  return short(element, digits);
}

/** A number that represents many, or has little space. @param {number|bigint|string|null|undefined} value @param {number} [digits] @returns {string} */
export function short(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  const number = Number(value);
  if (!Number.isFinite(number)) return nonFiniteText(number);
  if (Number.isInteger(number) && Math.abs(number) < 10 ** Math.max(digits, 4)) return String(number);
  const size = Math.abs(number);
  if (size < 1e-4 || size >= 10 ** Math.max(digits, 6)) return exponential(number, digits);
  return String(Number(number.toPrecision(digits)));
}

/** @param {number} number @param {number} digits @returns {string} */
function exponential(number, digits) {
  const [mantissa = "", exponent = ""] = number.toExponential(digits - 1).split("e");
  return `${Number(mantissa)}e${exponent.replace("+", "")}`;
}

/**
 * A number in a few digits and in full: the shortest decimal of its type, rounded where that is long. Long integers
 * arrive as text and stay exact.
 *
 * @param {number|string|null|undefined} value @param {string} type @returns {{text: string, whole: string}}
 */
export function digitsOf(value, type) {
  if (value === null || value === undefined) return { text: "–", whole: "–" };
  const number = Number(value);
  const isWhole = typeof value === "string" ? /^-?\d+$/.test(value) : Number.isInteger(number);
  if (isWhole && !Object.is(number, -0) && Math.abs(number) >= 1e21)
    return { text: short(number, Number(digits.peek())), whole: floatText(number, type) };
  if (isWhole && !Object.is(number, -0)) return { text: String(value), whole: String(value) };
  const whole = floatText(number, type);
  const length = whole
    .replace(/e.*$/, "")
    .replace(/^-?[0.]*/, "")
    .replace(".", "").length;
  const most = Number(digits.peek());
  return { text: length > most ? short(number, most) : whole, whole };
}

const COUNTS = new Intl.NumberFormat("en");
const ORDINALS = new Intl.PluralRules("en", { type: "ordinal" });
/** @type {Record<string, string>} */
const SUFFIXES = { one: "st", two: "nd", few: "rd", other: "th" };

/** A count with the chosen thousands separators, which what is drawn later follows: a component that read a signal here would be drawn less often. @param {number|bigint} value @returns {string} */
export const countText = (value) => COUNTS.format(value).replaceAll(",", separator.peek());

/** `12.5`, `1,024`: at most that many decimals. @param {number} value @param {number} [decimals] @returns {string} */
export const decimalText = (value, decimals = 1) => countText(Number(value.toFixed(decimals)));

/** `12.5 %`; a share that is neither 0 nor 1 is not rounded to either. @param {number} part @returns {string} */
export function percentText(part) {
  if (part > 0 && part < 0.001) return "under 0.1 %";
  return `${decimalText(part < 1 ? Math.min(100 * part, 99.9) : 100 * part)} %`;
}

/** `1st`, `22nd`, `1,013th`. @param {number} number @returns {string} */
export const ordinal = (number) => `${countText(number)}${SUFFIXES[ORDINALS.select(number)]}`;

/** `[0, 3]`. @param {readonly number[]} index @returns {string} */
export const indexText = (index) => `[${index.join(", ")}]`;

/** `1 step`, `2,048 steps`. @param {number} count @param {string} one @param {string} [many] @returns {string} */
export const counted = (count, one, many = `${one}s`) => `${countText(count)} ${count === 1 ? one : many}`;

/** A distance in units in the last place. @param {number|string} ulps @returns {string} */
export function ulpsText(ulps) {
  const count = Number(ulps);
  if (count === 1) return "1 ulp";
  return `${count < 1e6 && Number.isInteger(count) ? countText(count) : short(count)} ulps`;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** `192 B`, `1.5 KiB`, `64 MiB`. @param {number|string} size in bytes; digits beyond 2^53 @returns {string} */
export function bytesText(size) {
  const bytes = Number(size);
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${short(bytes / 1024 ** power, 3)} ${UNITS[power]}`;
}

/** The element type as the program spells it. @param {{type: string, elementType: string|null}} of a tensor @returns {string} */
export const elementName = ({ type, elementType }) => /^\w+(?=\[)/.exec(type)?.[0] ?? elementType ?? type;

/** The number of bits of one element, from its type. @param {string} elementType @returns {number} */
export function bitsOf(elementType) {
  if (elementType === "i1" || elementType === "pred") return 8;
  const digits = /^[a-z]+(\d+)/.exec(elementType.replace(/^complex<(.*)>$/, "$1"));
  const bits = digits ? Number(digits[1]) : 8;
  return elementType.startsWith("complex") ? 2 * bits : bits;
}
