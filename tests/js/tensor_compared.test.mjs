import assert from "node:assert/strict";
import { test } from "node:test";
import {
  arrayAddress,
  arrayAt,
  differenceAddress,
  differenceAt,
  expressionAddress,
  lostAddress,
  parseAddress,
} from "../../static/js/core/addresses.js";
import { differenceInfo, differenceValue, rankOf } from "../../static/js/core/one_file/difference.js";
import {
  defaultSlice,
  elementOf,
  hasPlanes,
  heldAxes,
  indexAt,
  pictureSize,
  placeInPlanes,
  showAxis,
  withPlanes,
} from "../../static/js/core/tensor/axes.js";
import { spreadOf } from "../../static/js/core/tensor/spread.js";
import { csvText, mlirText, numpyText, numpyType } from "../../static/js/core/tensor/literals.js";
import { lostWords } from "../../static/js/features/tensor/difference.js";
import { binUnder, brushText } from "../../static/js/features/tensor/histogram.js";
import { sameElement } from "../../static/js/features/tensor/linked.js";
import { imageOf, pixelsOf } from "../../static/js/features/tensor/images.js";

test("computed values have addresses of their own", () => {
  const difference = {
    measure: /** @type {const} */ ("ulps"),
    address: "1.s12.0",
    other: "values:a",
    otherAddress: "array:x~y",
  };
  assert.deepEqual(differenceAt(differenceAddress(difference)), difference);
  assert.equal(differenceAt("0.s12.0"), null);
  assert.equal(parseAddress(differenceAddress(difference)).process, 1);
  assert.equal(parseAddress(lostAddress("2.s7.1")).step, 7);
  assert.deepEqual(arrayAt(arrayAddress("f", "x~y")), { other: "values:f", otherAddress: "array:x~y" });
  const expression = expressionAddress(3, 41, "%x / “%y”");
  assert.match(expression, /^e3\.41\.[\w-]+$/);
  assert.equal(parseAddress(expression).step, 41);
  assert.equal(parseAddress(expression).process, 3);
});

test("the two largest axes are drawn, and never one of size 1", () => {
  const drawn = (/** @type {number[]} */ shape) => [defaultSlice(shape).rows, defaultSlice(shape).columns];
  assert.deepEqual(drawn([2, 4, 16, 16]), [2, 3]);
  assert.deepEqual(drawn([1, 28, 28, 3]), [1, 2]);
  assert.deepEqual(drawn([32, 3, 224, 200]), [2, 3]);
  assert.deepEqual(drawn([128, 1, 64]), [0, 2]);
  assert.deepEqual(drawn([5]), [-1, 0]);
  assert.deepEqual(drawn([2, 2, 2]), [1, 2]);
});

test("all planes at once have every element once, at a place that leads back", () => {
  for (const shape of [
    [2, 3, 4, 5],
    [6, 2, 2],
    [7, 3, 2],
    [1, 4, 3, 8],
  ]) {
    const slice = withPlanes(defaultSlice(shape), shape);
    const [height, width] = pictureSize(slice, shape);
    const count = shape.reduce((all, size) => all * size, 1);
    assert.equal(height * width, count);
    assert.deepEqual(heldAxes(slice), []);
    for (let number = 0; number < count; number++) {
      const index = elementOf(shape, number);
      const { row, column } = placeInPlanes(slice, index);
      assert.ok(row < height && column < width);
      assert.deepEqual(indexAt(slice, row, column), index);
    }
  }
  const slice = withPlanes(defaultSlice([2, 3, 4, 5]), [2, 3, 4, 5]);
  assert.equal(slice.planes?.across, 3);
  assert.equal(showAxis(slice, "rows", 0).planes?.across, 4);
  assert.equal(hasPlanes(defaultSlice([1, 3, 4]), [1, 3, 4]), false);
});

