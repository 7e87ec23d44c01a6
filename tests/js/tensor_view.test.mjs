import assert from "node:assert/strict";
import { test } from "node:test";
import {
  axisName,
  defaultSlice,
  elementOf,
  fittingSlice,
  foldWindow,
  foldWidth,
  heldAxes,
  showAxis,
  sliceKey,
} from "../../static/js/core/tensor/axes.js";
import { nestedText } from "../../static/js/ui/export.js";
import { barsOf } from "../../static/js/features/tensor/histogram.js";
import { scaleWords } from "../../static/js/features/tensor/legend.js";
import {
  cellSize,
  clamp,
  elementUnder,
  fit,
  levelFor,
  reveal,
  stretched,
  visible,
  zoomAt,
} from "../../static/js/drawing/camera.js";
import {
  automaticMap,
  LEVELS,
  textColourOn,
  lookupTable,
  pixelOf,
  SPECIAL_PIXELS,
} from "../../static/js/drawing/colour_maps.js";
import { coloursIn, paint } from "../../static/js/drawing/paint.js";
import { placer, reader, scaleFor } from "../../static/js/drawing/scale.js";
import {
  coarseRequest,
  covers,
  holds,
  MAX_CELLS,
  ringRequest,
  WindowSource,
} from "../../static/js/core/tensor/window_source.js";

const CHOICE = /** @type {const} */ ({ shape: "linear", range: "all", low: 0, high: 1 });

test("the last two axes are shown, and keep their place where they fit", () => {
  assert.deepEqual(defaultSlice([2, 3, 4]), { rows: 1, columns: 2, at: [0, 0, 0] });
  assert.deepEqual(defaultSlice([7]), { rows: -1, columns: 0, at: [0] });
  assert.deepEqual(defaultSlice([]), { rows: -1, columns: -1, at: [] });
  assert.deepEqual(fittingSlice({ rows: 0, columns: 2, at: [0, 5, 0] }, [2, 3, 4]).at, [0, 2, 0]);
  assert.deepEqual(heldAxes(defaultSlice([2, 3, 4, 5])), [0, 1]);
});

test("what is copied has a list for each dimension, and a line for each of the innermost", () => {
  const texts = [..."abcdefgh"];
  assert.equal(nestedText(["a"], []), "a");
  assert.equal(nestedText(texts.slice(0, 3), [3]), "[a, b, c]");
  assert.equal(nestedText(texts, [2, 4]), "[[a, b, c, d],\n [e, f, g, h]]");
  assert.equal(nestedText(texts, [2, 2, 2]), "[[[a, b],\n  [c, d]],\n\n [[e, f],\n  [g, h]]]");
  assert.equal(nestedText([], [2, 0]), "[[],\n []]");
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((number) => elementOf([2, 3], number)),
    [0, 1].flatMap((row) => [0, 1, 2].map((column) => [row, column])),
  );
  assert.deepEqual(elementOf([], 0), []);
});

test("an axis that is chosen twice changes places", () => {
  assert.deepEqual(showAxis(defaultSlice([2, 3, 4]), "rows", 2), { rows: 2, columns: 1, at: [0, 0, 0] });
  assert.notEqual(sliceKey(defaultSlice([2, 3])), sliceKey(showAxis(defaultSlice([2, 3]), "rows", 1)));
  assert.equal(axisName(0, [32]), "lane 0");
  assert.equal(axisName(1, [32]), "d0");
});

test("0 is in the middle where both signs matter; other values go from end to end", () => {
  const mixed = scaleFor({ min: -1, max: 3 }, "float", CHOICE);
  assert.deepEqual([mixed.low, mixed.high, automaticMap(mixed)], [-3, 3, "purple-orange"]);
  assert.equal(placer(mixed)(0), 0.5);
  const positive = scaleFor({ min: 2, max: 4 }, "float", CHOICE);
  assert.deepEqual([positive.low, positive.high, automaticMap(positive)], [2, 4, "viridis"]);
  const nearly = scaleFor({ min: -0.2, max: 3 }, "float", CHOICE);
  assert.deepEqual([nearly.low, nearly.high, automaticMap(nearly)], [-0.2, 3, "viridis"]);
});

test("places and numbers turn into each other", () => {
  for (const shape of /** @type {const} */ (["linear", "arcsinh", "log"])) {
    const scale = scaleFor({ min: 0.5, max: 800 }, "float", { ...CHOICE, shape });
    assert.ok(Math.abs(placer(scale)(reader(scale)(0.3)) - 0.3) < 1e-9, shape);
  }
});

