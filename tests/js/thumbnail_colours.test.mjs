import assert from "node:assert/strict";
import { test } from "node:test";
import { lookupTable } from "../../static/js/drawing/colour_maps.js";
import { commonScale, pixelTable, shortRange } from "../../static/js/ui/thumbnails.js";

/** @param {number} low @param {number} high @param {string} [kind] @param {string} [shape] */
const info = (low, high, kind = "float", shape = "linear") =>
  /** @type {any} */ ({
    scale: { kind, low, high, shape, soft: 1 },
    nonfinite: false,
    width: 1,
    height: 1,
    pixels: "",
  });

test("pictures that are compared have one scale: equal numbers have one colour", () => {
  const [low, high] = [info(0, 10), info(5, 20)];
  const scale = commonScale([low, null, undefined, high]);
  assert.deepEqual([scale?.low, scale?.high], [0, 20]);
  // 5 is the middle of one picture and the least number of the other.
  assert.equal(pixelTable(low, scale)[125], pixelTable(high, scale)[0]);
  assert.notEqual(pixelTable(low)[125], pixelTable(high)[0]);
  assert.equal(pixelTable(low, scale)[250], pixelTable(info(10, 10), scale)[0]);
});

test("0 stays in the middle where both signs occur in any of them", () => {
  const scale = commonScale([info(-4, -1), info(0, 2)]);
  assert.deepEqual([scale?.low, scale?.high], [-4, 4]);
  assert.equal(pixelTable(info(-4, 4), scale)[125], pixelTable(info(0, 2), scale)[0]);
});

test("integers in categories keep their colours beside others, until they are too many", () => {
  const [few, others, many] = [info(-1, 3, "integer"), info(7, 7, "integer"), info(0, 40, "integer")];
  const table = lookupTable("categories");
  const shared = commonScale([few, others]);
  assert.equal(pixelTable(few, shared)[9], table[9]); // -1
  assert.equal(pixelTable(others, shared)[125], table[7]);
  const wide = commonScale([few, many]);
  assert.equal(pixelTable(few, wide)[0], pixelTable(many, wide)[0]); // 0 is a digit of one and the end of the other
});

test("what is logarithmic in one picture is so in all", () => {
  const scale = commonScale([info(1, 100, "float", "log"), info(1, 10_000, "float", "log")]);
  assert.equal(scale?.shape, "log");
  assert.equal(pixelTable(info(1, 100, "float", "log"), scale)[250], lookupTable("viridis")[125]);
  assert.equal(commonScale([info(0, 5), info(1, 100, "float", "log")])?.shape, "arcsinh");
});

test("where all is one number all is grey, and where nothing is finite there is no scale", () => {
  const grey = lookupTable("one")[0];
  assert.equal(pixelTable(info(3, 3), commonScale([info(3, 3), info(3, 3)]))[7], grey);
  assert.equal(commonScale([info(NaN, NaN)]), null);
  assert.equal(commonScale([]), null);
});

test("the picture of a constant stands out from a black page, and from a white one", () => {
  const pixel = pixelTable(info(3, 3))[0] ?? 0;
  const [grey, alpha] = [pixel & 255, (pixel >>> 24) / 255];
  const luminance = (/** @type {number} */ ground) => ((grey * alpha + ground * (1 - alpha)) / 255) ** 2.2;
  assert.ok((luminance(0) + 0.05) / 0.05 >= 3);
  assert.ok(1.05 / (luminance(255) + 0.05) >= 2);
});

test("a narrow column says first what is not a number, and large and small numbers in three digits", () => {
  assert.equal(shortRange("0 … 1.094e36  mean 1.6e34, 14 +Inf"), "14 +Inf, 0 … 1.094e36");
  assert.equal(
    shortRange("-3.983e4 … 3.388e4  mean 2"),
    "-3.983e4 … 3.388e4".replace("3.983", "3.98").replace("3.388", "3.39"),
  );
  assert.equal(shortRange("0.0002187 … 0.000231  mean 1"), "2.19e-4 … 2.31e-4");
  assert.equal(shortRange("-0.2152 … 0.3048  mean 0"), "-0.2152 … 0.3048");
  assert.equal(shortRange("12288 … 1228800  mean 9"), "12288 … 1228800");
  assert.equal(shortRange("[1, 2, 3]"), "[1, 2, 3]");
  assert.equal(shortRange("all NaN"), "all NaN");
  assert.equal(shortRange("126 of 256 true"), "126 of 256 true");
  assert.equal(shortRange("2,080 of 4,096 true"), "2,080 true");
});
