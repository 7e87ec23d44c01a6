/** The colours of a source's elements: those of the tensor view, chosen by what the elements are. */
import { automaticMap, lookupTable } from "../tensor/colours.js";
import { kindOf } from "../tensor/elements.js";
import { scaleFor } from "../tensor/scale.js";

/** @param {import("./sources.js").Source} source @returns {import("../tensor/paint.js").Ink} */
export function gridInk({ elementType, wire, statistics }) {
  const kind = kindOf(elementType, wire);
  const scale = scaleFor(statistics, kind, { shape: "linear", range: "all", low: -1, high: 1 });
  return { table: lookupTable(automaticMap(kind, scale)), scale, part: "abs", bins: "mean", categories: false };
}
