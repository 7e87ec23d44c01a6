/** Windows over padded and dilated tensors: which places hold an element, and where they are drawn. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { windowsAt } from "../../static/js/features/index_map/window_parts.js";
import { overlayOf, unlit } from "../../static/js/ui/tensor_grid/projection.js";
import { contains, pointBox, regionOf } from "../../static/js/core/indexing/regions.js";
import { elementAt, placeOf, rulerView, spreadOf, spreadWindows } from "../../static/js/ui/tensor_grid/dilation.js";
import { paddingOf, windowPositionsSentence } from "../../static/js/core/indexing/window_positions.js";
import { map } from "./index_map.mjs";

const none = { shapeOf: () => [], at: () => undefined };
const [x, y, w] = [
  { side: "operand", number: 0 },
  { side: "result", number: 0 },
  { side: "operand", number: 1 },
];

const pooling = {
  operands: [{ name: "x", shape: [6] }],
  results: [{ name: "y", shape: [6] }],
  found: [],
  inverse: [],
  maps: [],
  parts: {
    kind: "window",
    windowPositions: {
      of: y,
      over: [x],
      base: [1],
      map: map({ results: [["+", "d0", "s0", -1]], dimensions: [[0, 5]], ranges: [[0, 2]] }),
    },
  },
};

/** Rows: two apart, a window of 2 by steps of 2, one row of padding before. Columns: a window of 3, two apart, over elements two apart. */
const dilated = {
  operands: [
    { name: "x", shape: [4, 5] },
    { name: "w", shape: [3, 2] },
  ],
  results: [{ name: "y", shape: [4, 3] }],
  found: [],
  inverse: [],
  maps: [],
  parts: {
    kind: "window",
    windowPositions: {
      of: y,
      over: [x],
      base: [2, 2],
      map: map({
        results: [
          ["+", ["*", "d0", 2], "s0", -1],
          ["+", ["*", "d1", 3], ["*", "s1", 2], -2],
        ],
        dimensions: [
          [0, 3],
          [0, 2],
        ],
        ranges: [
          [0, 1],
          [0, 2],
        ],
      }),
      partner: {
        ...w,
        map: map({
          results: [["+", 2, ["*", -1, "s1"]], "s0"],
          dimensions: [
            [0, 3],
            [0, 2],
          ],
          ranges: [
            [0, 1],
            [0, 2],
          ],
        }),
      },
    },
  },
};
const chosen = (at) => ({ ...y, boxes: [pointBox(at)], at });
const places = (boxes, shape) => {
  const found = [];
  for (let row = -4; row < 12; row++)
    for (let column = -4; column < 14; column++)
      if (contains(regionOf(shape, boxes), [row, column])) found.push([row, column]);
  return found;
};

test("a window reaches into the padding: cells beyond the edges are drawn, and those that hold no element", () => {
  assert.deepEqual(paddingOf(pooling, none).get("operand 0"), { low: [1], high: [1], base: [1] });
  const { outlines, ghosts } = windowsAt(pooling, chosen([0]), none).get("operand 0");
  assert.deepEqual(outlines[0].box, { start: [-1], sizes: [3], strides: [1] });
  assert.deepEqual(ghosts, [pointBox([-1])]);
  assert.deepEqual(windowsAt(pooling, chosen([3]), none).get("operand 0").ghosts, []);
  assert.equal(windowsAt(pooling, { ...x, boxes: [pointBox([0])], at: [0] }, none).size, 0);
});

test("places in holes hold no element", () => {
  assert.deepEqual(paddingOf(dilated, none).get("operand 0"), { low: [1, 2], high: [0, 0], base: [2, 2] });
  const corner = windowsAt(dilated, chosen([0, 0]), none).get("operand 0");
  assert.deepEqual(corner.outlines[0].box, { start: [-1, -2], sizes: [2, 5], strides: [1, 1] });
  assert.deepEqual(places(corner.ghosts, [4, 5]), [
    [-1, -2],
    [-1, 0],
    [-1, 2],
    [0, -2],
  ]);
  assert.deepEqual(corner.counts, { total: 6, padding: 4, holes: 0 });
  const odd = windowsAt(dilated, chosen([1, 1]), none).get("operand 0");
  assert.deepEqual(places(odd.ghosts, [4, 5]), [
    [1, 1],
    [1, 3],
    [1, 5],
    [2, 1],
    [2, 3],
    [2, 5],
  ]);
  assert.deepEqual(odd.counts, { total: 6, padding: 0, holes: 6 });
});

test("what of the kernel meets no element", () => {
  const { ghosts } = windowsAt(dilated, chosen([0, 0]), none).get("operand 1");
  assert.deepEqual(places(ghosts, [3, 2]), [
    [0, 0],
    [1, 0],
    [2, 0],
    [2, 1],
  ]);
});

test("padding that only a run knows", () => {
  const late = { interval: [-5, 20], operand: 2, clamped: false, map: map({ results: [0], dimensions: [[0, 5]] }) };
  const windowPositions = {
    ...pooling.parts.windowPositions,
    map: map({
      results: [["+", "d0", "s0", ["*", "rt0", -1]]],
      dimensions: [[0, 5]],
      ranges: [[0, 2]],
      runtimes: [late],
    }),
  };
  const maps = {
    ...pooling,
    operands: [...pooling.operands, ...dilated.operands],
    parts: { kind: "window", windowPositions },
  };
  assert.equal(windowsAt(maps, chosen([0]), none).size, 0);
  const read = { shapeOf: () => [1], at: () => 2 };
  assert.deepEqual(paddingOf(maps, read).get("operand 0"), { low: [2], high: [0], base: [1] });
  assert.deepEqual(windowsAt(maps, chosen([0]), read).get("operand 0").counts, { total: 3, padding: 2, holes: 0 });
});

