/** The data that moves in a collective execution. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { boxWords, commonSlices, rectangleOf, sliceFor } from "../../static/js/drawing/boxes.js";
import { ease, interpolate } from "../../static/js/drawing/moving.js";
import { advance, phasesOf, piecesOf } from "../../static/js/features/grid/motion/model.js";

const box = (start, sizes) => ({ start, sizes });

test("a picture has the axes along which boxes differ", () => {
  assert.deepEqual(sliceFor([8, 4], [box([0, 0], [4, 4])]), { rows: 0, columns: 1, at: [0, 0] });
  assert.deepEqual(sliceFor([2, 8, 4], [box([0, 0, 0], [1, 8, 2])]), { rows: 0, columns: 2, at: [0, 0, 0] });
  assert.deepEqual(sliceFor([2, 8, 4], []), { rows: 1, columns: 2, at: [0, 0, 0] });
  assert.deepEqual(sliceFor([8], [box([0], [2])]), { rows: -1, columns: 0, at: [0] });
  assert.deepEqual(sliceFor([], []), { rows: -1, columns: -1, at: [] });
});

test("a box in its slice", () => {
  const slice = { rows: 0, columns: 2, at: [0, 1, 0] };
  assert.deepEqual(rectangleOf(box([4, 0, 1], [2, 3, 3]), slice), { row: 4, column: 1, height: 2, width: 3 });
  assert.equal(rectangleOf(box([4, 2, 1], [2, 3, 3]), slice), null);
  assert.deepEqual(rectangleOf(box([], []), { rows: -1, columns: -1, at: [] }), {
    row: 0,
    column: 0,
    height: 1,
    width: 1,
  });
});

test("what is read and what is written are shown along the same axes", () => {
  const pieces = [{ read: box([0, 0, 0], [1, 2, 4]), written: box([0, 0, 4], [1, 2, 4]) }];
  const { read, written } = commonSlices([4, 2, 4], [1, 2, 16], pieces);
  assert.deepEqual(read, written);
  assert.deepEqual([read.rows, read.columns], [0, 2]);
});

test("boxes in words", () => {
  assert.equal(boxWords(box([0, 0], [4, 8]), [4, 8]), "all of it");
  assert.equal(boxWords(box([4, 0], [4, 8]), [16, 8]), "rows 4 to 7");
  assert.equal(boxWords(box([1, 8], [1, 8]), [4, 32]), "row 1, columns 8 to 15");
  assert.equal(boxWords(box([2], [1]), [4]), "element 2");
  assert.equal(boxWords(box([0, 1, 0], [2, 1, 4]), [2, 8, 4]), "d1 1");
  assert.equal(boxWords(box([], []), []), "the number");
});

const piece = (source, receiver) => ({
  source,
  from: `${source}.s0.0`,
  read: box([0], [1]),
  to: `${receiver}.s1.0`,
  written: box([source], [1]),
  combined: false,
});
const gathered = new Map([4, 5].map((receiver) => [receiver, [4, 5].map((source) => piece(source, receiver))]));

test("phases by receiver, by sender, all at once", () => {
  const pieces = piecesOf(gathered, [4, 5]);
  assert.deepEqual(
    pieces.map(({ source, receiver }) => [source, receiver]),
    [
      [4, 4],
      [5, 4],
      [4, 5],
      [5, 5],
    ],
  );
  assert.deepEqual(
    phasesOf(pieces, [4, 5], "receiver").map(({ process, pieces: own }) => [process, own.map(({ source }) => source)]),
    [
      [4, [4, 5]],
      [5, [4, 5]],
    ],
  );
  assert.deepEqual(
    phasesOf(pieces, [4, 5], "sender").map(({ process, pieces: own }) => [
      process,
      own.map(({ receiver }) => receiver),
    ]),
    [
      [4, [4, 5]],
      [5, [4, 5]],
    ],
  );
  assert.equal(phasesOf(pieces, [4, 5], "all").length, 1);
  assert.deepEqual(phasesOf([], [4, 5], "all"), []);
});

test("time goes through the phases and ends", () => {
  assert.deepEqual(advance({ phase: 0, time: 0.75 }, 0.5, 2), { phase: 1, time: 0.25, ended: false });
  assert.deepEqual(advance({ phase: 1, time: 0.75 }, 0.5, 2), { phase: 1, time: 1, ended: true });
  assert.deepEqual([ease(0), ease(0.5), ease(1)], [0, 0.5, 1]);
  assert.deepEqual(interpolate({ x: 0, y: 0, width: 2, height: 2 }, { x: 4, y: 8, width: 4, height: 2 }, 0.5), {
    x: 2,
    y: 4,
    width: 3,
    height: 2,
  });
});
