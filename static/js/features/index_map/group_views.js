/**
 * Ops with several processes: each process has its own elements of a tensor, and its own picture.
 *
 * @typedef {{place: number|null, own: boolean}} View  place: of the process in its group, null where it is in none
 */
/** @import {Tensor} from "../../core/indexing/related.js" */
/** @import {Places} from "./index_picture.js" */
/** Maximum number of pictures per tensor; of larger groups, the shown process and one other are drawn. */
export const MOST_BESIDE = 8;

/** Whether related elements may be in other processes. @param {import("../../core/indexing/related.js").OpMaps} maps @param {Tensor} tensor @returns {boolean} */
export const isPlaced = (maps, { side, number }) =>
  side === "operand"
    ? maps.maps.some(({ operand, place }) => operand === number && place !== null)
    : maps.inverse.some(({ result, place }) => result === number && place !== null);

/**
 * The pictures of a tensor, independent of the pointer so that nothing moves.
 *
 * @param {import("../../core/indexing/related.js").OpMaps} maps @param {Tensor} tensor @param {Places|null} places @param {number|null} other the one besides the shown process in large groups @returns {View[]}
 */
export function viewsOf(maps, tensor, places, other) {
  const own = { place: places?.own ?? null, own: true };
  if (!places || !isPlaced(maps, tensor)) return [own];
  if (places.names.length > MOST_BESIDE) return other === null ? [own] : [own, { place: other, own: false }];
  const all = places.names.map((_, place) => ({ place, own: place === places.own }));
  return places.own === null ? [own, ...all] : all;
}

/** The process drawn besides the shown one: the chosen one, else one with related elements, else any. @param {Places|null} places @param {number[]} reached @param {number|null} chosen @returns {number|null} */
export function otherPlace(places, reached, chosen) {
  if (!places) return null;
  const others = reached.filter((place) => place !== places.own);
  if (chosen !== null && others.includes(chosen)) return chosen;
  return others[0] ?? places.names.findIndex((_, place) => place !== places.own);
}

/** Names of processes, shortened. @param {number[]} found @param {readonly string[]} names @returns {string} */
export function processNames(found, names) {
  const known = found.map((place) => names[place]).filter((name) => name !== undefined);
  if (known.length < found.length || found.length > 4) return `${found.length} processes`;
  return found.length === 1 ? `process ${known[0]}` : `processes ${known.slice(0, -1).join(", ")} and ${known.at(-1)}`;
}