test("a logarithm of what is not positive becomes arcsinh, and the ends of f64 do not overflow", () => {
  assert.equal(scaleFor({ min: 0, max: 8 }, "float", { ...CHOICE, shape: "log" }).shape, "arcsinh");
  const whole = scaleFor({ min: -1.7e308, max: 1.7e308 }, "float", CHOICE);
  assert.equal(placer(whole)(1.7e308), 1);
});

const AUTOMATIC = /** @type {const} */ ({ ...CHOICE, shape: "auto", range: "auto" });
const NORMAL = { low: -2.5, high: 2.5, small: 0.1, median: 0.7, large: 2.6 };

test("outliers are left out where they would take the colours from the rest, and it is said", () => {
  const outlier = scaleFor({ min: -3, max: 1000 }, "float", AUTOMATIC, "abs", NORMAL);
  assert.deepEqual([outlier.low, outlier.high, outlier.clipped, outlier.robust], [-2.5, 2.5, true, true]);
  const tame = scaleFor({ min: -3, max: 3 }, "float", AUTOMATIC, "abs", NORMAL);
  assert.deepEqual([tame.low, tame.high, tame.clipped, tame.robust], [-3, 3, false, false]);
  const asked = scaleFor({ min: -3, max: 3 }, "float", { ...AUTOMATIC, range: "robust" }, "abs", NORMAL);
  assert.deepEqual([asked.low, asked.high, asked.robust], [-2.5, 2.5, true]);
  const words = scaleWords(/** @type {any} */ ({ map: "viridis", colourScale: { scale: outlier } }));
  assert.equal(words, "viridis · percentiles 0.5 to 99.5");
});

test("what is spread over orders of magnitude is drawn by them", () => {
  const wide = { low: 1e-6, high: 900, small: 1e-5, median: 0.01, large: 800 };
  assert.equal(scaleFor({ min: 1e-7, max: 1e3 }, "float", AUTOMATIC, "abs", wide).shape, "log");
  const signed = scaleFor({ min: -1e3, max: 1e3 }, "float", AUTOMATIC, "abs", wide);
  assert.deepEqual([signed.shape, signed.soft, signed.robust], ["arcsinh", 1e-5, false]);
  assert.equal(scaleFor({ min: -3, max: 3 }, "float", AUTOMATIC, "abs", NORMAL).shape, "linear");
});

test("where nothing is finite there is no scale", () => {
  assert.ok(Number.isNaN(scaleFor({ min: "NaN", max: "NaN" }, "float", CHOICE).low));
  assert.ok(Number.isNaN(scaleFor(null, "float", CHOICE).low));
});

test("few consecutive integers have a colour for each last digit, the same in every tensor", () => {
  const pixelsOf = (/** @type {number} */ min, /** @type {number} */ max, /** @type {number[]} */ ...values) => [
    ...paint(
      windowOf({ value: Int32Array.of(...values) }, 1, values.length, 0, "i32"),
      coloursIn(scaleFor({ min, max }, "integer")),
    ),
  ];
  const table = lookupTable("categories");
  assert.deepEqual(pixelsOf(-1, 8, 2, -1, 8), [table[2], table[9], table[8]]);
  assert.deepEqual(pixelsOf(2, 3, 2), pixelsOf(-1, 8, 2));
  assert.equal(automaticMap(scaleFor({ min: 0, max: 10 }, "integer")), "viridis");
  assert.equal(automaticMap(scaleFor({ min: 0, max: 9 }, "float")), "viridis");
  assert.equal(automaticMap(scaleFor({ min: 4, max: 4 }, "integer")), "one");
  const range = /** @type {const} */ ({ ...CHOICE, range: "fixed", low: 0, high: 5 });
  assert.equal(automaticMap(scaleFor({ min: 0, max: 1000 }, "integer", range)), "viridis");
});

test("a histogram stands over the colours of its bins", () => {
  const scale = scaleFor({ min: 0, max: 4 }, "float", CHOICE);
  const bars = barsOf({ edges: [0, 2, 4], counts: [1, 2] }, scale);
  assert.deepEqual(
    bars.map(({ x, width, height }) => [x, width, height]),
    [
      [0, 120, 14],
      [120, 120, 28],
    ],
  );
  const clipped = scaleFor({ min: 0, max: 4 }, "float", { ...CHOICE, range: "fixed", low: 0, high: 2 });
  assert.equal(barsOf({ edges: [0, 2, 4], counts: [1, 2] }, clipped).length, 1);
});

