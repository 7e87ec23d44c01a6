/** The element of an op's operands and results that the tensor view's cursor stands on, or an address names. */
import { oneElement } from "../../drawing/tensor_grid/tensor_grid.js";

/** @typedef {{address: string|null, shape?: number[]|null}} Drawn */

/**
 * Results come first: of an op that updates in place, one asks what became of the element.
 *
 * @param {{operands: readonly {shape: number[]|null}[], results: readonly {shape: number[]|null}[]}} maps @param {{operands: readonly ({address: string|null}|null|undefined)[], results: readonly ({address: string|null}|null|undefined)[]}} sources
 * @param {{address: string, index: number[]}|null} standing @returns {import("../../core/indexing/related.js").Chosen|null} null: it is of another value, or lies outside
 */
export function elementAtCursor(maps, sources, standing) {
  if (standing === null) return null;
  for (const side of /** @type {const} */ (["result", "operand"])) {
    const [drawn, tensors] = side === "result" ? [sources.results, maps.results] : [sources.operands, maps.operands];
    const number = drawn.findIndex((source) => source?.address === standing.address);
    const shape = tensors[number]?.shape;
    if (shape && isInside(standing.index, shape)) return oneElement({ side, number }, standing.index);
  }
  return null;
}

/** @param {readonly number[]} index @param {readonly number[]} shape */
const isInside = (index, shape) =>
  index.length === shape.length && index.every((at, axis) => at < /** @type {number} */ (shape[axis]));
