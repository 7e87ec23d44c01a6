import assert from "node:assert/strict";
import { test } from "node:test";
import { fromFile, planFor } from "../../static/js/features/inputs/plan.js";
import {
  baseOf,
  chosenGrid,
  forProcesses,
  inWay,
  nextSeed,
  placeName,
  wayOf,
  waysFor,
  withBase,
  withSpec,
} from "../../static/js/features/inputs/distribution.js";

/** @typedef {import("../../static/js/core/types.js").InputSpec} InputSpec */

const dense = /** @type {const} */ ({ kind: "dense", text: "[1, 2]" });
const normal = /** @type {const} */ ({ kind: "normal", seed: 3 });

test("a value keeps what it is made of when it is given in another way", () => {
  for (const way of /** @type {const} */ (["one", "same", "each"])) {
    const input = inWay(way, dense, 3);
    assert.equal(wayOf(input), way);
    assert.deepEqual(baseOf(input), dense);
  }
  assert.deepEqual(inWay("each", normal, 2), { kind: "each", specs: [normal, normal] });
  assert.deepEqual(inWay("apart", normal, 2), { kind: "apart", base: normal });
  assert.deepEqual(inWay("apart", dense, 2), { kind: "apart", base: { kind: "normal", seed: 0 } });
});

test("another value is given in the same way", () => {
  assert.deepEqual(withBase({ kind: "same", base: normal }, dense), { kind: "same", base: dense });
  assert.deepEqual(withBase({ kind: "apart", base: normal }, dense), { kind: "apart", base: normal });
  assert.deepEqual(withBase(normal, dense), dense);
  assert.deepEqual(withSpec({ kind: "each", specs: [normal, normal] }, 1, dense), {
    kind: "each",
    specs: [normal, dense],
  });
});

test("a grid that grows has values for all, one that shrinks loses the last", () => {
  const each = /** @type {InputSpec} */ ({ kind: "each", specs: [normal, dense] });
  assert.deepEqual(forProcesses(each, 3), { kind: "each", specs: [normal, dense, dense] });
  assert.deepEqual(forProcesses(each, 1), { kind: "each", specs: [normal] });
  assert.equal(forProcesses(normal, 3), normal);
});

test("new random numbers are new in every process", () => {
  assert.deepEqual(nextSeed({ kind: "each", specs: [normal, dense] }), {
    kind: "each",
    specs: [{ kind: "normal", seed: 4 }, dense],
  });
  assert.deepEqual(nextSeed({ kind: "apart", base: normal }), { kind: "apart", base: { kind: "normal", seed: 4 } });
  assert.deepEqual(nextSeed({ kind: "same", base: normal }), { kind: "same", base: { kind: "normal", seed: 4 } });
});

test("only what is cut can be given whole", () => {
  assert.deepEqual(
    waysFor(true).map(([way]) => way),
    ["one", "same", "apart", "each"],
  );
  assert.deepEqual(
    waysFor(false).map(([way]) => way),
    ["one", "apart", "each"],
  );
});

test("the grid that the program says is not sent", () => {
  const grid = { replicas: 2, partitions: 4 };
  assert.equal(chosenGrid(grid, { ...grid }), null);
  assert.equal(chosenGrid(grid, { replicas: 1, partitions: 1 }), grid);
  assert.deepEqual(
    [0, 3, 4, 7].map((process) => placeName(process, grid)),
    ["(0, 0)", "(0, 3)", "(1, 0)", "(1, 3)"],
  );
});

test("a file may have an array for single processes", () => {
  const planned = planFor([{ name: "%a", type: "t" }], []);
  const match = (/** @type {number} */ replica, /** @type {number} */ partition) => ({
    argument: 0,
    array: `in_0@${replica},${partition}`,
    replica,
    partition,
  });
  const upload = { name: "x.npz", file: "f", arrays: [], matches: [match(0, 1), match(5, 0)] };
  const [row] = fromFile(planned, upload, { replicas: 1, partitions: 2 });
  assert.deepEqual(row?.input, {
    kind: "each",
    specs: [
      { kind: "normal", seed: 0 },
      { kind: "file", file: "f", array: "in_0@0,1" },
    ],
  });
});

test("rows that changed their kind are looked for once, however many there are", () => {
  let reads = 0;
  const row = (/** @type {string} */ type) => (/** @type {unknown} */ _, /** @type {number} */ number) => ({
    get name() {
      reads += 1;
      return `%${number}`;
    },
    type,
    location: null,
    shape: null,
    input: normal,
  });
  const work = (/** @type {number} */ count) => {
    reads = 0;
    planFor(Array.from({ length: count }, row("now")), Array.from({ length: count }, row("before")));
    return reads;
  };
  assert.ok(work(200) <= 2.3 * work(100));
});

test("of rows of one kind each takes its own, in order", () => {
  const before = [normal, dense].map((input) => ({ name: "%a", type: "t", location: null, shape: null, input }));
  assert.deepEqual(
    planFor(
      [
        { name: "%a", type: "t" },
        { name: "%a", type: "t" },
        { name: "%a", type: "t" },
      ],
      before,
    ).map(({ input }) => input),
    [normal, dense, { kind: "normal", seed: 0 }],
  );
});
