/** Elements as text of other languages: NumPy, MLIR, CSV. */
import { formatOf, wordAt } from "./bits.js";
import { bitsOf, elementAt, elementText, kindOf } from "./elements.js";
/** @import {Wire} from "./elements.js" */
/** @import {Plane} from "../view_types.js" */

/**
 * Elements in row-major order, and the sizes of their tensor.
 *
 * @typedef {{plane: Plane, wire: Wire, elementType: string, sizes: readonly number[]}} Elements
 */

/** NumPy's names of types that differ from MLIR's; names with a dot are of ml_dtypes. @type {Record<string, string>} */
const NUMPY = { i1: "bool", pred: "bool", index: "int64", bf16: "ml_dtypes.bfloat16", tf32: "float32" };

/** @param {string} elementType @param {Wire} wire @returns {string} */
export function numpyType(elementType, wire) {
  if (kindOf(elementType, wire) === "complex") return `np.complex${wire.dtype === "f64" ? 128 : 64}`;
  const known = NUMPY[elementType];
  if (known) return known.startsWith("ml_dtypes.") ? known : `np.${known}`;
  const [, kind = "", bits = ""] = /^(f|s|i|ui?)(\d+)$/.exec(elementType) ?? [];
  const isSmall = Number(bits) < 8;
  if (kind === "f" && !isSmall) return `np.float${bits}`;
  if (kind) return `${isSmall ? "ml_dtypes" : "np"}.${kind.startsWith("u") ? "uint" : "int"}${bits}`;
  // f8E4M3FN is float8_e4m3fn.
  const small = /^f(\d)E(\w+)$/.exec(elementType);
  return small
    ? `ml_dtypes.float${small[1]}_e${small[2]?.toLowerCase()}`
    : `np.${{ f: "float32", i: "int64" }[wire.dtype[0] ?? ""] ?? "uint64"}`;
}

/** `np.array([[1, 2]], dtype=np.float32)`. @param {Elements} elements @returns {string} */
export function numpyText(elements) {
  const { elementType, wire, sizes } = elements;
  const special = /** @type {Record<string, string>} */ ({
    NaN: "np.nan",
    "+Inf": "np.inf",
    "-Inf": "-np.inf",
    true: "True",
    false: "False",
  });
  const one = (/** @type {string} */ text) => special[text] ?? text;
  const parts = (/** @type {number} */ at) => {
    const element = elementAt(elements.plane, wire, at);
    if (typeof element !== "object") return one(elementText(element, elementType, wire));
    const [re, im] = [element.re, element.im].map((part) => one(partText(part, wire)));
    return `complex(${re}, ${im})`;
  };
  const opening = "np.array(";
  const body = nested(elements, parts, "[", "]", opening.length);
  const shape = sizes.includes(0) ? `.reshape(${sizes.join(", ")})` : "";
  return `${opening}${body}, dtype=${numpyType(elementType, wire)})${shape}`;
}

/** @param {number} part @param {Wire} wire */
const partText = (part, wire) => elementText(part, wire.dtype, { ...wire, components: 1 });

/** `dense<[[1.0, 2.0]]> : tensor<1x2xf32>`; NaN and infinities as their bits. @param {Elements} elements @returns {string} */
export function mlirText(elements) {
  const { plane, elementType, wire, sizes } = elements;
  const isComplex = wire.components === 2;
  const own = isComplex ? wire.dtype : elementType;
  const single = /** @type {Wire} */ ({ ...wire, components: 1 });
  const one = (/** @type {number} */ at) => {
    const text = elementText(elementAt(plane, single, at), own, single);
    const format = formatOf(own);
    if (!format) return text;
    if (!/NaN|Inf/.test(text))
      return /[.]/.test(text) ? text : text.includes("e") ? text.replace("e", ".0e") : `${text}.0`;
    const word = wordAt(plane, single, own, at) ?? nanOf(format);
    return `0x${word
      .toString(16)
      .toUpperCase()
      .padStart(Math.ceil(bitsOf(own) / 4), "0")}`;
  };
  const part = (/** @type {number} */ at) => (isComplex ? `(${one(2 * at)}, ${one(2 * at + 1)})` : one(at));
  const type = `tensor<${sizes.map((size) => `${size}x`).join("")}${
    isComplex
      ? `complex<${own}>`
      : elementType
          .replace(/^s(?=\d)/, "i")
          .replace(/^u(?=\d)/, "ui")
          .replace("pred", "i1")
  }>`;
  if (sizes.includes(0)) return `dense<> : ${type}`;
  return `dense<${nested(elements, part, "[", "]", "dense<".length)}> : ${type}`;
}

/** A NaN of a format whose pattern was lost on the way. @param {import("./bits.js").Format} format @returns {bigint} */
const nanOf = ({ exponent, mantissa }) =>
  (((1n << BigInt(exponent)) - 1n) << BigInt(mantissa)) | (1n << BigInt(Math.max(0, mantissa - 1)));

/** A line for each row; of more than two dimensions, rows follow one another. @param {Elements} elements @returns {string} */
export function csvText(elements) {
  const { plane, elementType, wire, sizes } = elements;
  const columns = sizes.at(-1) ?? 1;
  const texts = Array.from({ length: plane.length / wire.components }, (_, at) =>
    elementText(elementAt(plane, wire, at), elementType, wire).replace(/^\+(?=Inf)/, ""),
  );
  const lines = [];
  for (let at = 0; at < texts.length; at += columns) lines.push(texts.slice(at, at + columns).join(","));
  return `${lines.join("\n")}\n`;
}

/** Elements as nested lists, a line for each innermost list. @param {Elements} elements @param {(at: number) => string} text @param {string} open @param {string} close @param {number} indent */
function nested({ sizes }, text, open, close, indent) {
  const build = (/** @type {number} */ axis, /** @type {number} */ first) => {
    if (axis === sizes.length) return text(first);
    const each = sizes.slice(axis + 1).reduce((count, size) => count * size, 1);
    /** @type {string[]} */
    const parts = Array.from({ length: sizes[axis] ?? 0 }, (_, at) => build(axis + 1, first + at * each));
    const between = axis + 1 === sizes.length ? ", " : `,\n${" ".repeat(indent + axis + 1)}`;
    return `${open}${parts.join(between)}${close}`;
  };
  return build(0, 0);
}
