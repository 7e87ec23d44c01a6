/**
 * The bits of an element: sign, exponent and mantissa, exact value, neighbours, unit in the last place.
 *
 * @typedef {{name: "sign"|"exponent"|"mantissa"|"integer", bits: string}} Field
 * @typedef {{fields: Field[], hex: string, kind: string, exact: string, below: string|null, above: string|null, ulp: string|null}} Bits
 *   bits: 0 and 1, the most significant first; kind: normal, denormal, zero …; below and above: the neighbours, null without one
 * @typedef {"ieee"|"fn"|"fnuz"|"finite"|"scale"} Specials  fn: NaN has all bits set, no infinities; fnuz: NaN has the bits
 *   of -0; finite: neither; scale: exponents alone, NaN has all bits set
 * @typedef {{exponent: number, mantissa: number, bias: number, specials: Specials}} Format
 */
/** @import {Wire} from "./elements.js" */
/** @import {Plane} from "../view_types.js" */
import { floatText, short } from "./elements.js";

/** @type {Record<string, [number, number, number, Specials]>} exponent bits, mantissa bits, bias */
const FORMATS = {
  f64: [11, 52, 1023, "ieee"],
  f32: [8, 23, 127, "ieee"],
  tf32: [8, 10, 127, "ieee"],
  bf16: [8, 7, 127, "ieee"],
  f16: [5, 10, 15, "ieee"],
  f8E3M4: [3, 4, 3, "ieee"],
  f8E4M3: [4, 3, 7, "ieee"],
  f8E5M2: [5, 2, 15, "ieee"],
  f8E4M3FN: [4, 3, 7, "fn"],
  f8E4M3FNUZ: [4, 3, 8, "fnuz"],
  f8E4M3B11FNUZ: [4, 3, 11, "fnuz"],
  f8E5M2FNUZ: [5, 2, 16, "fnuz"],
  f8E8M0FNU: [8, 0, 127, "scale"],
  f6E2M3FN: [2, 3, 1, "finite"],
  f6E3M2FN: [3, 2, 3, "finite"],
  f4E2M1FN: [2, 1, 1, "finite"],
};

/** @param {string} type @returns {Format|null} */
export function formatOf(type) {
  const row = FORMATS[type];
  return row ? { exponent: row[0], mantissa: row[1], bias: row[2], specials: row[3] } : null;
}

/** @param {Format} format */
const signBits = ({ specials }) => (specials === "scale" ? 0 : 1);
/** @param {Format} format */
const widthOf = (format) => signBits(format) + format.exponent + format.mantissa;

/**
 * The bits of element `index` of a plane. Small floats travel as f32, which keeps all but the pattern of some NaN.
 *
 * @param {Plane} plane @param {Wire} wire @param {string} type @param {number} index
 * @returns {bigint|null} null: a NaN that may have had another pattern
 */
export function wordAt(plane, wire, type, index) {
  const format = formatOf(type);
  if (!format) return BigInt.asUintN(integerWidth(type), BigInt(/** @type {number|bigint} */ (plane[index] ?? 0)));
  const bytes = new DataView(plane.buffer, plane.byteOffset + index * plane.BYTES_PER_ELEMENT);
  if (wire.dtype === "f64") return bytes.getBigUint64(0, true);
  const word = BigInt(bytes.getUint32(0, true));
  return type === "f32" ? word : narrowed(word, format);
}

/** The same number in a format below f32. @param {bigint} word of f32 @param {Format} format @returns {bigint|null} */
function narrowed(word, format) {
  const f32 = /** @type {Format} */ (formatOf("f32"));
  const { sign, exponent, mantissa } = partsOf(word, f32);
  const top = sign << BigInt(format.exponent + format.mantissa);
  if (exponent === 255n) return ofSpecial(sign, mantissa, top, format);
  const value = scaleOf(word, f32);
  if (value.magnitude === 0n) return top;
  const shift = BigInt(value.power + format.bias + format.mantissa - 1);
  // In units of the smallest denormal, and then without the bits that the exponent counts.
  const units = shift >= 0n ? value.magnitude << shift : value.magnitude >> -shift;
  const extra = BigInt(Math.max(0, bitLength(units) - 1 - format.mantissa));
  if (format.specials === "scale") return BigInt(value.power + bitLength(value.magnitude) - 1 + format.bias);
  return top | ((extra << BigInt(format.mantissa)) + (units >> extra));
}

/** @param {bigint} sign @param {bigint} mantissa of f32 @param {bigint} top @param {Format} format @returns {bigint|null} */
function ofSpecial(sign, mantissa, top, { exponent, mantissa: bits, specials }) {
  const ones = (/** @type {number} */ count) => (1n << BigInt(count)) - 1n;
  if (specials === "fnuz") return 1n << BigInt(exponent + bits);
  if (specials === "scale") return ones(exponent);
  if (specials === "fn") return top | ones(exponent + bits);
  const payload = mantissa >> BigInt(23 - bits);
  // Conversions of 8-bit types make one NaN of all.
  if (mantissa !== 0n && exponent + bits < 15) return null;
  return top | (ones(exponent) << BigInt(bits)) | payload;
}