test("the same elements are marked in values of the same shape, and of the leading dimensions", () => {
  assert.deepEqual(sameElement([1, 2, 3], [4, 5, 6], [4, 5, 6]), [1, 2, 3]);
  assert.deepEqual(sameElement([1, 2, 3], [4, 5, 6], [4, 5]), [1, 2]);
  assert.equal(sameElement([1, 2], [4, 5], [4, 5, 6]), null);
  assert.equal(sameElement([1, 2], [4, 5], [5, 4]), null);
});

test("elements are written as NumPy, MLIR and CSV", () => {
  const f32 = /** @type {const} */ ({ dtype: "f32", components: 1 });
  const floats = {
    plane: Float32Array.of(1, -0, NaN, 1e-30, Infinity, 0.5),
    wire: f32,
    elementType: "f32",
    sizes: [2, 3],
  };
  assert.equal(numpyText(floats), "np.array([[1, -0, np.nan],\n          [1e-30, np.inf, 0.5]], dtype=np.float32)");
  assert.equal(
    mlirText(floats),
    "dense<[[1.0, -0.0, 0x7FC00000],\n       [1.0e-30, 0x7F800000, 0.5]]> : tensor<2x3xf32>",
  );
  assert.equal(csvText(floats), "1,-0,NaN\n1e-30,Inf,0.5\n");
  const truths = {
    plane: Uint8Array.of(1, 0),
    wire: /** @type {const} */ ({ dtype: "u8", components: 1 }),
    elementType: "i1",
    sizes: [2],
  };
  assert.equal(numpyText(truths), "np.array([True, False], dtype=np.bool)");
  assert.equal(mlirText(truths), "dense<[true, false]> : tensor<2xi1>");
  const pairs = {
    plane: Float32Array.of(1, 2),
    wire: /** @type {const} */ ({ dtype: "f32", components: 2 }),
    elementType: "complex<f32>",
    sizes: [],
  };
  assert.equal(numpyText(pairs), "np.array(complex(1, 2), dtype=np.complex64)");
  assert.equal(mlirText(pairs), "dense<(1.0, 2.0)> : tensor<complex<f32>>");
  assert.equal(numpyType("f8E4M3FN", f32), "ml_dtypes.float8_e4m3fn");
  assert.equal(numpyType("ui4", { dtype: "u8", components: 1 }), "ml_dtypes.uint4");
  assert.equal(numpyType("u64", { dtype: "u64", components: 1 }), "np.uint64");
});

test("bins of a histogram are selected by their numbers", () => {
  const histogram = { edges: [0, 1, 2, 3], counts: [1000, 2, 3] };
  assert.deepEqual(
    [-1, 0, 0.5, 1, 2.9, 3, 9].map((number) => binUnder(histogram, number)),
    [0, 0, 0, 1, 2, 2, 2],
  );
  assert.equal(brushText(histogram, [1, 2]), "5 of 1,005 finite elements from 1 to 3");
});

/** @param {number[]} numbers @param {string} elementType @returns {import("../../static/js/core/one_file/values.js").Whole} */
function whole(numbers, elementType = "f32") {
  const plane = Float32Array.from(numbers);
  const statistics = { min: 0, max: 0, nan: 0, posinf: 0, neginf: 0 };
  const summary = {
    address: "0.s0.0",
    type: `${elementType}[${plane.length}]`,
    shape: [plane.length],
    count: plane.length,
    elementType,
    wire: { dtype: "f32", components: 1 },
    statistics,
  };
  return /** @type {any} */ ({ summary, plane });
}

