import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countText,
  kindText,
  numbersIn,
  overlapText,
  partText,
  reuseText,
  sharedText,
  startsText,
  writersText,
} from "../../static/js/features/index_map/numbers/words.js";
import { bytesText } from "../../static/js/core/tensor/elements.js";

/** @param {number|string} value */
const just = (value) => ({ least: value, most: value });
const names = { operand: (/** @type {number} */ k) => `%a${k}`, result: (/** @type {number} */ k) => `%r${k}` };

test("counts are known, or lie between two numbers", () => {
  assert.equal(countText(just(4096)), "4,096");
  assert.equal(countText(just("36893488147419103232")), "36,893,488,147,419,103,232");
  assert.equal(countText({ least: 4, most: 20 }), "4 to 20");
  assert.equal(countText({ least: 0, most: 20 }, bytesText), "at most 20 B");
});

test("parts of a whole are not rounded to all of it", () => {
  assert.equal(partText({ least: 1, most: 1 }), "100 %");
  assert.equal(partText({ least: 0.99999, most: 0.99999 }), "99.9 %");
  assert.equal(partText({ least: 0.00001, most: 0.00001 }), "under 0.1 %");
  assert.equal(partText({ least: 0, most: 0.5 }), "at most 50 %");
  assert.equal(partText({ least: 0.1, most: 0.5 }), "10 % to 50 %");
});

test("reads of an element", () => {
  assert.equal(reuseText({ least: just(6), most: just(6), mean: 6 }), "6 ×");
  assert.equal(reuseText({ least: just(1), most: just(4), mean: 2.5 }), "2.5 × (1 to 4)");
  assert.equal(reuseText({ least: { least: 1, most: 3 }, most: { least: 4, most: 9 }, mean: 2.5 }), "2.5 ×");
  assert.equal(reuseText({ least: { least: 1, most: 3 }, most: { least: 4, most: 9 }, mean: null }), "");
});

/** @param {Record<string, unknown>} facts */
const kind = (facts) =>
  kindText(/** @type {any} */ ({ bijection: false, injective: false, single_valued: false, covers: true, ...facts }));

test("kinds of maps", () => {
  assert.equal(kind({ bijection: true }).short, "bijection");
  assert.equal(kind({ injective: true, single_valued: true }).short, "one to one");
  assert.equal(kind({ single_valued: true }).short, "one to many");
  assert.equal(kind({ injective: true }).short, "many to one");
  assert.equal(kind({}).short, "many to many");
  assert.match(kind({ covers: false }).long, /Not every result element/);
  assert.equal(kind({ injective: null }).short, "depends on the run");
});

test("what a run's indices did", () => {
  const rows = {
    operand: 1,
    of: { operand: 0, dimension: 0 },
    interval: /** @type {[number, number]} */ ([0, 9]),
    clamped: true,
    count: 5,
    below: 1,
    above: 1,
    complete: true,
    examples: [{ at: [1, 0], value: 12, used: 9 }],
  };
  assert.deepEqual(startsText(rows, names), [
    "5 starts in dimension 0 of %a0, read from %a1: 1 below 0, 1 above 9. They are clamped.",
    "%a1[1, 0] = 12 is read as 9",
  ]);
  assert.deepEqual(startsText({ ...rows, below: 0, above: 0 }, names), [
    "5 starts in dimension 0 of %a0, read from %a1: all within [0, 9].",
  ]);
  assert.match(
    startsText(
      { ...rows, of: { result: 0, dimension: 0 }, clamped: false, examples: [{ at: [], value: 12, used: null }] },
      names,
    ).join(),
    /of %r0.*Nothing is written there.*%a1 = 12 is dropped/,
  );
  assert.match(startsText({ ...rows, complete: false }, names).join(), /too many/);
  const writers = {
    operand: 2,
    result: 0,
    updates: 20,
    written: 8,
    several: 4,
    dropped: 8,
    most: 2,
    examples: [
      {
        element: [3, 0],
        updates: [
          [0, 0],
          [2, 0],
        ],
      },
    ],
  };
  assert.deepEqual(writersText(writers, names), [
    "The 20 updates of %a2 write 8 elements of %r0, 4 of them more than once (up to 2 times). 8 updates lie outside and are dropped.",
    "[3, 0] is written by [0, 0], [2, 0]",
  ]);
  assert.match(
    writersText({ ...writers, several: 0, dropped: 0, examples: [] }, names).join(),
    /none of them more than once. No update is dropped/,
  );
  assert.equal(
    overlapText({ operands: [0, 1], result: 0, elements: just(48) }, names),
    "Operands 0 and 1 are both %a0: 48 of its elements are read through both.",
  );
});

test("what neighbours share", () => {
  assert.equal(
    sharedText(/** @type {any} */ ({ perIndex: 9, shared: [6, 3] })),
    "A result element in the middle reads 9 and shares 6 with its neighbour along d0, 3 with its neighbour along d1.",
  );
  assert.equal(sharedText(/** @type {any} */ ({ perIndex: 1, shared: [1] })), "");
  assert.equal(
    sharedText(/** @type {any} */ ({ perIndex: 64, shared: [0, 64] })),
    "A result element in the middle reads 64 and shares 64 with its neighbour along d1.",
  );
  assert.equal(sharedText(/** @type {any} */ ({ perIndex: 2, shared: [0] })), "");
  assert.equal(sharedText(/** @type {any} */ ({ perIndex: null, shared: [] })), "");
});

test("numbers as they are typed", () => {
  assert.deepEqual(numbersIn("2, 3"), [2, 3]);
  assert.deepEqual(numbersIn("2 × 3 4"), [2, 3, 4]);
  assert.deepEqual(numbersIn(" "), []);
  assert.equal(numbersIn("2, a"), null);
  assert.equal(numbersIn("-1"), null);
});