test("how much of a window is empty, in words", () => {
  assert.equal(windowPositionsSentence("y[0]", "x", { total: 3, padding: 0, holes: 0 }), null);
  assert.equal(
    windowPositionsSentence("y[0]", "x", { total: 1, padding: 0, holes: 1 }),
    "y[0] lies in a hole between elements of x.",
  );
  assert.equal(
    windowPositionsSentence("y[0]", "x", { total: 9, padding: 1, holes: 4 }),
    "Of the 9 positions of its window over x, 1 lies in padding and 4 lie in holes: no element is there.",
  );
});

const layout = { slice: { rows: 0, columns: 1, at: [0, 0] }, fold: 0, folding: null };

test("elements of a dilated tensor are drawn apart, its window over places", () => {
  const padding = paddingOf(dilated, none).get("operand 0");
  const spread = spreadOf(padding, layout, [4, 5]);
  assert.deepEqual(spread, { rows: 2, columns: 2 });
  assert.deepEqual(placeOf({ row: 3, column: 1 }, spread), { row: 6, column: 2 });
  assert.deepEqual(elementAt({ row: 6, column: 2 }, spread), { row: 3, column: 1 });
  assert.equal(elementAt({ row: 6, column: 3 }, spread), null);
  const windows = windowsAt(dilated, chosen([0, 1]), none).get("operand 0");
  const lit = {
    ...unlit(),
    role: "related",
    padding,
    region: regionOf([4, 5], [{ start: [0, 1], sizes: [1, 2], strides: [1, 1] }]),
    ...windows,
  };
  const overlay = overlayOf(lit, layout, [4, 5], spread);
  assert.deepEqual(overlay.rectangles, [
    { row: { start: 0, size: 1, stride: 2 }, column: { start: 2, size: 2, stride: 2 } },
  ]);
  assert.deepEqual(overlay.margin, { top: 1, left: 2, bottom: 0, right: 0 });
  assert.deepEqual(
    overlay.outlines.map(({ row, column, rows, columns }) => [row, column, rows, columns]),
    [[-1, 1, 2, 5]],
  );
  const beside = overlayOf(lit, layout, [4, 5], null);
  assert.deepEqual(beside.margin, { top: 1, left: 1, bottom: 0, right: 0 });
  assert.deepEqual(
    beside.outlines.map(({ row, column, rows, columns }) => [row, column, rows, columns]),
    [[-1, 0, 2, 3]],
  );
});

test("a held axis is held at an element: places in holes there are not seen", () => {
  const padding = { low: [0, 0, 0], high: [0, 0, 0], base: [2, 1, 1] };
  const lit = { ...unlit(), role: "related", padding, ghosts: [pointBox([3, 0, 0]), pointBox([2, 1, 1])] };
  const overlay = overlayOf(lit, { ...layout, slice: { rows: 1, columns: 2, at: [1, 0, 0] } }, [3, 2, 2]);
  assert.deepEqual(
    overlay.ghosts.map(({ row, column }) => [row.start, column.start]),
    [[1, 1]],
  );
});

test("very large tensors keep their elements side by side", () => {
  const padding = { low: [0, 0], high: [0, 0], base: [4, 4] };
  assert.equal(spreadOf(padding, layout, [4096, 4096]), null);
  assert.equal(spreadOf({ ...padding, base: [1, 1] }, layout, [4, 4]), null);
});

test("the numbers of the elements come to their places", async () => {
  const asked = [];
  const source = spreadWindows(
    async (view) => {
      asked.push(view);
      return /** @type {any} */ ({
        header: { height: 2, width: 3, wire: { dtype: "i32", components: 1 } },
        planes: { value: Int32Array.of(1, 2, 3, 4, 5, 6) },
      });
    },
    [2, 3],
    layout.slice,
    { rows: 2, columns: 3 },
  );
  source.layers({ top: 0, left: 0, bottom: 3, right: 7 }, 0);
  await new Promise((done) => setTimeout(done, 0));
  assert.deepEqual(asked[0].size, [2, 3]);
  const [{ window }] = source.layers({ top: 0, left: 0, bottom: 3, right: 7 }, 0);
  assert.deepEqual([...window.planes.value], [1, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 5, 0, 0, 6]);
});

test("rulers count elements, in the middle of their cells", () => {
  const view = /** @type {any} */ ({
    camera: { zoom: 1, top: 0, left: 1 },
    cell: { x: 10, y: 10 },
    seen: { top: 0, bottom: 5, left: 1, right: 7 },
    picture: {},
    screen: {},
  });
  const ruler = rulerView(view, { rows: 1, columns: 3 });
  assert.ok(Math.abs((2 + 0.5 - ruler.camera.left) * ruler.cell.x - (6 + 0.5 - 1) * 10) < 1e-9);
  assert.deepEqual([ruler.seen.left, ruler.seen.right], [1, 3]);
  assert.equal(rulerView(view, null), view);
});
