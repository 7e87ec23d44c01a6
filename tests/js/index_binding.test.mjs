/** The numbers that runtime variables are read from come in blocks, each asked for once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RunValues } from "../../static/js/core/indexing/runtime_variables.js";
import { countSentences } from "../../static/js/features/index_map/highlights.js";
import { elementOf, numberOf, sliceText } from "../../static/js/core/tensor/axes.js";
import { regionOf, union } from "../../static/js/core/indexing/regions.js";
import { inlineSource, shapeSource } from "../../static/js/ui/tensor_grid/sources.js";
import { matrixAxes, PictureState } from "../../static/js/ui/tensor_grid/state.js";

test("a block is fetched once, and whoever waits is told", async () => {
  let [asked, arrived] = [0, 0];
  const source = {
    shape: [1000],
    block: ([at]) => ({ key: String(Math.floor(at / 100)), load: async () => (asked++, ([wanted]) => wanted * 2) }),
  };
  const values = new RunValues(
    (operand) => (operand === 1 ? source : null),
    () => arrived++,
  );
  assert.deepEqual(values.shapeOf(1), [1000]);
  assert.equal(values.at(1, [5]), undefined);
  assert.equal(values.at(1, [7]), undefined);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual([values.at(1, [5]), values.at(1, [99]), asked, arrived], [10, 198, 1, 1]);
  assert.equal(values.at(1, [100]), undefined);
  assert.equal(values.at(0, [0]), undefined);
});

test("numbers at hand are read as they are, also integers of 64 bits", async () => {
  const source = inlineSource({
    name: "%i",
    type: "tensor<2x2xi64>",
    shape: [2, 2],
    elementType: "i64",
    values: [1n, -2n, 3n, 4n],
  });
  const read = await source.block([0, 0]).load();
  assert.equal(read([0, 1]), -2);
  const { planes, header } = await source.window({
    rows: 0,
    columns: 1,
    at: [0, 0],
    from: [0, 1],
    size: [2, 1],
    level: 0,
  });
  assert.deepEqual([...planes.value], [-2n, 4n]);
  assert.equal(header.wire.dtype, "i64");
  const all = await source.window({ rows: -1, columns: -2, at: [0, 0], from: [0, 0], size: [1, 4], level: 0 });
  assert.deepEqual([...all.planes.value], [1n, -2n, 3n, 4n]);
  assert.equal(shapeSource({ name: "x", type: "", shape: [2] }).window, null);
});

test("elements are counted in sentences", () => {
  const maps = {
    operands: [{ name: "%w", shape: [1024, 1024] }],
    results: [{ name: "%r", shape: [4] }],
    found: [],
    maps: [],
    inverse: [],
  };
  const chosen = { side: "result", number: 0, at: [2], boxes: [{ start: [2], sizes: [1], strides: [1] }] };
  const row = regionOf([1024, 1024], [{ start: [3, 0], sizes: [1, 256], strides: [1, 4] }]);
  assert.deepEqual(countSentences(maps, chosen, [{ number: 0, region: row, placed: false }], false), [
    "%r[2] reads 256 of 1,048,576 elements of %w: [3, 0,4…1020].",
  ]);
  const rows = union([1024, 1024], [row, regionOf([1024, 1024], [{ start: [5, 7], sizes: [1, 1], strides: [1, 1] }])]);
  assert.deepEqual(countSentences(maps, chosen, [{ number: 0, region: rows, placed: false }], false), [
    "%r[2] reads 257 of 1,048,576 elements of %w.",
  ]);
  const twice = { ...maps, operands: [...maps.operands, ...maps.operands] };
  assert.equal(
    countSentences(
      twice,
      chosen,
      [0, maps.operands.length].map((number) => ({ number, region: row, placed: false })),
      false,
    ).length,
    1,
  );
  const placed = regionOf([1024, 1024, 4], [{ start: [0, 0, 1], sizes: [1, 1, 2], strides: [1, 1, 1] }]);
  assert.deepEqual(
    countSentences(maps, chosen, [{ number: 0, region: placed, placed: true }], false, ["a", "b", "c", "d"]),
    ["%r[2] reads 2 elements of %w, in processes b and c."],
  );
  assert.deepEqual(
    countSentences(
      maps,
      { ...chosen, side: "operand", at: [1, 1], boxes: [{ start: [1, 1], sizes: [2, 1], strides: [1, 1] }] },
      [],
      false,
    ),
    ["2 elements of %w is read by no result."].map((text) => text.replace("is", "are")),
  );
});

test("a number of an element, and back", () => {
  assert.deepEqual(elementOf([2, 3, 4], 17), [1, 1, 1]);
  assert.equal(numberOf([2, 3, 4], [1, 1, 1]), 17);
  assert.deepEqual(elementOf([], 0), []);
});

test("what is pinned stays, whatever is pointed at", () => {
  const state = new PictureState();
  const [one, other] = [[0], [1]].map((at) => ({ side: "result", number: 0, at, boxes: [] }));
  state.hovered.value = one;
  state.togglePin();
  state.hovered.value = other;
  assert.equal(state.shown.value, one);
  state.togglePin();
  assert.equal(state.shown.value, other);
  assert.deepEqual(state.layoutOf({ side: "result", number: 0 }, [2, 3, 4]).folding, { rows: [0, 1], columns: [2] });
  assert.equal(state.layoutOf({ side: "result", number: 0 }, [64, 64, 64]).folding, null);
});

test("of a product of many matrices one is shown at first, of an image its two sides", () => {
  const heads = ["lhs free", "lhs_batching_dimensions[0]", "lhs_contracting_dimensions[0]"];
  assert.deepEqual(matrixAxes([64, 12, 64], heads), [0, 2]);
  assert.deepEqual(matrixAxes([12, 64, 64], ["batching[0]", "lhs free", "rhs free"]), [1, 2]);
  assert.deepEqual(
    matrixAxes([5, 12, 7], ["rhs_batching_dimensions[0]", "rhs_batching_dimensions[1]", "rhs free"]),
    [1, 2],
  );
  const image = [
    "input_batch_dimension",
    "input_spatial_dimensions[0]",
    "input_spatial_dimensions[1]",
    "input_feature_dimension",
  ];
  assert.deepEqual(matrixAxes([2, 28, 28, 3], image), [1, 2]);
  assert.deepEqual(matrixAxes([2, 3, 4], []), [1, 2]);
  assert.deepEqual(matrixAxes([9], []), [-1, 0]);
  assert.deepEqual(matrixAxes([], []), [-1, -1]);
  const layout = new PictureState().layoutOf({ side: "operand", number: 0 }, [64, 12, 64], null, heads);
  assert.equal(sliceText(layout.slice), "[:, 0, :]");
});
