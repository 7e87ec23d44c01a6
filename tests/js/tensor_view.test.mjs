import assert from "node:assert/strict";
import { test } from "node:test";
import { axisName, defaultSlice, fittingSlice, heldAxes, showAxis, sliceKey } from "../../static/js/tensor/axes.js";
import { clamp, elementUnder, fit, levelFor, reveal, visible, zoomAt } from "../../static/js/tensor/camera.js";
import { automaticMap, inkOn, lookupTable, pixelOf, SPECIAL_PIXELS } from "../../static/js/tensor/colours.js";
import { folded, foldWidth } from "../../static/js/tensor/fold.js";
import { paint } from "../../static/js/tensor/paint.js";
import { placer, reader, scaleFor } from "../../static/js/tensor/scale.js";
import { WindowSource } from "../../static/js/tensor/source.js";
import { coarseRequest, covers, holds, MAX_CELLS, ringRequest } from "../../static/js/tensor/windows.js";

const CHOICE = /** @type {const} */ ({ shape: "linear", range: "all", low: 0, high: 1 });

test("the last two axes are shown, and keep their place where they fit", () => {
  assert.deepEqual(defaultSlice([2, 3, 4]), { rows: 1, columns: 2, at: [0, 0, 0] });
  assert.deepEqual(defaultSlice([7]), { rows: -1, columns: 0, at: [0] });
  assert.deepEqual(defaultSlice([]), { rows: -1, columns: -1, at: [] });
  assert.deepEqual(fittingSlice({ rows: 0, columns: 2, at: [0, 5, 0] }, [2, 3, 4]).at, [0, 2, 0]);
  assert.deepEqual(heldAxes(defaultSlice([2, 3, 4, 5])), [0, 1]);
});

test("an axis that is chosen twice changes places", () => {
  assert.deepEqual(showAxis(defaultSlice([2, 3, 4]), "rows", 2), { rows: 2, columns: 1, at: [0, 0, 0] });
  assert.notEqual(sliceKey(defaultSlice([2, 3])), sliceKey(showAxis(defaultSlice([2, 3]), "rows", 1)));
  assert.equal(axisName(0, [32]), "lane 0");
  assert.equal(axisName(1, [32]), "d0");
});

test("mixed signs put 0 in the middle; other values go from end to end", () => {
  const mixed = scaleFor({ min: -1, max: 3, mean: 1, std: 1 }, "float", CHOICE);
  assert.deepEqual([mixed.low, mixed.high, mixed.diverging], [-3, 3, true]);
  assert.equal(placer(mixed)(0), 0.5);
  const positive = scaleFor({ min: 2, max: 4, mean: 3, std: 1 }, "float", CHOICE);
  assert.deepEqual([positive.low, positive.high, positive.diverging], [2, 4, false]);
  assert.equal(automaticMap("float", positive), "viridis");
});

test("places and numbers turn into each other", () => {
  for (const shape of /** @type {const} */ (["linear", "arcsinh", "log"])) {
    const scale = scaleFor({ min: 0.5, max: 800, mean: 3, std: 1 }, "float", { ...CHOICE, shape });
    assert.ok(Math.abs(placer(scale)(reader(scale)(0.3)) - 0.3) < 1e-9, shape);
  }
});

test("a logarithm of what is not positive becomes arcsinh, and the ends of f64 do not overflow", () => {
  assert.equal(scaleFor({ min: 0, max: 8, mean: 3, std: 1 }, "float", { ...CHOICE, shape: "log" }).shape, "arcsinh");
  const whole = scaleFor({ min: -1.7e308, max: 1.7e308, mean: 0, std: 1 }, "float", CHOICE);
  assert.equal(placer(whole)(1.7e308), 1);
});

test("a robust range leaves outliers out and says so", () => {
  const scale = scaleFor({ min: 0, max: 1000, mean: 1, std: 2 }, "float", { ...CHOICE, range: "robust" });
  assert.deepEqual([scale.low, scale.high, scale.clipped], [0, 7, true]);
});