/** @param {string} type @returns {number} */
export function integerWidth(type) {
  if (type === "i1" || type === "pred") return 1;
  return type === "index" ? 64 : Number(/\d+/.exec(type)?.[0] ?? 8);
}

/** @param {string} type @returns {boolean} */
const isSigned = (type) => type === "index" || (/^[is]\d/.test(type) && type !== "i1");

/** All about the bits of an element. @param {bigint} word @param {string} type @returns {Bits} */
export function describeBits(word, type) {
  const format = formatOf(type);
  return format ? floatBits(word, type, format) : integerBits(word, type);
}

/** @param {bigint} word @param {string} type @returns {Bits} */
function integerBits(word, type) {
  const width = integerWidth(type);
  const hex = hexText(word, width);
  const bits = word.toString(2).padStart(width, "0");
  if (width === 1 && !/^[su]1$/.test(type)) {
    const exact = word ? "true" : "false";
    return { fields: [{ name: "integer", bits }], hex, kind: "boolean", exact, below: null, above: null, ulp: null };
  }
  const signed = isSigned(type);
  const value = signed ? BigInt.asIntN(width, word) : word;
  const least = signed ? -(1n << BigInt(width - 1)) : 0n;
  const above = value + 1n < least + (1n << BigInt(width)) ? String(value + 1n) : null;
  /** @type {Field[]} */
  const fields = signed
    ? [
        { name: "sign", bits: bits.slice(0, 1) },
        { name: "integer", bits: bits.slice(1) },
      ]
    : [{ name: "integer", bits }];
  const below = value > least ? String(value - 1n) : null;
  return { fields, hex, kind: signed ? "two’s complement" : "unsigned", exact: String(value), below, above, ulp: "1" };
}

/** @param {bigint} word @param {string} type @param {Format} format @returns {Bits} */
function floatBits(word, type, format) {
  const bits = word.toString(2).padStart(widthOf(format), "0");
  const first = signBits(format);
  /** @type {Field[]} */
  const fields = [
    { name: "sign", bits: bits.slice(0, first) },
    { name: "exponent", bits: bits.slice(first, first + format.exponent) },
    { name: "mantissa", bits: bits.slice(first + format.exponent) },
  ];
  const kind = kindOfWord(word, format);
  const finite = kind !== "NaN" && kind !== "infinity";
  const neighbour = (/** @type {1n|-1n} */ by) => {
    const next = stepped(word, format, by);
    return next === null ? null : shortText(next, type, format);
  };
  return {
    fields: fields.filter((field) => field.bits !== ""),
    hex: hexText(word, widthOf(format)),
    kind,
    exact: finite ? exactText(word, format) : specialText(word, format),
    below: neighbour(-1n),
    above: neighbour(1n),
    ulp: finite ? ulpText(word, format) : null,
  };
}

/** @param {bigint} word @param {number} width */
const hexText = (word, width) => `0x${word.toString(16).padStart(Math.ceil(width / 4), "0")}`;

/** @param {bigint} word @param {Format} format */
function partsOf(word, { exponent, mantissa }) {
  const mask = (/** @type {number} */ count) => (1n << BigInt(count)) - 1n;
  return {
    sign: word >> BigInt(exponent + mantissa),
    exponent: (word >> BigInt(mantissa)) & mask(exponent),
    mantissa: word & mask(mantissa),
  };
}

/** @param {bigint} word @param {Format} format @returns {string} */
function kindOfWord(word, format) {
  const { exponent, mantissa } = partsOf(word, format);
  const width = BigInt(format.exponent + format.mantissa);
  const magnitude = word & ((1n << width) - 1n);
  const all = (1n << width) - 1n;
  const greatest = exponent === (1n << BigInt(format.exponent)) - 1n;
  const { specials } = format;
  if (specials === "ieee" && greatest) return mantissa === 0n ? "infinity" : "NaN";
  if ((specials === "fn" || specials === "scale") && magnitude === all) return "NaN";
  if (specials === "fnuz" && word === 1n << width) return "NaN";
  if (specials === "scale") return "power of two";
  if (magnitude === 0n) return "zero";
  return exponent === 0n ? "denormal" : "normal";
}

/** A finite number as `magnitude * 2^power`. @param {bigint} word @param {Format} format @returns {{magnitude: bigint, power: number}} */
function scaleOf(word, format) {
  const { exponent, mantissa } = partsOf(word, format);
  if (format.specials === "scale") return { magnitude: 1n, power: Number(exponent) - format.bias };
  const isNormal = exponent > 0n;
  return {
    magnitude: isNormal ? mantissa | (1n << BigInt(format.mantissa)) : mantissa,
    power: Math.max(1, Number(exponent)) - format.bias - format.mantissa,
  };
}