test("a saved page subtracts values as the server does", () => {
  const [one, other] = [whole([1, 2, NaN, NaN, -3]), whole([1, 4, NaN, 0, 1])];
  assert.equal(differenceValue(one, other, "signed").summary.type, "f64[5]");
  const plane = (/** @type {"signed"|"absolute"|"relative"} */ measure) => [
    ...differenceValue(one, other, measure).plane,
  ];
  assert.deepEqual(plane("signed"), [0, -2, 0, NaN, -4]);
  assert.deepEqual(plane("absolute"), [0, 2, 0, NaN, 4]);
  assert.deepEqual(plane("relative"), [0, 0.5, 0, NaN, 4]);
  const { count, worst, distance } = differenceInfo(differenceValue(one, other, "absolute"), one, other);
  assert.equal(count, 3);
  assert.deepEqual(worst, { index: [3], value: "NaN", other: "0", apart: "NaN" });
  assert.equal(distance.statistics?.max, 4);
  assert.throws(() => differenceValue(whole([1]), whole([1, 2]), "absolute"), /\[1\] and \[2\]/);
  assert.throws(() => differenceValue(whole([1], "i32"), whole([1], "i32"), "ulps"), /units in the last place/);
});

test("units in the last place count the floats between two numbers", () => {
  assert.deepEqual(
    [...differenceValue(whole([1, 0, -0]), whole([1 + 2 ** -23, -(2 ** -149), 0]), "ulps").plane],
    [1, 1, 0],
  );
  assert.equal(Number(rankOf(1.0078125, "bf16") - rankOf(1, "bf16")), 1);
  assert.equal(Number(rankOf(1.125, "f8E4M3FN") - rankOf(1, "f8E4M3FN")), 1);
  assert.equal(Number(rankOf(2, "f64") - rankOf(1, "f64")), 2 ** 52);
});

test("tensors with channels are images", () => {
  const u8 = { elementType: "ui8", statistics: { min: 0, max: 255 } };
  const of = (/** @type {number[]} */ shape) =>
    imageOf(/** @type {any} */ ({ ...u8, shape, wire: { dtype: "u8", components: 1 } }));
  assert.deepEqual(of([2, 8, 9, 3]), { rows: 1, columns: 2, channels: 3, batch: 0 });
  assert.deepEqual(of([2, 4, 8, 9]), { rows: 2, columns: 3, channels: 1, batch: 0 });
  assert.deepEqual(of([8, 9, 1]), { rows: 0, columns: 1, channels: 2, batch: -1 });
  assert.equal(of([8, 9, 5]), null);
  assert.equal(of([8, 9]), null);
  const f32 = {
    elementType: "f32",
    statistics: { min: 0, max: 1.5 },
    shape: [8, 9, 3],
    wire: { dtype: "f32", components: 1 },
  };
  assert.equal(imageOf(/** @type {any} */ (f32)), null);
  assert.deepEqual(
    [
      ...pixelsOf(
        [
          [0, 1],
          [0.5, NaN],
          [1, 0],
        ],
        1,
      ),
    ],
    [0, 128, 255, 255, 255, 0, 0, 255],
  );
  assert.deepEqual([...pixelsOf([[7]], 255)], [7, 7, 7, 255]);
});

test("the median of lost digits is said to be that of the elements that lost any", () => {
  const said = (/** @type {number[]} */ ...digits) => {
    const ordered = Float64Array.from(digits).sort();
    const statistics = /** @type {import("../../static/js/core/types.js").ValueStatistics} */ ({ max: ordered.at(-1) });
    return lostWords({ name: "%y" }, { summary: { statistics, spread: spreadOf(ordered) } });
  };
  const begin = "Decimal digits that each element of %y has lost";
  assert.equal(lostWords({ name: "%y" }, null), begin);
  assert.equal(said(0, 0), "No element of %y has lost a digit");
  assert.equal(said(0, 0, 0, 0, 1, 2, 3), `${begin}: up to 3, with a median of about 2 among those that lost any`);
  assert.equal(said(0, 1, 2, 3, 4), `${begin}: up to 4, with a median of about 3 among those that lost any`);
  for (const digits of [[2], [2, 2], [0, 0, 2], [1, 2]]) assert.equal(said(...digits), `${begin}: up to 2`);
});