test("nothing finite still has a scale", () => {
  const scale = scaleFor({ min: "NaN", max: "NaN", mean: "NaN", std: "NaN" }, "float", CHOICE);
  assert.deepEqual([scale.low, scale.high], [0, 1]);
});

/** @param {Record<string, any>} planes @param {number} height @param {number} width */
const windowOf = (planes, height, width, level = 0, dtype = "f32") => /** @type {any} */ ({
  header: { rows: 0, columns: 1, height, width, level, total: [height, width], wire: { dtype, components: 1 }, planes: Object.keys(planes) }, planes,
});

test("numbers are coloured by their place, what is no number by its kind", () => {
  const table = lookupTable("viridis");
  const scale = scaleFor({ min: 0, max: 1, mean: 0, std: 1 }, "float", CHOICE);
  const ink = { table, scale, part: /** @type {const} */ ("abs"), bins: /** @type {const} */ ("mean"), categories: false };
  const pixels = paint(windowOf({ value: Float32Array.of(0, 1, 7, NaN, Infinity, -Infinity) }, 2, 3), ink);
  assert.deepEqual([...pixels], [table[0], table[255], table[255], SPECIAL_PIXELS.nan, SPECIAL_PIXELS.posinf, SPECIAL_PIXELS.neginf]);
  const bins = windowOf({ min: Float32Array.of(0, 0), mean: Float32Array.of(0, 0), max: Float32Array.of(0, 0), nonfinite: Uint32Array.of(0, 1) }, 1, 2, 1);
  assert.deepEqual([...paint(bins, ink)], [table[0], SPECIAL_PIXELS.nan]);
});

test("the text on a cell is readable", () => {
  assert.equal(inkOn(pixelOf("#440154")), "#ffffff");
  assert.equal(inkOn(pixelOf("rgb(253, 231, 37)")), "#000000");
});

const PICTURE = { width: 4000, height: 3000 };
const SCREEN = { width: 800, height: 600 };

test("the whole picture is seen at first, and zooming keeps the point", () => {
  const camera = fit(PICTURE, SCREEN);
  assert.equal(camera.zoom, 0.2);
  assert.deepEqual(visible(camera, PICTURE, SCREEN), { top: 0, left: 0, bottom: 3000, right: 4000 });
  const before = elementUnder(camera, { x: 400, y: 300 }, PICTURE);
  assert.deepEqual(elementUnder(zoomAt(camera, 8, { x: 400, y: 300 }, PICTURE, SCREEN), { x: 400, y: 300 }, PICTURE), before);
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
  const source = new WindowSource(PICTURE, async (request) => {
    asked.push(request);
    return windowOf({ value: new Float32Array(1) }, 1, 1, request.level);
  }, () => undefined);
  const seen = { top: 0, left: 0, bottom: 60, right: 80 };
  source.layers(seen, 0);
  source.layers(seen, 0);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(asked.map(({ level }) => level), [4, 0]);
  assert.deepEqual(source.layers(seen, 0).map(({ request }) => request.level), [4, 0]);
  assert.equal(source.at(10, 10)?.request.level, 0);
  assert.equal(source.at(2999, 3999)?.request.level, 4);
  assert.equal(asked.length, 2);
});

test("a source that fails says why, and asks again when told", async () => {
  let fails = true;
  const source = new WindowSource({ width: 2, height: 2 }, async () => {
    if (fails) throw new Error("busy");
    return windowOf({ value: new Float32Array(4) }, 2, 2);
  }, () => undefined);
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
  const window = folded(windowOf({ value: Float32Array.of(1, 2, 3, 4, 5) }, 1, 5), 3);
  assert.deepEqual([window.header.height, window.header.width], [2, 3]);
  const ink = { table: lookupTable("viridis"), scale: scaleFor({ min: 1, max: 5, mean: 0, std: 1 }, "float", CHOICE), part: /** @type {const} */ ("abs"), bins: /** @type {const} */ ("mean"), categories: false };
  assert.equal(paint(window, ink)[5], 0);
});
