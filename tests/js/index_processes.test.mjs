/** Tensors of ops in which processes meet: a picture for each process, and what is lit in it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countSentences, highlightsOf } from "../../static/js/features/index_map/highlights.js";
import {
  MOST_BESIDE,
  isPlaced,
  otherPlace,
  processNames,
  viewsOf,
} from "../../static/js/features/index_map/group_views.js";
import { contains, pointBox, regionOf } from "../../static/js/core/indexing/regions.js";

const map = (more) => ({
  kind: "normal",
  results: ["d0"],
  dimensions: [[0, 3]],
  ranges: [],
  runtimes: [],
  constraints: [],
  ...more,
});
const maps = {
  operands: [
    { name: "x", shape: [4] },
    { name: "k", shape: [4] },
  ],
  results: [{ name: "y", shape: [4] }],
  found: [],
  maps: [
    { operand: 0, result: 0, place: "s0", map: map({ ranges: [[0, 1]] }) },
    { operand: 1, result: 0, place: null, map: map({}) },
  ],
  inverse: [
    { operand: 0, result: 0, place: "s0", map: map({ ranges: [[0, 1]] }) },
    { operand: 1, result: 0, place: null, map: map({}) },
  ],
};
const [x, k, y] = [
  { side: "operand", number: 0 },
  { side: "operand", number: 1 },
  { side: "result", number: 0 },
];
const group = (count, own = 0) => ({
  names: Array.from({ length: count }, (_, at) => `(${at}, 0)`),
  own,
  source: () => null,
});
const parts = { padding: new Map(), marks: new Map(), windows: new Map() };
const chosen = { ...y, boxes: [pointBox([2])], at: [2] };

test("operands that come from other processes have a picture of each, the others one", () => {
  assert.ok(isPlaced(maps, x) && isPlaced(maps, y) && !isPlaced(maps, k));
  assert.deepEqual(viewsOf(maps, k, group(3), 1), [{ place: 0, own: true }]);
  assert.deepEqual(viewsOf(maps, x, group(3, 1), null), [
    { place: 0, own: false },
    { place: 1, own: true },
    { place: 2, own: false },
  ]);
  assert.deepEqual(viewsOf(maps, x, null, null), [{ place: null, own: true }]);
});

test("a process outside of its group has its own picture besides", () => {
  assert.deepEqual(viewsOf(maps, x, group(2, null), null), [
    { place: null, own: true },
    { place: 0, own: false },
    { place: 1, own: false },
  ]);
});

test("of a large group one other process is drawn: the chosen one, or one that is reached", () => {
  const large = group(MOST_BESIDE + 1, 2);
  assert.equal(otherPlace(large, [2, 5, 7], null), 5);
  assert.equal(otherPlace(large, [2, 5, 7], 7), 7);
  assert.equal(otherPlace(large, [2], 7), 0);
  assert.deepEqual(viewsOf(maps, x, large, 5), [
    { place: 2, own: true },
    { place: 5, own: false },
  ]);
});

test("each picture is lit for its own process", () => {
  const related = [
    { number: 0, placed: true, region: regionOf([4, 3], [{ start: [2, 1], sizes: [1, 1], strides: [1, 1] }]) },
  ];
  const lit = (place, own) => highlightsOf(x, [4], chosen, related, { place, own }, parts).region;
  assert.ok(!contains(lit(0, true), [2]));
  assert.ok(contains(lit(1, false), [2]));
  assert.ok(!contains(lit(2, false), [2]));
  assert.ok(!contains(lit(null, true), [2]));
});

test("what is chosen is chosen in the shown process alone", () => {
  assert.equal(highlightsOf(y, [4], chosen, [], { place: 0, own: true }, parts).role, "source");
  assert.equal(highlightsOf(y, [4], chosen, [], { place: 1, own: false }, parts).role, "idle");
});

test("processes are named in sentences, a few of them", () => {
  const names = group(6).names;
  assert.equal(processNames([3], names), "process (3, 0)");
  assert.equal(processNames([0, 2, 3], names), "processes (0, 0), (2, 0) and (3, 0)");
  assert.equal(processNames([0, 1, 2, 3, 4], names), "5 processes");
  const region = regionOf([4, 2], [{ start: [2, 0], sizes: [1, 2], strides: [1, 1] }]);
  assert.deepEqual(countSentences(maps, chosen, [{ number: 0, placed: true, region }], false, names), [
    "y[2] reads 2 elements of x, in processes (0, 0) and (1, 0).",
  ]);
  const one = regionOf([4, 2], [{ start: [2, 1], sizes: [1, 1], strides: [1, 1] }]);
  assert.deepEqual(countSentences(maps, chosen, [{ number: 0, placed: true, region: one }], false), [
    "y[2] reads 1 element of x, in the process at place 1 of its group.",
  ]);
});
