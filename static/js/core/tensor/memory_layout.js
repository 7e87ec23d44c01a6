/** The memory layout of a tensor: the order of its dimensions, and the offset of an element. */
/** @import {MemoryLayout} from "../types.js" */

/** Whether logical and physical order differ, so that the page offers a choice. @param {MemoryLayout|null} layout @param {number[]} shape @returns {boolean} */
export const hasOtherOrder = (layout, shape) =>
  layout !== null && !layout.rowMajor && shape.length === layout.majorToMinor.length;

/**
 * The number of elements before this one in memory, including padding of tiles.
 *
 * @param {MemoryLayout} layout @param {number[]} shape @param {number[]} index logical @returns {number}
 */
export function offsetOf({ majorToMinor, tiles }, shape, index) {
  let sizes = majorToMinor.map((axis) => shape[axis] ?? 1);
  let place = majorToMinor.map((axis) => index[axis] ?? 0);
  for (const tile of tiles)
    [sizes, place] = splitIntoTiles(
      ...combine(sizes, place, tile),
      tile.filter((size) => size > 0),
    );
  return place.reduce((offset, at, axis) => offset * (sizes[axis] ?? 1) + at, 0);
}

/** A tile size of 0 merges the dimension with the next. @param {number[]} sizes @param {number[]} place @param {number[]} tile @returns {[number[], number[]]} */
function combine(sizes, place, tile) {
  const [joinedSizes, joinedPlace] = [[...sizes], [...place]];
  const first = sizes.length - tile.length;
  for (let axis = tile.length - 2; axis >= 0; axis--) {
    const at = first + axis;
    if (tile[axis] !== 0 || at < 0) continue;
    const next = joinedSizes[at + 1] ?? 1;
    joinedPlace.splice(at, 2, (joinedPlace[at] ?? 0) * next + (joinedPlace[at + 1] ?? 0));
    joinedSizes.splice(at, 2, (joinedSizes[at] ?? 1) * next);
  }
  return [joinedSizes, joinedPlace];
}

/** The minor dimensions split into tiles and offsets in a tile. @param {number[]} sizes @param {number[]} place @param {number[]} tile @returns {[number[], number[]]} */
function splitIntoTiles(sizes, place, tile) {
  // If a tile has more dimensions than the tensor, the missing ones have size 1.
  const missing = Math.max(0, tile.length - sizes.length);
  const wholeSizes = [...Array(missing).fill(1), ...sizes];
  const wholePlace = [...Array(missing).fill(0), ...place];
  const first = wholeSizes.length - tile.length;
  const outer = tile.map((size, axis) => Math.ceil(wholeSizes[first + axis] / size));
  const at = tile.map((size, axis) => Math.floor(wholePlace[first + axis] / size));
  const inside = tile.map((size, axis) => wholePlace[first + axis] % size);
  return [
    [...wholeSizes.slice(0, first), ...outer, ...tile],
    [...wholePlace.slice(0, first), ...at, ...inside],
  ];
}
