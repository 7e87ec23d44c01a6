/**
 * The parsed query of the find box: a line, a step, a shape, or words of names.
 *
 * @typedef {{element: string|null, sizes: (number|null)[]|null}} Shape null: any
 * @typedef {{kind: "commands", words: string[]}
 *   | {kind: "uses", name: string} | {kind: "iteration", iteration: number}
 *   | {kind: "line", line: number} | {kind: "step", step: number} | {kind: "number", number: number}
 *   | {kind: "nonfinite", words: string[]} | {kind: "shape", shape: Shape}
 *   | {kind: "names", words: string[], only: "value"|"function"|"source"|null}} Query
 */

/** Element types as HLO text spells them, where MLIR has another name. */
const SPELLED = new Map(
  [2, 4, 8, 16, 32, 64].flatMap((bits) => [
    [`s${bits}`, `i${bits}`],
    [`u${bits}`, `ui${bits}`],
  ]),
).set("pred", "i1");

/** @param {string} text @returns {Query} */
export function parseQuery(text) {
  const typed = text.trim();
  if (typed.startsWith(">")) return { kind: "commands", words: wordsOf(typed.slice(1)) };
  const line = /^:\s*([\d,]+)$/u.exec(typed) ?? /^line\s+([\d,]+)$/iu.exec(typed);
  if (line) return { kind: "line", line: numberOf(line[1]) };
  const step = /^(?:#|step\s+)([\d,]+)$/iu.exec(typed);
  if (step) return { kind: "step", step: numberOf(step[1]) };
  const iteration = /^iteration\s+([\d,]+)$/iu.exec(typed);
  if (iteration) return { kind: "iteration", iteration: numberOf(iteration[1]) };
  const uses = /^uses\s+(?:of\s+)?(\S+)$/iu.exec(typed);
  if (uses) return { kind: "uses", name: uses[1] ?? "" };
  if (/^\d[\d,]*$/u.test(typed)) return { kind: "number", number: numberOf(typed) };
  if (/^(?:has\s+)?[+-]?(?:nan|inf|infinity|non-?finite)$/iu.test(typed))
    return { kind: "nonfinite", words: wordsOf(typed) };
  const shape = parseShape(typed);
  if (shape) return { kind: "shape", shape };
  return { kind: "names", words: wordsOf(typed), only: onlyKind(typed) };
}

/** @param {string} text @returns {string[]} */
export const wordsOf = (text) => text.toLowerCase().split(/\s+/u).filter(Boolean);

/** @param {string|undefined} text */
const numberOf = (text) => Number(String(text).replaceAll(",", ""));

/** @param {string} typed @returns {"value"|"function"|"source"|null} */
function onlyKind(typed) {
  if (typed.startsWith("%")) return "value";
  if (typed.startsWith("@")) return "function";
  return /\.py(?::\d+)?$/u.test(typed) ? "source" : null;
}

/** `f32[64,?]`, `tensor<64x768xf32>`, `64x768xf32` or `[64,768]`; null if the text is not a shape. With `isSure`, an element type alone is one. @param {string} text @param {boolean} [isSure] @returns {Shape|null} */
export function parseShape(text, isSure = false) {
  const compact = text.replaceAll(/\s+/gu, "").toLowerCase();
  const hlo = /^([a-z]\w*)?\[((?:\d+|\?)(?:,(?:\d+|\?))*)?\](?:\{[\d,]*\})?$/u.exec(compact);
  if (hlo)
    return { element: hlo[1] === undefined ? null : spelledInMlir(hlo[1]), sizes: sizesOf(hlo[2]?.split(",") ?? []) };
  const mlir = /^(tensor<)?((?:(?:\d+|\?)x)*)([a-z]\w*)>?$/u.exec(compact);
  if (!mlir) return null;
  const element = spelledInMlir(mlir[3] ?? "");
  if (!mlir[1] && !mlir[2]) return isSure ? { element, sizes: null } : null;
  return { element, sizes: sizesOf((mlir[2] ?? "").split("x").slice(0, -1)) };
}

/** MLIR's name of an element type of HLO text. @param {string} name */
export const spelledInMlir = (name) => SPELLED.get(name) ?? name;

/** @param {string[]} texts */
const sizesOf = (texts) => texts.map((text) => (text === "?" ? null : Number(text)));

/** Whether a value has a shape; unknown sizes match anything. @param {Shape} shape @param {Pick<import("../types.js").ValueInfo, "shape"|"elementType">} value @returns {boolean} */
export function hasShape({ element, sizes }, value) {
  if (value.shape === null || (element !== null && value.elementType?.toLowerCase() !== element)) return false;
  const known = value.shape;
  if (sizes === null) return true;
  return (
    known.length === sizes.length &&
    sizes.every((size, at) => size === null || known[at] === null || known[at] === size)
  );
}