/** @param {bigint} word @param {Format} format @returns {boolean} */
const isNegative = (word, format) => signBits(format) === 1 && partsOf(word, format).sign === 1n;

/** @param {bigint} word @param {Format} format @returns {string} */
function specialText(word, format) {
  if (kindOfWord(word, format) === "NaN") return "NaN";
  return isNegative(word, format) ? "-Inf" : "+Inf";
}

/** @param {bigint} word @param {Format} format @returns {number} */
function numberOf(word, format) {
  const kind = kindOfWord(word, format);
  if (kind === "NaN") return NaN;
  const sign = isNegative(word, format) ? -1 : 1;
  if (kind === "infinity") return sign * Infinity;
  const { magnitude, power } = scaleOf(word, format);
  // In two steps: 2^-1074 times a magnitude is exact, 2^power alone may be 0.
  const half = Math.trunc(power / 2);
  return sign * Number(magnitude) * 2 ** half * 2 ** (power - half);
}

/** Maximum length of an exact neighbour; a longer one has the fewest digits that tell it from others. */
const MOST_EXACT = 22;

/** @param {bigint} word @param {string} type @param {Format} format @returns {string} */
function shortText(word, type, format) {
  const number = numberOf(word, format);
  const exact = Number.isFinite(number) ? exactText(word, format) : "";
  return exact !== "" && exact.length <= MOST_EXACT ? exact : floatText(number, type);
}

/** The next larger or smaller number; null from NaN, and past the last one. @param {bigint} word @param {Format} format @param {1n|-1n} by @returns {bigint|null} */
function stepped(word, format, by) {
  if (kindOfWord(word, format) === "NaN") return null;
  const sign = 1n << BigInt(format.exponent + format.mantissa);
  if (signBits(format) === 0) return afterNumber(word + by, format);
  const magnitude = word & (sign - 1n);
  const ordered = (isNegative(word, format) ? -magnitude : magnitude) + by;
  const size = ordered < 0n ? -ordered : ordered;
  return size >= sign ? null : afterNumber(ordered < 0n ? sign | size : size, format);
}

/** @param {bigint} word @param {Format} format @returns {bigint|null} */
const afterNumber = (word, format) =>
  word < 0n || word >= 1n << BigInt(widthOf(format)) || kindOfWord(word, format) === "NaN" ? null : word;

/** The distance to the next larger magnitude, `2^-23 ≈ 1.192e-7`. @param {bigint} word @param {Format} format @returns {string} */
function ulpText(word, format) {
  const { power } = scaleOf(word, format);
  return `2^${power} ≈ ${short(Number(powerText(1n, power, 17).replace("…", "")))}`;
}

/** Maximum digits of an exact value. */
const MOST_DIGITS = 60;

/** The exact decimal of a finite number; `…` where it is cut. @param {bigint} word @param {Format} format @returns {string} */
function exactText(word, format) {
  const { magnitude, power } = scaleOf(word, format);
  return `${isNegative(word, format) ? "-" : ""}${powerText(magnitude, power, MOST_DIGITS)}`;
}

/** `magnitude * 2^power` in decimal. @param {bigint} magnitude @param {number} power @param {number} most digits @returns {string} */
function powerText(magnitude, power, most) {
  if (magnitude === 0n) return "0";
  const whole = power >= 0 ? magnitude << BigInt(power) : magnitude * 5n ** BigInt(-power);
  const digits = String(whole);
  const point = digits.length - 1 + Math.min(0, power); // the decimal exponent of the first digit
  const all = digits.replace(/0+$/, "") || "0";
  const cut = all.length > most ? `${all.slice(0, most)}…` : all;
  if (point < -7 || point >= 21) return `${cut[0]}${cut.length > 1 ? "." : ""}${cut.slice(1)}e${point}`;
  if (point < 0) return `0.${"0".repeat(-point - 1)}${cut}`;
  if (all.length <= point + 1) return all.padEnd(point + 1, "0");
  return `${cut.slice(0, point + 1)}.${cut.slice(point + 1)}`;
}

/** @param {bigint} number @returns {number} */
const bitLength = (number) => number.toString(2).length;

/**
 * The scale and zero point of a quantized element; null for a type that is not quantized, or quantized in blocks.
 *
 * @param {string} type such as `!quant.uniform<i8:f32, 0.5:3>` @param {readonly number[]} index @returns {{storage: string, scale: number, zeroPoint: number}|null}
 */
export function quantization(type, index) {
  const found = /^!quant\.uniform<(\w+)(?:<[^>]*>)?:\w+(?::(\d+))?, \{?([^{}]*)\}?>$/.exec(type);
  if (!found) return null;
  const [, storage = "", axis, listed = ""] = found;
  const pairs = listed.split(",").map((pair) => pair.trim().split(":").map(Number));
  const [scale = NaN, zeroPoint = 0] = pairs[axis === undefined ? 0 : (index[Number(axis)] ?? 0)] ?? [];
  return { storage: storage.replace(/^u(\d)/, "ui$1"), scale, zeroPoint };
}
