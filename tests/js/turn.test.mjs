/** What who waits for a worker is told. */
import assert from "node:assert/strict";
import test from "node:test";
import { turnTexts } from "../../static/js/features/workbench/turn.js";

/** @param {number} before @param {number} of @param {number|null} seconds */
function sentence(before, of, seconds) {
  const { place, time, rest } = turnTexts({ before, of, seconds });
  return place + time + rest;
}

test("The place, how many wait, and about how long", () => {
  assert.equal(sentence(2, 5, 20), "3rd of 5 runs waiting, about 20 s; your run continues automatically.");
  assert.equal(sentence(0, 5, 3), "Your run is next, about 3 s; it continues automatically.");
  assert.equal(sentence(1, 2, 300), "2nd of 2 runs waiting, about 5 min; your run continues automatically.");
});

test("Nothing is said of the time where nothing is known of it", () => {
  assert.equal(sentence(0, 1, null), "Your run is next; it continues automatically.");
  assert.equal(sentence(10, 1200, null), "11th of 1,200 runs waiting; your run continues automatically.");
});

test("Places are counted as one counts", () => {
  const places = [1, 2, 3, 10, 11, 12, 20, 21, 1012].map((before) => sentence(before, 2000, null).split(" ")[0]);
  assert.deepEqual(places, ["2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "1,013th"]);
});
