/**
 * The elements related to chosen elements of an operand or a result, by all maps of an op: one set per tensor of the
 * other side.
 *
 * @typedef {"operand"|"result"} Side
 * @typedef {{side: Side, number: number}} Tensor
 * @typedef {Tensor & {boxes: Box[], at: number[]}} Chosen  at: the element that one stands on
 * @typedef {{name: string, type: string, shape: number[]|null}} Named
 * @typedef {{operands: Named[], found: string[], results: Named[], maps: OperandMap[], inverse: OperandMap[]}} OpMaps
 *
 * `region` is null where it is not known which elements belong. `placed`: it has the place of the process as its last axis.
 * @typedef {{number: number, region: Region|null, placed: boolean}} Related
 */
import { BUDGET, imageOf } from "./maps.js";
import { emptyRegion, union } from "./regions.js";
/** @import {Values} from "./maps.js" */
/** @import {Box, Region} from "./regions.js" */
/** @import {OperandMapInfo as OperandMap} from "../types.js" */

/** The opposite side. @param {Side} side @returns {Side} */
export const across = (side) => (side === "operand" ? "result" : "operand");

/** The maps that start at a tensor. @param {OpMaps} op @param {Tensor} from @returns {OperandMap[]} */
export const mapsFrom = (op, { side, number }) =>
  side === "result"
    ? op.maps.filter(({ result }) => result === number)
    : op.inverse.filter(({ operand }) => operand === number);

/**
 * The elements related to the chosen ones, for each tensor of the other side that a map reaches.
 *
 * @param {OpMaps} op @param {Tensor & {boxes: Box[]}} chosen @param {Values} values @param {number} [budget] @returns {Related[]}
 */
export function findRelated(op, chosen, values, budget = BUDGET) {
  const others = chosen.side === "result" ? op.operands : op.results;
  const maps = mapsFrom(op, chosen);
  const targets = [...new Set(maps.map((item) => targetOf(item, chosen.side)))].sort((a, b) => a - b);
  return targets
    .filter((number) => others[number]?.shape)
    .map((number) => {
      const shape = others[number]?.shape ?? [];
      return relatedIn(
        number,
        shape,
        maps.filter((item) => targetOf(item, chosen.side) === number),
        chosen.boxes,
        values,
        budget,
      );
    });
}

/** @param {OperandMap} item @param {Side} from @returns {number} */
const targetOf = ({ operand, result }, from) => (from === "result" ? operand : result);

/** @param {number} number @param {number[]} shape @param {OperandMap[]} maps @param {Box[]} boxes @param {Values} values @param {number} budget @returns {Related} */
function relatedIn(number, shape, maps, boxes, values, budget) {
  const placed = maps.some(({ place }) => place !== null);
  const regions = maps.flatMap(({ map, place }) =>
    boxes.map((box) => imageOf(map, place ?? (placed ? 0 : null), box, shape, values, budget)),
  );
  if (regions.includes(null)) return { number, region: null, placed };
  const known = /** @type {Region[]} */ (regions);
  const full = known.reduce(
    (widest, region) => ((region.shape.at(-1) ?? 0) > (widest.at(-1) ?? 0) ? region.shape : widest),
    known[0]?.shape ?? emptyRegion(shape).shape,
  );
  return { number, region: union(full, known), placed };
}
