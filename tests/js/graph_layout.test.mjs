/** The layout of a graph: on random graphs no two nodes overlap, edges go down, and the same graph has the same layout. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { layOut, ranksOf } from "../../static/js/features/graph/layered.js";

/** Numbers between 0 and 1 that depend on the seed alone. @param {number} seed */
function numbers(seed) {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}

/** A random graph without cycles whose nodes are not in an order that edges follow. @param {number} seed */
function randomGraph(seed) {
  const next = numbers(seed);
  const count = 1 + Math.floor(next() * 60);
  const names = Array.from({ length: count }, (_, at) => at).sort(() => next() - 0.5);
  const edges = [];
  for (let to = 1; to < count; to++)
    for (let operand = 0; operand < Math.floor(next() * 4); operand++) {
      const from = next() < 0.7 ? Math.max(0, to - 1 - Math.floor(next() * 4)) : Math.floor(next() * to);
      edges.push({ from: Number(names[from]), to: Number(names[to]) });
    }
  const widths = Array.from({ length: count }, () => 10 + next() * 200);
  const heights = Array.from({ length: count }, () => next() * 90);
  return { count, edges, widths, heights };
}

/** @param {ReturnType<typeof randomGraph>} graph */
function laidOut({ count, edges, widths, heights }) {
  const ranks = ranksOf(count, edges);
  return { ranks, ...layOut({ widths, heights, edges }, ranks) };
}

const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);

test("no two nodes of a random graph overlap, and all are inside its size", () => {
  for (const seed of SEEDS) {
    const graph = randomGraph(seed);
    const { x, y, width, height } = laidOut(graph);
    for (let one = 0; one < graph.count; one++) {
      const [left, top] = [Number(x[one]), Number(y[one])];
      const [right, bottom] = [left + Number(graph.widths[one]), top + Number(graph.heights[one])];
      assert.ok(left >= -1e-6 && top >= -1e-6 && right <= width + 1e-6 && bottom <= height + 1e-6, `graph ${seed}`);
      for (let other = 0; other < one; other++) {
        const apartX = right <= Number(x[other]) || Number(x[other]) + Number(graph.widths[other]) <= left;
        const apartY = bottom <= Number(y[other]) || Number(y[other]) + Number(graph.heights[other]) <= top;
        assert.ok(apartX || apartY, `graph ${seed}: ${one} and ${other}`);
      }
    }
  }
});

test("every edge goes down, from its start to its end", () => {
  for (const seed of SEEDS) {
    const graph = randomGraph(seed);
    const { x, y, ranks, routes } = laidOut(graph);
    graph.edges.forEach(({ from, to }, number) => {
      assert.ok(Number(ranks[from]) < Number(ranks[to]), `graph ${seed}: ranks of ${from} and ${to}`);
      const points = /** @type {Float64Array} */ (routes[number]);
      for (let at = 3; at < points.length; at += 2) assert.ok(Number(points[at]) >= Number(points[at - 2]) - 1e-6);
      assert.equal(points[1], Number(y[from]) + Number(graph.heights[from]));
      assert.equal(points.at(-1), y[to]);
      for (const [node, at] of [
        [from, 0],
        [to, points.length - 2],
      ])
        assert.ok(
          Number(points[Number(at)]) >= Number(x[Number(node)]) &&
            Number(points[Number(at)]) <= Number(x[Number(node)]) + Number(graph.widths[Number(node)]),
        );
    });
  }
});

test("the same graph has the same layout", () => {
  for (const seed of SEEDS.slice(0, 30)) assert.deepEqual(laidOut(randomGraph(seed)), laidOut(randomGraph(seed)));
});

test("a chain is straight, and what is only read further down moves down to its reader", () => {
  const edges = [0, 1, 2, 3].map((from) => ({ from, to: from + 1 }));
  const graph = {
    count: 6,
    edges: [...edges, { from: 5, to: 4 }],
    widths: Array(6).fill(80),
    heights: Array(6).fill(30),
  };
  const { x, ranks } = laidOut(graph);
  assert.deepEqual([...ranks], [0, 1, 2, 3, 4, 3]);
  assert.deepEqual([...x.slice(0, 3)], [x[0], x[0], x[0]]);
});

test("a cycle is drawn as well", () => {
  const edges = [
    { from: 0, to: 1 },
    { from: 1, to: 0 },
    { from: 1, to: 1 },
  ];
  const { x, y, routes } = laidOut({ count: 2, edges, widths: [50, 50], heights: [20, 20] });
  assert.equal(routes.length, 3);
  assert.ok([...x, ...y, ...routes.flatMap((each) => [...each])].every(Number.isFinite));
});

test("ports are in the first and in the last layer", () => {
  const edges = [
    { from: 0, to: 2 },
    { from: 2, to: 1 },
    { from: 3, to: 2 },
  ];
  assert.deepEqual([...ranksOf(4, edges, { first: [0], last: [1] })], [0, 3, 2, 1]);
});
