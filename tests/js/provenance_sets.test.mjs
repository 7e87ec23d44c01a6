import assert from "node:assert/strict";
import test from "node:test";
import {
  boxesOf,
  oneElement,
  onlyElement,
  queryOf,
  rectanglesOf,
  shareText,
  textOf,
  typedQuery,
} from "../../static/js/core/tensor/element_sets.js";

/** @param {number[]} shape @param {[number[], number[], number[]][]} boxes */
const ofBoxes = (shape, ...boxes) => ({
  shape,
  count: boxes.reduce((sum, [, sizes]) => sum + sizes.reduce((product, size) => product * size, 1), 0),
  boxes: boxes.map(([start, sizes, strides]) => ({ start, sizes, strides })),
});

test("a question spells boxes and runs as the server reads them", () => {
  assert.equal(
    queryOf(
      ofBoxes(
        [4, 8],
        [
          [0, 3],
          [2, 2],
          [1, 1],
        ],
      ),
    ),
    "@0:2,3:5",
  );
  assert.equal(
    queryOf(
      ofBoxes(
        [4, 8],
        [
          [1, 0],
          [1, 3],
          [1, 3],
        ],
      ),
    ),
    "@1,0:7:3",
  );
  assert.equal(queryOf(ofBoxes([4], [[0], [1], [1]], [[2], [2], [1]])), "@0;@2:4");
  assert.equal(
    queryOf({
      shape: [10],
      count: 4,
      runs: [
        [5, 1],
        [7, 3],
      ],
      complete: true,
    }),
    "5,7-9",
  );
  assert.equal(queryOf(oneElement([], [])), "@");
});

test("a question names no more than the server reads", () => {
  const apart = Array.from({ length: 3000 }, (_, place) => /** @type {[number, number]} */ ([1000000 + 2 * place, 1]));
  const parts = queryOf({ shape: [2000000], count: 3000, runs: apart, complete: true }).split(",");
  assert.ok(parts.length > 500 && parts.join(",").length <= 7500);
  assert.equal(parts.at(-1), `${1000000 + 2 * (parts.length - 1)}`);
});

test("the only element is known from a box and from a run", () => {
  assert.deepEqual(onlyElement(oneElement([1, 2], [4, 8])), [1, 2]);
  assert.deepEqual(onlyElement({ shape: [4, 8], count: 1, runs: [[10, 1]], complete: true }), [1, 2]);
  assert.equal(onlyElement(ofBoxes([4], [[0], [2], [1]])), null);
});

test("sets are told in words", () => {
  assert.equal(textOf(oneElement([0, 3], [4, 8])), "[0, 3]");
  assert.equal(
    textOf(
      ofBoxes(
        [4, 8],
        [
          [0, 0],
          [1, 5],
          [1, 1],
        ],
      ),
    ),
    "[0, 0…4]",
  );
  assert.equal(
    textOf(
      ofBoxes(
        [4, 8],
        [
          [0, 0],
          [1, 4],
          [1, 2],
        ],
      ),
    ),
    "[0, 0,2…6]",
  );
  assert.equal(
    textOf(
      ofBoxes(
        [4, 8],
        [
          [0, 0],
          [4, 8],
          [1, 1],
        ],
      ),
    ),
    "all 32 elements",
  );
  assert.equal(textOf(ofBoxes([4], [[0], [1], [1]], [[2], [1], [1]])), "[0] and [2]");
  assert.equal(textOf({ shape: [10], count: 0, boxes: [] }), "nothing");
  assert.equal(
    textOf({
      shape: [10],
      count: 4,
      runs: [
        [5, 1],
        [7, 3],
      ],
      complete: true,
    }),
    "4 elements",
  );
  assert.equal(
    shareText(
      ofBoxes(
        [4, 8],
        [
          [0, 0],
          [1, 5],
          [1, 1],
        ],
      ),
    ),
    "5 of 32",
  );
});

test("runs become boxes within the lines of the tensor", () => {
  const runs = { shape: [3, 4], count: 6, runs: /** @type {[number, number][]} */ ([[2, 6]]), complete: true };
  assert.deepEqual(
    boxesOf(runs, 10).map(({ start, sizes }) => [start, sizes]),
    [
      [
        [0, 2],
        [1, 2],
      ],
      [
        [1, 0],
        [1, 4],
      ],
    ],
  );
  assert.equal(boxesOf(runs, 1).length, 1);
});

test("a picture lights the cells of the set, and nothing is too small to be seen", () => {
  const picture = { width: 80, height: 40 };
  assert.deepEqual(rectanglesOf(oneElement([1, 2], [4, 8]), picture), [{ x: 20, y: 10, width: 10, height: 10 }]);
  const [tiny] = rectanglesOf(oneElement([4095, 4095], [4096, 4096]), picture);
  assert.ok(tiny && tiny.width >= 1.5 && tiny.x + tiny.width <= 80 && tiny.y + tiny.height <= 40);
  const strided = rectanglesOf(
    ofBoxes(
      [1, 8],
      [
        [0, 1],
        [1, 3],
        [1, 2],
      ],
    ),
    picture,
  );
  assert.deepEqual(
    strided.map(({ x }) => x),
    [10, 30, 50],
  );
  const outer = rectanglesOf(
    ofBoxes(
      [2, 2, 4],
      [
        [0, 1, 0],
        [2, 1, 1],
        [1, 1, 1],
      ],
    ),
    picture,
  );
  assert.deepEqual(
    outer.map(({ y }) => y),
    [10, 30],
  );
  assert.deepEqual(rectanglesOf(oneElement([], []), picture), [{ x: 0, y: 0, width: 80, height: 40 }]);
});

test("typed elements are a question, or what is wrong with them", () => {
  const elements = (/** @type {string} */ text, /** @type {number[]} */ shape) => typedQuery(text, shape).elements;
  assert.equal(elements("0, 3", [4, 8]), "@0,3");
  assert.equal(elements("[0:2, :]", [4, 8]), "@0:2,0:8");
  assert.equal(elements("1…3", [4]), "@1:3");
  assert.equal(elements("1::2", [4]), "@1:4:2");
  assert.match(typedQuery("1", [4, 8]).wrong, /2 indices or ranges/);
  assert.match(typedQuery("a, b", [4, 8]).wrong, /as in 0:2, 0:2/);
  assert.equal(typedQuery("7, 0", [3, 4]).wrong, "7 is outside dimension 0, which has size 3.");
  assert.equal(typedQuery("0, 2:5", [3, 4]).wrong, "2:5 is outside dimension 1, which has size 4.");
});
