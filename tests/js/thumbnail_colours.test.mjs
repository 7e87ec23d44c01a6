import assert from "node:assert/strict";
import { test } from "node:test";
import { pixelTable, rangeOfAll } from "../../static/js/ui/thumbnails.js";

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
