/** How tensors of any rank are laid out, and what is drawn over them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blockEnds,
  foldedBlocks,
  foldedCell,
  foldedIndex,
  foldedPicture,
  foldedRegion,
  foldingOf,
} from "../../static/js/ui/tensor_grid/folding.js";
import { marksOf, windowsAt } from "../../static/js/features/index_map/window_parts.js";
import { overlayOf, unlit } from "../../static/js/ui/tensor_grid/projection.js";
import { pointBox, regionOf } from "../../static/js/core/indexing/regions.js";
import { naturalSize } from "../../static/js/ui/tensor_grid/natural_size.js";
import { map } from "./index_map.mjs";

test("all dimensions at once: every element has a cell of its own, and back", () => {
  const shape = [2, 3, 4, 2];
  const folding = foldingOf(shape);
  assert.deepEqual(folding, { rows: [0, 2], columns: [1, 3] });
  const { height, width } = foldedPicture(folding, shape);
  assert.equal(height * width, 48);
  const seen = new Set();
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const index = foldedIndex(folding, shape, { row, column });
      assert.deepEqual(foldedCell(folding, shape, index), { row, column });
      seen.add(index.join());
    }
  }
  assert.equal(seen.size, 48);
  assert.deepEqual(blockEnds(folding.rows, shape), [{ at: 4, depth: 1 }]);
});

test("axes of size 1 take no room, and a tensor of one element has a cell", () => {
  assert.deepEqual(foldingOf([1, 4, 5, 1]), { rows: [1], columns: [2] });
  assert.deepEqual(foldingOf([1, 1, 1]), { rows: [], columns: [] });
  assert.deepEqual(foldedPicture({ rows: [], columns: [] }, [1, 1, 1]), { height: 1, width: 1 });
});

test("a box is cut at the ends of blocks", () => {
  const shape = [2, 3, 4];
  const folding = { rows: [0, 1], columns: [2] };
  const box = { start: [0, 1, 0], sizes: [2, 2, 3], strides: [1, 1, 1] };
  assert.deepEqual(foldedBlocks(box, folding, shape), [
    { row: 1, column: 0, rows: 2, columns: 3 },
    { row: 4, column: 0, rows: 2, columns: 3 },
  ]);
  const lit = foldedRegion(regionOf(shape, [box]), folding, shape);
  assert.equal(
    lit.reduce((sum, { row, column }) => sum + row.size * column.size, 0),
    12,
  );
});

test("marks and outlines of held dimensions are left out where they are not seen", () => {
  const layout = { slice: { rows: 1, columns: 2, at: [1, 0, 0] }, fold: 0, folding: null };
  const lit = {
    ...unlit(),
    role: "related",
    marks: [
      { index: [0, 1, 1], kind: "several", text: "×2" },
      { index: [1, 1, 2], kind: "dropped", text: "" },
    ],
    outlines: [{ box: pointBox([1, 2, 0]), dashed: false, text: "window" }],
  };
  const overlay = overlayOf(lit, layout, [2, 3, 4]);
  assert.deepEqual(overlay.marks, [{ row: 1, column: 2, kind: "dropped", text: "" }]);
  assert.deepEqual(overlay.outlines, [{ row: 2, column: 0, rows: 1, columns: 1, dashed: false, text: "window" }]);
  const other = overlayOf(lit, { ...layout, slice: { ...layout.slice, at: [0, 0, 0] } }, [2, 3, 4]);
  assert.equal(other.outlines.length, 0);
});

/** Scatter of four updates into five elements, at 1, 1, 7 and 4: one is dropped, one element written twice. */
const scatter = {
  operands: [
    { name: "x", shape: [5] },
    { name: "i", shape: [4] },
    { name: "u", shape: [4] },
  ],
  results: [{ name: "y", shape: [5] }],
  found: [],
  maps: [],
  inverse: [
    {
      operand: 2,
      result: 0,
      place: null,
      map: map({
        results: ["rt0"],
        dimensions: [[0, 3]],
        runtimes: [
          { interval: [0, 4], operand: 1, clamped: false, map: map({ results: ["d0"], dimensions: [[0, 3]] }) },
        ],
      }),
    },
  ],
  parts: {
    kind: "scatter",
    window: { side: "operand", number: 2, dimensions: [] },
    target: { side: "result", number: 0 },
    indices: 1,
  },
};
const indices = { shapeOf: () => [4], at: (_operand, [at]) => [1, 1, 7, 4][at] };