test("a picture uses the room in both directions, within limits", () => {
  const room = { width: 400, height: 400 };
  const cellOf = (/** @type {number} */ height, /** @type {number} */ width) => {
    const picture = { height, width };
    return cellSize(fit(picture, room, stretched(picture, room)), picture);
  };
  assert.deepEqual(cellOf(64, 1), { x: 120, y: 6.25 });
  assert.deepEqual(cellOf(200, 50), { x: 8, y: 2 });
  assert.deepEqual(cellOf(400, 20), { x: 8, y: 1 });
  assert.deepEqual(cellOf(64, 64), { x: 6.25, y: 6.25 });
  assert.deepEqual(cellOf(1, 1), { x: 120, y: 120 });
  assert.deepEqual(cellOf(3, 4), { x: 96, y: 96 });
  assert.equal(cellOf(1, 1_000_000).y, 120);
});

test("zooming keeps what is under the pointer, also of a picture that is stretched", () => {
  const [picture, room] = [
    { height: 200, width: 50 },
    { width: 400, height: 400 },
  ];
  let camera = fit(picture, room, stretched(picture, room));
  const point = { x: 300, y: 100 };
  const before = elementUnder(camera, point, picture);
  for (let turn = 0; turn < 8; turn++) {
    camera = zoomAt(camera, 1.6, point, picture, room);
    assert.deepEqual(elementUnder(camera, point, picture), before);
  }
});

/** @param {Record<string, any>} planes @param {number} height @param {number} width */
const windowOf = (planes, height, width, level = 0, dtype = "f32") =>
  /** @type {any} */ ({
    header: {
      rows: 0,
      columns: 1,
      height,
      width,
      level,
      total: [height, width],
      wire: { dtype, components: 1 },
      planes: Object.keys(planes),
    },
    planes,
  });

test("numbers are coloured by their place, what is not a number by its kind", () => {
  const table = lookupTable("viridis");
  const scale = scaleFor({ min: 0, max: 1, mean: 0, std: 1 }, "float", CHOICE);
  const ink = {
    table,
    scale,
    part: /** @type {const} */ ("abs"),
    bins: /** @type {const} */ ("mean"),
    categories: false,
  };
  const pixels = paint(windowOf({ value: Float32Array.of(0, 1, 7, NaN, Infinity, -Infinity) }, 2, 3), ink);
  assert.deepEqual(
    [...pixels],
    [table[0], table[LEVELS], table[LEVELS], SPECIAL_PIXELS.nan, SPECIAL_PIXELS.posinf, SPECIAL_PIXELS.neginf],
  );
  const bins = windowOf(
    {
      min: Float32Array.of(0, 0),
      mean: Float32Array.of(0, 0),
      max: Float32Array.of(0, 0),
      nonfinite: Uint32Array.of(0, 1),
      mark: Uint32Array.of(0, 253),
    },
    1,
    2,
    1,
  );
  assert.deepEqual([...paint(bins, ink)], [table[0], SPECIAL_PIXELS.neginf]);
});

test("the text on a cell is readable", () => {
  assert.equal(textColourOn(pixelOf("#440154")), "#ffffff");
  assert.equal(textColourOn(pixelOf("#fde725")), "#000000");
});

const PICTURE = { width: 4000, height: 3000 };
const SCREEN = { width: 800, height: 600 };

test("the whole picture is seen at first, and zooming keeps the point", () => {
  const camera = fit(PICTURE, SCREEN);
  assert.equal(camera.zoom, 0.2);
  assert.deepEqual(visible(camera, PICTURE, SCREEN), { top: 0, left: 0, bottom: 3000, right: 4000 });
  const before = elementUnder(camera, { x: 400, y: 300 }, PICTURE);
  assert.deepEqual(
    elementUnder(zoomAt(camera, 8, { x: 400, y: 300 }, PICTURE, SCREEN), { x: 400, y: 300 }, PICTURE),
    before,
  );
});

test("the camera stays over the picture", () => {
  assert.deepEqual(clamp({ zoom: 1e-6, left: -5, top: 9e9 }, PICTURE, SCREEN), fit(PICTURE, SCREEN));
  const shown = visible(reveal({ zoom: 10, left: 0, top: 0 }, 2999, 3999, PICTURE, SCREEN), PICTURE, SCREEN);
  assert.deepEqual([shown.bottom, shown.right], [3000, 4000]);
});

