import assert from "node:assert/strict";
import { test } from "node:test";
import { pixelTable, rangeOfAll, shortRange } from "../../static/js/ui/thumbnails.js";

/** @param {number} min @param {number} max */
const info = (min, max) =>
  /** @type {any} */ ({ text: "f32[2]", min, max, nonfinite: false, width: 1, height: 1, pixels: "" });

test("pictures that are compared have one scale: equal numbers have one colour", () => {
  const [low, high] = [info(0, 10), info(5, 20)];
  const range = rangeOfAll([low, null, undefined, high]);
  assert.deepEqual(range, { low: 0, high: 20 });
  // 5 is the middle of one picture and the least number of the other.
  assert.equal(pixelTable(low, range)[125], pixelTable(high, range)[0]);
  assert.notEqual(pixelTable(low)[125], pixelTable(high)[0]);
  assert.equal(pixelTable(low, range)[250], pixelTable(info(10, 10), range)[0]);
});

test("0 stays in the middle where both signs occur in any of them", () => {
  const range = rangeOfAll([info(-4, -1), info(0, 2)]);
  assert.deepEqual(range, { low: -4, high: 2 });
  assert.equal(pixelTable(info(-4, 4), range)[125], pixelTable(info(0, 2), range)[0]);
});

test("where all is one number there is no scale", () => {
  assert.equal(rangeOfAll([info(3, 3), info(3, 3)]), null);
  assert.equal(rangeOfAll([]), null);
});

test("the picture of a constant stands out from a black page, and from a white one", () => {
  const pixel = pixelTable(info(3, 3))[0] ?? 0;
  const [grey, alpha] = [pixel & 255, (pixel >>> 24) / 255];
  const luminance = (/** @type {number} */ ground) => ((grey * alpha + ground * (1 - alpha)) / 255) ** 2.2;
  assert.ok((luminance(0) + 0.05) / 0.05 >= 3);
  assert.ok(1.05 / (luminance(255) + 0.05) >= 2);
});

test("a narrow column says first what is no number, and large and small numbers in three digits", () => {
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
