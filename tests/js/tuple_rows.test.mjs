/** Tuples that are folded out in a list. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Stack } from "../../static/js/core/prefix_sums.js";
import { elementParts, insertBehind, turn } from "../../static/js/features/variables/tuples.js";

const tensor = { type: "tensor<f32>", isTensor: true, elements: null };
const tuple = (...elements) => ({ type: "tuple", isTensor: false, elements });
const rowsOf = (parts) => {
  const stack = new Stack(parts);
  return Array.from({ length: stack.count }, (_, row) => {
    const { part, index } = stack.at(row);
    return part.at(index);
  });
};

test("lists are put in behind rows, the first and the last among them", () => {
  const list = { count: 4, at: (row) => `${row}` };
  for (const behind of [[], [0], [3], [0, 3], [1, 2], [0, 1, 2, 3]]) {
    const expected = [0, 1, 2, 3].flatMap((row) =>
      behind.includes(row) ? [`${row}`, `${row}a`, `${row}b`] : [`${row}`],
    );
    const inner = (row) => [{ count: 2, at: (index) => `${row}${"ab"[index]}` }];
    assert.deepEqual(rowsOf(insertBehind(list, behind, inner)), expected);
  }
});

test("small tuples begin open, large ones closed, and both can be turned", () => {
  const large = tuple(...Array.from({ length: 25 }, () => tensor));
  const inside = { value: 3, address: null, name: "%t", path: [], elements: [tensor, tuple(tensor, tuple()), large] };
  const shown = () =>
    rowsOf(elementParts(inside, { level: 2, group: "" })).map(
      ({ kind, path, level }) => `${level} ${kind === "note" ? "note" : path}`,
    );
  assert.deepEqual(shown(), ["2 0", "2 1", "3 1,0", "3 1,1", "4 note", "2 2"]);
  turn(3, [1], false);
  turn(3, [2], true);
  assert.equal(shown().length, 3 + 25);
  assert.deepEqual(shown().slice(0, 4), ["2 0", "2 1", "2 2", "3 2,0"]);
});
