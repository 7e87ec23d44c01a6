/** Which rows of a long list are drawn: each is reached, and none leaves the view. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lowerBound, Stack, upperBound } from "../../static/js/core/prefix_sums.js";
import * as rows from "../../static/js/ui/virtual_list.js";

test("a short list scrolls pixel by pixel, and is drawn around what is seen", () => {
  const extent = { count: 100, row: 20, height: 200 };
  assert.equal(rows.heightOf(extent), 2000);
  assert.equal(rows.topRow(extent, 410), 20.5);
  assert.deepEqual(rows.rowsAround(extent, 20.5), { first: 10, last: 41 });
  assert.deepEqual(rows.rowsAround(extent, 0), { first: 0, last: 20 });
  assert.deepEqual(rows.rowsAround(extent, 90), { first: 80, last: 100 });
  assert.deepEqual(rows.rowsAround({ ...extent, count: 0 }, 0), { first: 0, last: 0 });
  assert.equal(rows.placeOf(extent, 7, 123), 140);
});

test("a list below others in its pane is drawn once it comes near", () => {
  const extent = { count: 100, row: 20, height: 200 };
  assert.deepEqual(rows.rowsAround(extent, -5), { first: 0, last: 15 });
  assert.deepEqual(rows.rowsAround(extent, -40), { first: 0, last: 0 });
  assert.deepEqual(rows.rowsAround(extent, 160), { first: 100, last: 100 });
});

test("beyond what browsers scroll, each row is still reached", () => {
  const extent = { count: 3_000_000, row: 22, height: 400 };
  const end = rows.MOST_PIXELS - extent.height;
  assert.equal(rows.heightOf(extent), rows.MOST_PIXELS);
  assert.equal(rows.topRow(extent, 0), 0);
  assert.equal(rows.topRow(extent, end), extent.count - extent.height / extent.row);
  assert.equal(rows.rowsAround(extent, rows.topRow(extent, end)).last, extent.count);
  for (const top of [0, 1, 12_345.25, 2_999_981]) {
    const offset = rows.offsetOf(extent, top);
    assert.ok(Math.abs(rows.topRow(extent, offset) - top) < 1e-6, `${top}`);
    assert.ok(Math.abs(rows.placeOf(extent, top, offset) - offset) < 1e-3, "the top row is at the upper edge");
  }
  const last = rows.placeOf(extent, extent.count - 1, end);
  assert.ok(Math.abs(last + extent.row - rows.MOST_PIXELS) < 1e-3, "the last row ends where the list does");
});

test("a row is scrolled into view only where it is not, and wholly", () => {
  for (const count of [500, 5_000_000]) {
    const extent = { count, row: 20, height: 210 };
    const from = rows.offsetOf(extent, 100);
    assert.equal(rows.offsetToShow(extent, 105, from, false), from);
    for (const index of [0, 50, 99, 110, 300, count - 1]) {
      for (const middle of [true, false]) {
        const top = rows.topRow(extent, rows.offsetToShow(extent, index, from, middle));
        assert.ok(top <= index + 1e-6 && index + 1 <= top + extent.height / extent.row + 1e-6, `${count} ${index}`);
      }
    }
  }
});

test("the part of each row agrees with counting", () => {
  const counts = [1, 0, 3, 0, 0, 2, 1];
  const stack = new Stack(counts.map((count, name) => ({ count, name })));
  const counted = counts.flatMap((count, name) => Array.from({ length: count }, (_, index) => [name, index]));
  assert.equal(stack.count, counted.length);
  counted.forEach(([name, index], row) => {
    const { part, index: found } = stack.at(row);
    assert.deepEqual([part.name, found], [name, index]);
  });
  assert.deepEqual(
    counts.map((_, part) => stack.startOf(part)),
    [0, 1, 1, 4, 4, 4, 6],
  );
  assert.throws(() => stack.at(counted.length), /no row 7/);
  assert.throws(() => stack.at(-1), /no row -1/);
});

test("bounds agree with counting", () => {
  const numbers = [1, 1, 4, 4, 4, 9];
  for (let bound = 0; bound < 11; bound++) {
    assert.equal(upperBound(numbers, bound), numbers.filter((number) => number <= bound).length);
    assert.equal(lowerBound(numbers, bound), numbers.filter((number) => number < bound).length);
  }
});
