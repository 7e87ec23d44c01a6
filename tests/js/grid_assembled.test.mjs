// A whole tensor in the pieces of processes, and values compared across them: the parts without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  differenceWords,
  groupsOf,
  inQuestionOrder,
  letterOf,
  verdict,
} from "../../static/js/features/grid/compare/model.js";
import {
  elementPlace,
  emptyWords,
  filledPieces,
  holderOf,
  inSlice,
  labelsOf,
  sliceIn,
} from "../../static/js/features/grid/assembled/model.js";
import { coarseOf, placeWindow, visiblePart } from "../../static/js/features/grid/assembled/source.js";

const holders = [0, 1, 2, 3].map((process) => ({ process, address: `${process}.s5.0` }));

test("The shown process is asked about first, so that the others are compared with it", () => {
  assert.deepEqual(
    inQuestionOrder(holders, 2).map(({ process }) => process),
    [2, 0, 1, 3],
  );
  assert.deepEqual(
    inQuestionOrder(holders, 7).map(({ process }) => process),
    [0, 1, 2, 3],
  );
});

test("Groups keep their letters whichever process is shown", () => {
  const asked = inQuestionOrder(holders, 3);
  const pair = (index, different) => ({ index, different, of: 4, largest: 2, first: different ? [1] : null });
  const answer = {
    groups: [
      [0, 2],
      [1, 3],
    ],
    pairs: [pair(0, 0), pair(1, 3), pair(2, 0), pair(3, 3)],
    shapes: [[4], [4], [4], [4]],
  };
  const [a, b] = groupsOf(asked, answer);
  assert.deepEqual([a.letter, a.processes, a.difference.different], ["A", [0, 2], 3]);
  assert.deepEqual([b.letter, b.processes, b.difference.different], ["B", [1, 3], 0]);
  assert.equal(verdict([a, b], 0), "2 different values among 4 processes.");
  assert.equal(verdict([a], 1), "All 2 have the same value. One process has no value of it yet.");
  assert.equal(verdict([], 4), "No process has a value of it yet.");
});

test("Letters go on after Z", () => {
  assert.deepEqual([0, 25, 26, 255].map(letterOf), ["A", "Z", "AA", "IV"]);
});

test("Differences are said in words", () => {
  const words = (difference, shape = [2, 3]) => differenceWords({ index: 1, of: 6, ...difference }, shape, "(0, 0)");
  assert.equal(words({ different: 0, largest: 0, first: null }), "as (0, 0) has it");
  assert.equal(
    words({ different: 3, largest: 1.5, first: [0, 2] }),
    "3 of 6 elements differ from (0, 0)'s, first at [0, 2], by 1.5 at most",
  );
  assert.equal(
    words({ different: 1, largest: null, first: [0, 2] }),
    "1 of 6 elements differs from (0, 0)'s, first at [0, 2], with NaN on one side",
  );
  assert.equal(words({ different: null, largest: null, first: null }), "of another shape than (0, 0)'s: 2 × 3");
  assert.equal(
    differenceWords({ index: 1, of: 1, different: 1, largest: "Infinity", first: [] }, [], "(0, 0)"),
    "differs from (0, 0)'s, by +Inf",
  );
});

/** 5 x 6 x 4 in 2 x 1 x 2 pieces: uneven, and one more that is empty. */
const pieces = [
  { processes: [0, 4], start: [0, 0, 0], sizes: [3, 6, 2] },
  { processes: [1, 5], start: [0, 0, 2], sizes: [3, 6, 2] },
  { processes: [2], start: [3, 0, 0], sizes: [2, 6, 2] },
  { processes: [3], start: [3, 0, 2], sizes: [2, 6, 2] },
  { processes: [6], start: [5, 0, 0], sizes: [0, 6, 2] },
];

test("A slice shows the pieces that it goes through", () => {
  assert.equal(filledPieces(pieces).length, 4);
  assert.equal(emptyWords(pieces), "; one of them is empty");
  const rowsAndDepth = inSlice(pieces, { rows: 0, columns: 2, at: [0, 1, 0] });
  assert.deepEqual(
    rowsAndDepth.map(({ rectangle }) => [rectangle.row, rectangle.column, rectangle.height, rectangle.width]),
    [
      [0, 0, 3, 2],
      [0, 2, 3, 2],
      [3, 0, 2, 2],
      [3, 2, 2, 2],
    ],
  );
  const other = inSlice(pieces, { rows: 0, columns: 1, at: [0, 0, 3] });
  assert.deepEqual(
    other.map(({ processes }) => processes),
    [[1, 5], [3]],
  );
});

test("An element has a place in the whole and one in its piece", () => {
  const slice = { rows: 0, columns: 2, at: [0, 4, 0] };
  const at = elementPlace(slice, inSlice(pieces, slice), 3, 3);
  assert.deepEqual([at.index, at.piece?.processes, at.inside], [[3, 4, 3], [3], [0, 4, 1]]);
  assert.deepEqual(sliceIn({ rows: 0, columns: 1, at: [0, 0, 3] }, pieces[3]), { rows: 0, columns: 1, at: [0, 0, 1] });
});

test("Of those that hold a piece, the shown one is looked at", () => {
  const addresses = new Map([
    [0, "a"],
    [4, "b"],
    [2, "c"],
  ]);
  assert.equal(holderOf(pieces[0], 4, addresses), 4);
  assert.equal(holderOf(pieces[0], 1, addresses), 0);
  assert.equal(holderOf(pieces[1], 1, addresses), null);
});

test("Labels say more where there is room", () => {
  assert.deepEqual(labelsOf(["(0, 1)"]), [["(0, 1)"], ["0,1"]]);
  assert.deepEqual(labelsOf(["(0, 1)", "(0, 5)"]).slice(0, 3), [
    ["(0, 1) (0, 5)"],
    ["(0, 1)", "(0, 5)"],
    ["0,1", "0,5"],
  ]);
  assert.deepEqual(labelsOf(["(0, 0)", "b", "c", "d", "e"])[0], ["(0, 0) and 4 more"]);
});

test("Windows of a part are placed in the whole, and end where the part ends", () => {
  const rectangle = { row: 5, column: 3, height: 7, width: 9 };
  const { request } = placeWindow({ request: { level: 2, from: [0, 0], size: [2, 3] }, window: null }, rectangle);
  assert.deepEqual(request, { level: 2, from: [1.25, 0.75], size: [1.75, 2.25] });
  assert.deepEqual(visiblePart(rectangle, { top: 0, bottom: 6, left: 4, right: 40 }), {
    top: 0,
    bottom: 1,
    left: 1,
    right: 9,
  });
  assert.equal(visiblePart(rectangle, { top: 0, bottom: 5, left: 0, right: 40 }), null);
});

test("Many parts share what may come at once", () => {
  assert.deepEqual(coarseOf({ height: 256, width: 256 }, 1 << 16), { level: 0, from: [0, 0], size: [256, 256] });
  assert.deepEqual(coarseOf({ height: 256, width: 256 }, 1 << 10), { level: 3, from: [0, 0], size: [32, 32] });
  assert.equal(coarseOf({ height: 1, width: 5000 }, 1 << 16).level, 2);
});
