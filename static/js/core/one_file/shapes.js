/** Shapes that one searches for, as app/present/value_search.py reads them: `f32[64,768]`, `[64,?]`, `tensor<64x768xf32>`, `f32`. */
import { Refusal } from "./refusal.js";

const HLO = /^([a-z]\w*)?\s*\[\s*((?:\d+|\?)(?:\s*,\s*(?:\d+|\?))*)?\s*\]$/;
const MLIR = /^(?:tensor\s*<)?\s*((?:(?:\d+|\?)\s*x\s*)*)([a-z]\w*)\s*>?$/;

/** @param {string} name @returns {string} */
function elementName(name) {
  if (name === "pred") return "i1";
  const [, sign, bits] = /^([su])(2|4|8|16|32|64)$/.exec(name) ?? [];
  return sign === undefined ? name : `${sign === "u" ? "ui" : "i"}${bits}`;
}

/** @param {string} text @returns {(summary: import("../types.js").ValueSummary) => boolean} */
export function parseShape(text) {
  const said = text.trim();
  if (!said) return () => true;
  const hlo = HLO.exec(said);
  if (hlo) return matching(hlo[2] ? hlo[2].split(",") : [], hlo[1] ? elementName(hlo[1]) : null);
  const mlir = MLIR.exec(said);
  if (!mlir) throw new Refusal(`${text} is no shape; one looks like f32[64,768], [64,?] or tensor<64x768xf32>.`);
  const sizes = (mlir[1] ?? "").split("x").slice(0, -1);
  const isWhole = sizes.length > 0 || said.startsWith("tensor");
  return matching(isWhole ? sizes : null, elementName(mlir[2] ?? ""));
}

/** @param {string[]|null} sizes null: any @param {string|null} element */
const matching =
  (sizes, element) =>
  (/** @type {import("../types.js").ValueSummary} */ { shape, elementType }) =>
    (element === null || element === elementName(elementType)) &&
    (sizes === null ||
      (sizes.length === shape.length &&
        sizes.every((size, axis) => size.trim() === "?" || Number(size) === shape[axis])));