test("scatter: dropped updates, elements written several times, indices outside", () => {
  const marks = marksOf(scatter, indices);
  assert.deepEqual(
    marks.get("operand 2").map(({ index, kind }) => [index, kind]),
    [[[2], "dropped"]],
  );
  assert.deepEqual(marks.get("result 0"), [{ index: [1], kind: "several", text: "×2" }]);
  assert.deepEqual(
    marks.get("operand 1").map(({ index, kind }) => [index, kind]),
    [[[2], "outside"]],
  );
});

test("the window of a clamped start is drawn where it is used, and where it was read", () => {
  const gather = {
    operands: [
      { name: "x", shape: [6] },
      { name: "i", shape: [1] },
    ],
    results: [{ name: "y", shape: [3] }],
    found: [],
    inverse: [],
    maps: [
      {
        operand: 0,
        result: 0,
        place: null,
        map: map({
          results: [["+", "rt0", "d0"]],
          dimensions: [[0, 2]],
          runtimes: [{ interval: [0, 3], operand: 1, clamped: true, map: map({ results: [0], dimensions: [[0, 2]] }) }],
        }),
      },
    ],
    parts: {
      kind: "dynamic_slice",
      window: { side: "result", number: 0, dimensions: [0] },
      target: { side: "operand", number: 0 },
      indices: 1,
    },
  };
  const at = (value) =>
    windowsAt(
      gather,
      { side: "result", number: 0, boxes: [pointBox([1])], at: [1] },
      { shapeOf: () => [1], at: () => value },
    ).get("operand 0").outlines;
  assert.deepEqual(
    at(2).map(({ box, dashed }) => [box.start, box.sizes, dashed]),
    [[[2], [3], false]],
  );
  assert.deepEqual(
    at(5).map(({ box, dashed }) => [box.start, dashed]),
    [
      [[5], true],
      [[3], false],
    ],
  );
});

test("many columns in little room leave nothing empty below", () => {
  const source = /** @type {any} */ ({
    elementType: "f32",
    wire: { dtype: "float32", components: 1 },
    window: async () => null,
  });
  const margin = { top: 0, left: 0, bottom: 0, right: 0 };
  const { width, height } = naturalSize({ height: 32, width: 128 }, source, margin, { width: 330, height: 0 });
  assert.equal(width, 330);
  assert.ok(height > 80 && height < 110, `${height}`);
  const square = naturalSize({ height: 4096, width: 4096 }, source, margin, { width: 330, height: 0 });
  assert.ok(square.height < square.width, `${square.height}`);
});

test("a wide value of many rows is stretched, a tall one and few rows are not", () => {
  const room = { width: 300, height: 400 };
  const source = /** @type {any} */ ({
    elementType: "f32",
    wire: { dtype: "float32", components: 1 },
    window: async () => null,
  });
  const margin = { top: 0, left: 0, bottom: 0, right: 0 };
  const high = (/** @type {number} */ height, /** @type {number} */ width) =>
    naturalSize({ height, width }, source, margin, room).height;
  assert.ok(high(64, 768) > 110, String(high(64, 768)));
  assert.ok(high(64, 768) < 200, String(high(64, 768)));
  assert.ok(high(1, 768) < 70, String(high(1, 768)));
  assert.ok(high(4, 4) < 400);
});

test("a picture never reaches beyond the height that there is for it", () => {
  const source = /** @type {any} */ ({
    elementType: "i32",
    wire: { dtype: "i32", components: 1 },
    window: async () => null,
  });
  const margin = { top: 0, left: 0, bottom: 0, right: 0 };
  for (const picture of [
    { height: 784, width: 256 },
    { height: 9, width: 3 },
    { height: 1, width: 1 },
  ])
    for (const height of [90, 200, 700]) {
      const size = naturalSize(picture, source, margin, { width: 240, height });
      assert.ok(size.height <= Math.max(height, 120), `${picture.height} in ${height}: ${size.height}`);
      assert.ok(size.width <= 240);
    }
  const wide = naturalSize({ height: 32, width: 256 }, source, margin, { width: 900, height: 600 });
  assert.equal(wide.width, 900);
});