test("a level has about a bin a pixel", () => {
  assert.equal(levelFor({ zoom: 0.2, left: 0, top: 0 }, PICTURE, 1), 3);
  assert.equal(levelFor({ zoom: 0.2, left: 0, top: 0 }, PICTURE, 2), 2);
  assert.equal(levelFor({ zoom: 1, left: 0, top: 0 }, PICTURE, 1), 0);
});

test("windows: the whole coarsely, then a ring around what is seen", () => {
  assert.deepEqual(coarseRequest({ width: 256, height: 256 }), { level: 0, from: [0, 0], size: [256, 256] });
  assert.equal(coarseRequest(PICTURE).level, 4);
  const seen = { top: 1000, left: 1000, bottom: 1100, right: 1200 };
  const ring = ringRequest(seen, 0, PICTURE);
  assert.ok(covers(ring, seen, PICTURE, 0.4) && !covers(ring, { ...seen, right: 3000 }, PICTURE));
  assert.ok(holds(ring, 1050, 1100) && !holds(ring, 0, 0));
  const huge = ringRequest({ top: 0, left: 0, bottom: 9000, right: 9000 }, 0, { width: 9000, height: 9000 });
  assert.ok(huge.size[0] * huge.size[1] <= MAX_CELLS);
});

test("a source asks once, coarse first, and keeps what came", async () => {
  /** @type {any[]} */
  const asked = [];
  const source = new WindowSource(
    PICTURE,
    async (request) => {
      asked.push(request);
      return windowOf({ value: new Float32Array(1) }, 1, 1, request.level);
    },
    () => undefined,
  );
  const seen = { top: 0, left: 0, bottom: 60, right: 80 };
  source.layers(seen, 0);
  source.layers(seen, 0);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(
    asked.map(({ level }) => level),
    [4, 0],
  );
  assert.deepEqual(
    source.layers(seen, 0).map(({ request }) => request.level),
    [4, 0],
  );
  assert.equal(source.at(10, 10)?.request.level, 0);
  assert.equal(source.at(2999, 3999)?.request.level, 4);
  assert.equal(asked.length, 2);
});

test("a source has what is known before it is drawn, and says when something became known", () => {
  const picture = { width: 2, height: 2 };
  const window = windowOf({ value: new Float32Array(4) }, 2, 2);
  const nothing = () => assert.fail("it was known");
  let arrivals = 0;
  /** @type {(typeof window)[]} */
  const here = [];
  const made = () => new WindowSource(picture, nothing, () => arrivals++, { known: () => here[0] });
  const early = made();
  assert.equal(early.at(0, 0), null);
  here.push(window);
  assert.equal(made().at(0, 0)?.window, window);
  assert.equal(arrivals, 0);
  early.layers({ top: 0, left: 0, bottom: 2, right: 2 }, 0);
  assert.equal(early.at(0, 0)?.window, window);
  assert.equal(arrivals, 1);
});

test("a source that fails says why, and asks again when told", async () => {
  let fails = true;
  const source = new WindowSource(
    { width: 2, height: 2 },
    async () => {
      if (fails) throw new Error("busy");
      return windowOf({ value: new Float32Array(4) }, 2, 2);
    },
    () => undefined,
  );
  const seen = { top: 0, left: 0, bottom: 2, right: 2 };
  source.layers(seen, 0);
  await new Promise((resolve) => setTimeout(resolve));
  assert.match(String(source.error), /busy/);
  fails = false;
  source.retry();
  source.layers(seen, 0);
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(source.layers(seen, 0).length, 1);
});

test("a vector is folded; past its end cells are absent", () => {
  assert.equal(foldWidth(5000), 128);
  const window = foldWindow(windowOf({ value: Float32Array.of(1, 2, 3, 4, 5) }, 1, 5), 3);
  assert.deepEqual([window.header.height, window.header.width], [2, 3]);
  const ink = {
    table: lookupTable("viridis"),
    scale: scaleFor({ min: 1, max: 5, mean: 0, std: 1 }, "float", CHOICE),
    part: /** @type {const} */ ("abs"),
    bins: /** @type {const} */ ("mean"),
    categories: false,
  };
  assert.equal(paint(window, ink)[5], 0);
});
