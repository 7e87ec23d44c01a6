/** Where elements lie in memory, by the layouts of HLO text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultSlice, fittingSlice, showAxis } from "../../static/js/core/tensor/axes.js";
import { hasOtherOrder, offsetOf } from "../../static/js/core/tensor/memory_layout.js";

/** @param {number[]} majorToMinor @param {number[][]} [tiles] */
const layout = (majorToMinor, tiles = []) => ({
  text: "",
  words: "",
  majorToMinor,
  tiles,
  rowMajor: majorToMinor.every((axis, at) => axis === at),
});

/** Every index of a shape, row-major. @param {number[]} shape @returns {number[][]} */
const indices = (shape) =>
  shape.reduce(
    (all, size) => all.flatMap((index) => Array.from({ length: size }, (_, at) => [...index, at])),
    /** @type {number[][]} */ ([[]]),
  );

test("row-major, column-major and what is in between", () => {
  const shape = [2, 3];
  assert.deepEqual(
    indices(shape).map((index) => offsetOf(layout([0, 1]), shape, index)),
    [0, 1, 2, 3, 4, 5],
  );
  assert.deepEqual(
    indices(shape).map((index) => offsetOf(layout([1, 0]), shape, index)),
    [0, 2, 4, 1, 3, 5],
  );
  assert.equal(offsetOf(layout([1, 2, 0]), [2, 3, 4], [1, 2, 3]), 2 * 8 + 3 * 2 + 1);
  assert.equal(offsetOf(layout([]), [], []), 0);
});

test("tiles of XLA's documentation: f32[3,5] in tiles of 2 by 2", () => {
  const tiled = layout([0, 1], [[2, 2]]);
  assert.deepEqual(
    indices([3, 5]).map((index) => offsetOf(tiled, [3, 5], index)),
    [0, 1, 4, 5, 8, 2, 3, 6, 7, 10, 12, 13, 16, 17, 20],
  );
});

test("tiles of tiles, tiles that combine dimensions, and tiles of more dimensions than there are", () => {
  const shape = [4, 4];
  const twice = indices(shape).map((index) =>
    offsetOf(
      layout(
        [0, 1],
        [
          [4, 4],
          [2, 1],
        ],
      ),
      shape,
      index,
    ),
  );
  assert.deepEqual(twice.slice(0, 8), [0, 2, 4, 6, 1, 3, 5, 7], "pairs of rows lie beside each other");
  assert.deepEqual(
    [...twice].sort((a, b) => a - b),
    Array.from({ length: 16 }, (_, at) => at),
  );
  assert.equal(
    offsetOf(layout([0, 1, 2], [[0, 4, 8]]), [2, 3, 8], [1, 2, 7]),
    offsetOf(layout([0, 1], [[4, 8]]), [6, 8], [5, 7]),
  );
  assert.deepEqual(
    indices([5]).map((index) => offsetOf(layout([0], [[2, 2]]), [5], index)),
    [0, 1, 4, 5, 8],
  );
});

test("only what does not lie in the order of its dimensions has another order", () => {
  assert.equal(hasOtherOrder(layout([1, 0]), [2, 3]), true);
  assert.equal(hasOtherOrder(layout([0, 1]), [2, 3]), false);
  assert.equal(hasOtherOrder(layout([1, 0]), [7, 2, 3]), false, "in lanes");
  assert.equal(hasOtherOrder(null, [2, 3]), false);
});

test("in the order of memory the minor dimension runs to the right", () => {
  assert.deepEqual(defaultSlice([2, 3, 4], [1, 2, 0]), { rows: 2, columns: 0, at: [0, 0, 0] });
  assert.deepEqual(fittingSlice(undefined, [2, 3], [1, 0]), { rows: 1, columns: 0, at: [0, 0] });
  assert.deepEqual(showAxis(defaultSlice([2, 3, 4], [1, 2, 0]), "rows", 0), { rows: 0, columns: 2, at: [0, 0, 0] });
});
