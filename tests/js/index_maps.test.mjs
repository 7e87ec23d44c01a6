/** Evaluation of index maps: sets of boxes, runtime variables, budgets. The comparison with the engine is a Python test. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, substitute, intervalOf, linear, expressionText } from "../../static/js/core/indexing/expressions.js";
import { imageOf } from "../../static/js/core/indexing/maps.js";
import { numbersOf } from "../../static/js/core/indexing/numbered_map.js";
import { findRelated } from "../../static/js/core/indexing/related.js";
import * as regions from "../../static/js/core/indexing/regions.js";
import { map } from "./index_map.mjs";

const { boxBetween, contains, count, pointBox, wholeBox } = regions;
const none = { shapeOf: () => [], at: () => undefined };
const reading = (values) => ({ shapeOf: () => [values.length], at: (_operand, [at]) => values[at] });

test("a row of a product of large matrices is one box, found without looking at its elements", () => {
  const dot = map({
    results: ["d0", "s0"],
    dimensions: [
      [0, 4095],
      [0, 4095],
    ],
    ranges: [[0, 4095]],
  });
  const region = imageOf(dot, null, pointBox([7, 9]), [4096, 4096], none, 1);
  assert.deepEqual(count(region), { count: 4096, exact: true });
  assert.deepEqual(region.parts, [
    [
      { axes: [0], boxes: [{ start: [7], sizes: [1], strides: [1] }] },
      { axes: [1], boxes: [{ start: [0], sizes: [4096], strides: [1] }] },
    ],
  ]);
  assert.equal(count(imageOf(dot, null, wholeBox([4096, 4096]), [4096, 4096], none, 1)).count, 4096 * 4096);
});

test("sums of variables that follow each other are one span", () => {
  const flat = map({ results: [["+", ["*", "d0", 64], "s0"]], dimensions: [[0, 9]], ranges: [[0, 63]] });
  const region = imageOf(flat, null, boxBetween([2], [4]), [640], none, 1);
  assert.deepEqual(region.parts[0][0].boxes, [{ start: [128], sizes: [192], strides: [1] }]);
});

test("constraints on one variable cut its span; remainders are looked at one by one", () => {
  const slice = map({
    results: [["+", "d0", -3]],
    dimensions: [[0, 1e6]],
    constraints: [
      [
        ["+", "d0", -3],
        [0, 499999],
      ],
    ],
  });
  assert.deepEqual(imageOf(slice, null, wholeBox([1e6]), [500000], none, 1).parts[0][0].boxes, [
    { start: [0], sizes: [500000], strides: [1] },
  ]);
  const every = map({
    results: [["floordiv", "d0", 3]],
    dimensions: [[0, 11]],
    constraints: [
      [
        ["mod", "d0", 3],
        [0, 0],
      ],
    ],
  });
  assert.equal(count(imageOf(every, null, wholeBox([12]), [4], none)).count, 4);
});

test("beyond the budget the answer says that it is not complete", () => {
  const turned = map({
    results: [
      ["floordiv", "d0", 64],
      ["mod", "d0", 64],
    ],
    dimensions: [[0, 4095]],
  });
  const region = imageOf(turned, null, wholeBox([4096]), [64, 64], none, 100);
  assert.equal(region.complete, false);
  assert.equal(imageOf(turned, null, wholeBox([4096]), [64, 64], none).complete, true);
});

test("what is clamped takes the nearest value, what is not leaves the domain", () => {
  const runtime = (clamped) => ({
    interval: [0, 4],
    operand: 1,
    map: map({ results: ["d0"], dimensions: [[0, 3]] }),
    clamped,
  });
  const gather = (clamped) => map({ results: ["rt0"], dimensions: [[0, 3]], runtimes: [runtime(clamped)] });
  const indices = reading([1, 7, -2, 4]);
  const at = (clamped, place) =>
    imageOf(gather(clamped), null, pointBox([place]), [5], indices)
      .parts.flat()
      .flatMap(({ boxes }) => boxes.map(({ start }) => start[0]));
  assert.deepEqual(
    [0, 1, 2, 3].map((place) => at(true, place)),
    [[1], [4], [0], [4]],
  );
  assert.deepEqual(
    [0, 1, 2, 3].map((place) => at(false, place)),
    [[1], [], [], [4]],
  );
});

test("numbers that have not come yet are waited for", () => {
  const gather = map({
    results: ["rt0"],
    dimensions: [[0, 3]],
    runtimes: [{ interval: [0, 4], operand: 1, map: map({ results: ["d0"], dimensions: [[0, 3]] }), clamped: true }],
  });
  assert.equal(imageOf(gather, null, pointBox([0]), [5], { shapeOf: () => [4], at: () => undefined }).waiting, true);
});

test("a place is one axis more", () => {
  const gathered = map({ results: [["mod", "d0", 4]], dimensions: [[0, 7]] });
  const region = imageOf(gathered, ["floordiv", "d0", 4], boxBetween([2], [5]), [4], none);
  assert.deepEqual(regions.placesIn(region), [0, 1]);
  assert.deepEqual(regions.firstIndices(regions.atPlace(region, 1), 9), [[0], [1]]);
});

test("unions are counted once, and a map that is not known has no region", () => {
  const identity = { operand: 0, result: 0, place: null, map: map({ results: ["d0"], dimensions: [[0, 9]] }) };
  const op = {
    operands: [{ name: "a", shape: [10] }],
    results: [{ name: "b", shape: [10] }],
    found: [],
    maps: [identity, { ...identity, map: map({ results: [["+", "d0", 1]], dimensions: [[0, 8]] }) }],
    inverse: [],
  };
  const [found] = findRelated(op, { side: "result", number: 0, boxes: [boxBetween([2], [5])] }, none);
  assert.deepEqual(count(found.region), { count: 5, exact: true });
  const opaque = { ...op, maps: [{ ...identity, map: { ...identity.map, kind: "undefined" } }] };
  assert.equal(findRelated(opaque, { side: "result", number: 0, boxes: [pointBox([0])] }, none)[0].region, null);
});

test("places of elements become few boxes, and sets that travelled come back", () => {
  assert.deepEqual(regions.boxesOf([0, 1, 4, 5, 8, 9], [3, 4]), [{ start: [0, 0], sizes: [3, 2], strides: [1, 1] }]);
  assert.deepEqual(regions.spansOf([0, 3, 6, 7]), [
    { start: 0, size: 3, stride: 3 },
    { start: 7, size: 1, stride: 1 },
  ]);
  const region = regions.regionFromWire({ shape: [3, 4], runs: [[2, 7]] });
  assert.deepEqual(
    regions
      .firstIndices(region, 20)
      .map(([row, column]) => row * 4 + column)
      .sort((a, b) => a - b),
    [2, 3, 4, 5, 6, 7, 8],
  );
  assert.equal(contains(region, [2, 1]), false);
});

test("rectangles of a slice, and of a strip in rows", () => {
  const region = regions.regionOf([2, 3, 4], [{ start: [1, 0, 1], sizes: [1, 2, 2], strides: [1, 2, 1] }]);
  const slice = { rows: 1, columns: 2, at: [1, 0, 0] };
  assert.deepEqual(regions.rectanglesIn(region, slice), [
    { row: { start: 0, size: 2, stride: 2 }, column: { start: 1, size: 2, stride: 1 } },
  ]);
  assert.deepEqual(regions.rectanglesIn(region, { ...slice, at: [0, 0, 0] }), []);
  const strip = regions.foldedRectangles(
    [{ row: { start: 0, size: 1, stride: 1 }, column: { start: 3, size: 10, stride: 1 } }],
    5,
  );
  assert.deepEqual(
    strip.map(({ row, column }) => [row.start, row.size, column.start, column.size]),
    [
      [0, 1, 3, 2],
      [1, 1, 0, 5],
      [2, 1, 0, 3],
    ],
  );
});

test("expressions: division rounds down, remainders are never negative, bounds enclose", () => {
  const at = (expression, d) => compile(expression)([d], [], []);
  assert.deepEqual(
    [-5, 5].map((d) => [at(["floordiv", "d0", 2], d), at(["mod", "d0", -3], d)]),
    [
      [-3, 1],
      [2, 2],
    ],
  );
  assert.deepEqual(
    [-5, -1, 0, 5].map((d) => [at(["ceildiv", "d0", 2], d), at(["ceildiv", "d0", -2], d)]),
    [
      [-2, 3],
      [0, 1],
      [0, 0],
      [3, -2],
    ],
  );
  assert.deepEqual(
    intervalOf(["ceildiv", "d0", -3], () => [-1, 10]),
    [-3, 1],
  );
  assert.deepEqual(
    intervalOf(["+", ["*", "d0", -2], ["min", "d0", 3]], () => [0, 10]),
    [-20, 3],
  );
  assert.deepEqual(linear(["+", ["*", ["+", "d0", 1], 4], ["*", "s0", -1], 2]), {
    constant: 6,
    terms: new Map([
      ["d0", 4],
      ["s0", -1],
    ]),
  });
  assert.equal(linear(["mod", "d0", 2]), null);
  assert.deepEqual(
    substitute(["+", ["*", "d0", 4], "s0", 1], (name) => (name === "d0" ? 2 : null)),
    ["+", "s0", 9],
  );
  assert.equal(expressionText(["+", ["*", "d0", 2], ["*", "rt0", -1], -3]), "d0 * 2 - rt0 - 3");
  assert.equal(expressionText(["floordiv", ["+", "d0", 1], 2]), "(d0 + 1) floordiv 2");
  assert.equal(
    expressionText(["+", ["ceildiv", ["+", "d0", 1], 2], ["*", ["ceildiv", "d0", 3], -1]]),
    "(d0 + 1) ceildiv 2 - d0 ceildiv 3",
  );
});

test("a map with the numbers of one element, in both styles", () => {
  const gather = map({
    results: ["rt0", "d1"],
    dimensions: [
      [0, 3],
      [0, 3],
    ],
    runtimes: [
      {
        interval: [0, 4],
        operand: 1,
        map: map({
          results: ["d0"],
          dimensions: [
            [0, 3],
            [0, 3],
          ],
        }),
        clamped: true,
      },
    ],
  });
  const told = (style) => numbersOf(gather, [1, 0], reading([0, 7, 0, 0]), style, () => "%indices").lines;
  assert.deepEqual(told("xla"), [
    "d0 = 1, d1 = 0",
    "rt0 = %indices[1] = 7 → clamped to 4, within [0, 4]",
    "(rt0, d1) = (4, 0)",
  ]);
  assert.equal(told("xla-2024")[1], "s0 = %indices[1] = 7 → clamped to 4, within [0, 4]");
  const padded = map({
    results: [["+", "d0", -1]],
    dimensions: [[0, 5]],
    constraints: [
      [
        ["+", "d0", -1],
        [0, 3],
      ],
    ],
  });
  const outside = numbersOf(padded, [0], none, "xla", String);
  assert.equal(outside.holds, false);
  assert.match(outside.lines[1], /d0 - 1 = -1 is outside \[0, 3\]: no element belongs to it/);
  const row = map({ results: ["d0", "s0"], dimensions: [[0, 3]], ranges: [[0, 255]] });
  assert.equal(numbersOf(row, [2], none, "xla", String).lines.at(-1), "(d0, s0) = (2, s0), s0 in [0, 255]");
});
