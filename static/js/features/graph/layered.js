/**
 * A layered layout: every edge goes down. Ranks by longest path with a limited width, orders by barycentres, positions by
 * isotonic regression, which keeps nodes apart exactly. The same input always has the same layout.
 *
 * @typedef {{from: number, to: number, out?: number, in?: number}} Edge
 *   out, in: where it leaves and enters, from the middle of the node; entries are spread by default
 * @typedef {{widths: ArrayLike<number>, heights: ArrayLike<number>, edges: readonly Edge[], gap?: number}} Level
 * @typedef {{x: Float64Array, y: Float64Array, width: number, height: number, routes: Float64Array[]}} Laid
 *   x, y: the corner of each node; routes: for each edge x and y of its points, the first and the last at nodes
 */
import { addTo } from "../../core/kept.js";

/** Space between neighbours of a layer, and between layers. */
const APART = 18;
const GAP = 34;
/** Width of an edge that passes a layer. */
const THREAD = 8;
const SWEEPS = 6;
const PULLS = 12;
/** An edge pulls harder if it passes layers: long edges are straight. */
const PULL = { node: 1, mixed: 2, thread: 2, chain: 12 };

/** @param {Int32Array|number[]} counts @param {number} at @param {number} by @returns {number} */
const add = (counts, at, by) => (counts[at] = Number(counts[at]) + by);

/** The nodes in an order that edges follow; an edge of a cycle is ignored. @param {number} count @param {readonly Edge[]} edges @returns {{order: Int32Array, isBack: Uint8Array}} */
function topological(count, edges) {
  const { starts, list } = outgoing(count, edges);
  const waiting = new Int32Array(count);
  for (const { to } of edges) add(waiting, to, 1);
  const order = new Int32Array(count);
  const isBack = new Uint8Array(edges.length);
  const done = new Uint8Array(count);
  let [filled, head, next] = [0, 0, 0];
  const take = (/** @type {number} */ node) => {
    done[node] = 1;
    order[filled++] = node;
  };
  for (let node = 0; node < count; node++) if (waiting[node] === 0) take(node);
  while (filled < count || head < filled) {
    if (head === filled) {
      while (done[next]) next++;
      take(next);
    }
    const node = /** @type {number} */ (order[head++]);
    for (let at = Number(starts[node]); at < Number(starts[node + 1]); at++) {
      const edge = /** @type {number} */ (list[at]);
      const { to } = /** @type {Edge} */ (edges[edge]);
      if (done[to]) isBack[edge] = 1;
      else if (add(waiting, to, -1) === 0) take(to);
    }
  }
  return { order, isBack };
}

/** The edges of each node, one after the other. @param {number} count @param {readonly Edge[]} edges */
function outgoing(count, edges) {
  const starts = new Int32Array(count + 1);
  for (const { from } of edges) add(starts, from + 1, 1);
  for (let node = 0; node < count; node++) starts[node + 1] = Number(starts[node + 1]) + Number(starts[node]);
  const filled = starts.slice();
  const list = new Int32Array(edges.length);
  edges.forEach(({ from }, edge) => (list[add(filled, from, 1) - 1] = edge));
  return { starts, list };
}

/**
 * The layer of each node. `first` are alone in the first layer, `last` in the last one.
 *
 * @param {number} count @param {readonly Edge[]} edges @param {{first?: readonly number[], last?: readonly number[]}} [fixed] @returns {Int32Array}
 */
export function ranksOf(count, edges, { first = [], last = [] } = {}) {
  const { order, isBack } = topological(count, edges);
  const [isFirst, isLast] = [new Set(first), new Set(last)];
  /** @type {number[][]} */
  const into = Array.from({ length: count }, () => []);
  /** @type {number[][]} */
  const outOf = Array.from({ length: count }, () => []);
  edges.forEach(({ from, to }, edge) => {
    if (isBack[edge] || from === to) return;
    into[to]?.push(from);
    outOf[from]?.push(to);
  });
  const most = Math.max(12, Math.ceil(1.5 * Math.sqrt(count)));
  const ranks = new Int32Array(count);
  /** @type {number[]} */
  const load = [];
  const base = first.length > 0 ? 1 : 0;
  const free = (/** @type {number} */ rank) => {
    while ((load[rank] ?? 0) >= most) rank++;
    return rank;
  };
  for (const node of order) {
    if (isFirst.has(node) || isLast.has(node)) continue;
    const least = into[node]?.reduce((rank, from) => Math.max(rank, Number(ranks[from]) + 1), base) ?? base;
    const rank = free(least);
    ranks[node] = rank;
    load[rank] = (load[rank] ?? 0) + 1;
  }
  sink({ order, into, outOf, ranks, load, most, isFixed: (node) => isFirst.has(node) || isLast.has(node) });
  const end = load.length;
  for (const node of last) ranks[node] = Math.max(end, base);
  return ranks;
}

/**
 * Move nodes down to their readers where that makes edges shorter: nodes with fewer operands than readers, and those of
 * which nothing else is made from what they are made of, such as a broadcast weight.
 *
 * @param {{order: Int32Array, into: number[][], outOf: number[][], ranks: Int32Array, load: number[], most: number, isFixed: (node: number) => boolean}} graph
 */
function sink({ order, into, outOf, ranks, load, most, isFixed }) {
  const isLight = new Uint8Array(order.length);
  for (const node of order)
    isLight[node] = Number(
      (into[node] ?? []).every((from) => isLight[from] && outOf[from]?.length === 1 && !isFixed(from)),
    );
  for (const node of order.toReversed()) {
    const readers = outOf[node] ?? [];
    if (isFixed(node) || readers.length === 0 || readers.every(isFixed)) continue;
    if (!isLight[node] && (into[node]?.length ?? 0) >= readers.length) continue;
    let rank = Math.min(...readers.filter((to) => !isFixed(to)).map((to) => Number(ranks[to]))) - 1;
    while (rank > Number(ranks[node]) && (load[rank] ?? 0) >= most) rank--;
    if (rank <= Number(ranks[node])) continue;
    add(load, Number(ranks[node]), -1);
    load[rank] = (load[rank] ?? 0) + 1;
    ranks[node] = rank;
  }
}

/** Lay out nodes in their layers. @param {Level} level @param {Int32Array} ranks @returns {Laid} */
export function layOut({ widths, heights, edges, gap = GAP }, ranks) {
  const graph = threaded(widths, edges, ranks);
  order(graph);
  place(graph);
  return routed(graph, { heights, edges, gap });
}

/**
 * Nodes and, for edges that pass layers, threads; an edge whose end is not below its start goes the other way round.
 *
 * @typedef {{real: number, layers: number[][], rank: number[], width: number[], x: number[], up: Link[][], down: Link[][], chains: number[][], chainOf: number[]}} Graph
 *   real: the number of nodes, which come before threads; chains: the nodes of each edge from above to below; chainOf: the edge of a thread
 * @typedef {{node: number, off: number, pull: number}} Link  off: how much further right the other end is, if the edge is vertical
 *
 * @param {ArrayLike<number>} widths @param {readonly Edge[]} edges @param {Int32Array} ranks @returns {Graph}
 */
function threaded(widths, edges, ranks) {
  const count = ranks.length;
  /** @type {Graph} */
  const graph = {
    real: count,
    layers: [],
    rank: [...ranks],
    width: [],
    x: [],
    up: [],
    down: [],
    chains: [],
    chainOf: [],
  };
  const { layers, rank, width, up, down, chains, chainOf } = graph;
  for (let node = 0; node < count; node++) {
    width.push(Number(widths[node]));
    [up[node], down[node]] = [[], []];
    (layers[Number(rank[node])] ??= []).push(node);
  }
  for (let at = 0; at < layers.length; at++) layers[at] ??= [];
  for (const edge of edges) {
    const flips = Number(rank[edge.to]) < Number(rank[edge.from]);
    const [above, below] = flips ? [edge.to, edge.from] : [edge.from, edge.to];
    const [first, last] = flips ? [edge.in ?? 0, edge.out ?? 0] : [edge.out ?? 0, edge.in ?? 0];
    const chain = [above];
    for (let layer = Number(rank[above]) + 1; layer < Number(rank[below]); layer++) {
      const thread = rank.push(layer) - 1;
      width.push(THREAD);
      chainOf[thread] = chains.length;
      [up[thread], down[thread]] = [[], []];
      layers[layer]?.push(thread);
      chain.push(thread);
    }
    if (above !== below) chain.push(below);
    for (let at = 1; at < chain.length; at++) {
      const [one, other] = [Number(chain[at - 1]), Number(chain[at])];
      const threads = Number(one >= count) + Number(other >= count);
      const pull = threads === 2 ? PULL.thread : threads === 1 ? PULL.mixed : PULL.node;
      const off = (at === 1 ? first : 0) - (at === chain.length - 1 ? last : 0);
      down[one]?.push({ node: other, off, pull });
      up[other]?.push({ node: one, off: -off, pull });
    }
    chains.push(chain);
  }
  return graph;
}

/** Order each layer by the barycentres of its neighbours, and keep the order with the fewest crossings. @param {Graph} graph */
function order({ layers, up, down, rank }) {
  const place = new Float64Array(rank.length);
  const note = (/** @type {number[]} */ layer) => layer.forEach((node, at) => (place[node] = at));
  layers.forEach(note);
  const sortBy = (/** @type {number[]} */ layer, /** @type {Link[][]} */ side) => {
    /** @type {Map<number, number>} */
    const middles = new Map();
    for (const node of layer) {
      const links = /** @type {Link[]} */ (side[node]);
      const sum = links.reduce((total, link) => total + Number(place[link.node]) + Math.sign(link.off) * 1e-3, 0);
      middles.set(node, links.length > 0 ? sum / links.length : Number(place[node]));
    }
    layer.sort(
      (one, other) =>
        Number(middles.get(one)) - Number(middles.get(other)) || Number(place[one]) - Number(place[other]),
    );
    note(layer);
  };
  let [best, least] = [layers.map((layer) => [...layer]), crossings(layers, down, place)];
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep++) {
    for (let at = 1; at < layers.length; at++) sortBy(/** @type {number[]} */ (layers[at]), up);
    for (let at = layers.length - 2; at >= 0; at--) sortBy(/** @type {number[]} */ (layers[at]), down);
    const crossed = crossings(layers, down, place);
    if (crossed >= least) continue;
    [best, least] = [layers.map((layer) => [...layer]), crossed];
  }
  best.forEach((layer, at) => (layers[at] = layer));
}

/** The number of crossings between neighbouring layers. @param {number[][]} layers @param {Link[][]} down @param {Float64Array} place @returns {number} */
function crossings(layers, down, place) {
  let total = 0;
  for (let at = 0; at + 1 < layers.length; at++) {
    const size = layers[at + 1]?.length ?? 0;
    // A binary indexed tree counts the ends so far that are further right.
    const tree = new Int32Array(size + 1);
    let seen = 0;
    for (const node of layers[at] ?? []) {
      const ends = (down[node] ?? []).map((link) => Number(place[link.node])).sort((a, b) => a - b);
      for (const end of ends) {
        let before = 0;
        for (let i = end + 1; i > 0; i -= i & -i) before += Number(tree[i]);
        total += seen - before;
      }
      for (const end of ends) {
        for (let i = end + 1; i <= size; i += i & -i) add(tree, i, 1);
        seen++;
      }
    }
  }
  return total;
}

/** Move nodes towards their neighbours, layer by layer. @param {Graph} graph */
function place(graph) {
  const { layers, width, x, up, down } = graph;
  for (const layer of layers) {
    let at = 0;
    for (const node of layer) {
      x[node] = at + Number(width[node]) / 2;
      at += Number(width[node]) + APART;
    }
    for (const node of layer) x[node] = Number(x[node]) - at / 2;
  }
  for (let pull = 0; pull < PULLS; pull++) {
    const isDown = pull % 2 === 0;
    const both = pull >= PULLS - 4;
    const means = graph.chains.map((chain) => meanOf(chain.slice(1, -1).map((thread) => Number(x[thread]))));
    const layersInTurn = isDown ? layers : layers.toReversed();
    for (const layer of layersInTurn) settleLayer(graph, layer, both ? [up, down] : [isDown ? up : down], means);
  }
}

/** @param {readonly number[]} numbers */
const meanOf = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);

/** The positions nearest to where the neighbours pull that keep the order and the distances: pool adjacent violators. @param {Graph} graph @param {number[]} layer @param {Link[][][]} sides @param {readonly number[]} means of the threads of each edge, which are straight if they share one */
function settleLayer({ width, x, chainOf }, layer, sides, means) {
  /** @type {{sum: number, weight: number, from: number}[]} */
  const pools = [];
  const offsets = new Float64Array(layer.length);
  layer.forEach((node, at) => {
    const before = layer[at - 1];
    if (before !== undefined)
      offsets[at] = Number(offsets[at - 1]) + (Number(width[before]) + Number(width[node])) / 2 + APART;
    let [sum, weight] = [0, 0];
    for (const side of sides)
      for (const { node: other, off, pull } of side[node] ?? []) {
        sum += pull * (Number(x[other]) - off);
        weight += pull;
      }
    const chain = chainOf[node];
    if (chain !== undefined) [sum, weight] = [sum + PULL.chain * Number(means[chain]), weight + PULL.chain];
    if (weight === 0) [sum, weight] = [0.1 * Number(x[node]), 0.1];
    pools.push({ sum: sum - weight * Number(offsets[at]), weight, from: at });
    while (pools.length > 1) {
      const [one, other] = pools.slice(-2);
      if (!one || !other || one.sum / one.weight <= other.sum / other.weight) break;
      pools.length -= 2;
      pools.push({ sum: one.sum + other.sum, weight: one.weight + other.weight, from: one.from });
    }
  });
  pools.forEach(({ sum, weight, from }, at) => {
    const to = pools[at + 1]?.from ?? layer.length;
    for (let i = from; i < to; i++) x[Number(layer[i])] = sum / weight + Number(offsets[i]);
  });
}

/** @param {Graph} graph @param {{heights: ArrayLike<number>, edges: readonly Edge[], gap: number}} level @returns {Laid} */
function routed({ real, layers, rank, width, x, chains }, { heights, edges, gap }) {
  let [left, right] = [Infinity, -Infinity];
  x.forEach((middle, node) => {
    left = Math.min(left, middle - Number(width[node]) / 2);
    right = Math.max(right, middle + Number(width[node]) / 2);
  });
  if (left > right) [left, right] = [0, 0];
  const tops = new Float64Array(layers.length);
  const bottoms = new Float64Array(layers.length);
  let at = 0;
  layers.forEach((layer, number) => {
    const high = layer.reduce((most, node) => Math.max(most, node < real ? Number(heights[node]) : 0), 0);
    [tops[number], bottoms[number]] = [at, at + high];
    at += high + gap;
  });
  const [xs, ys] = [new Float64Array(real), new Float64Array(real)];
  for (let node = 0; node < real; node++) {
    xs[node] = Number(x[node]) - Number(width[node]) / 2 - left;
    const [top, bottom] = [Number(tops[Number(rank[node])]), Number(bottoms[Number(rank[node])])];
    ys[node] = (top + bottom - Number(heights[node])) / 2;
  }
  const entries = spread({ edges, chains, x, width });
  const routes = edges.map((edge, number) => {
    const chain = /** @type {number[]} */ (chains[number]);
    const flips = chain[0] !== edge.from;
    const points = [];
    const [above, below] = [Number(chain[0]), Number(chain.at(-1))];
    const [first, last] = flips ? [Number(entries[number]), edge.out ?? 0] : [edge.out ?? 0, Number(entries[number])];
    points.push(Number(x[above]) - left + first, Number(ys[above]) + Number(heights[above]));
    points.push(Number(x[above]) - left + first, Number(bottoms[Number(rank[above])]));
    for (const thread of chain.slice(1, -1)) {
      const layer = Number(rank[thread]);
      points.push(Number(x[thread]) - left, Number(tops[layer]), Number(x[thread]) - left, Number(bottoms[layer]));
    }
    points.push(Number(x[below]) - left + last, Number(tops[Number(rank[below])]));
    points.push(Number(x[below]) - left + last, Number(ys[below]));
    return Float64Array.from(flips ? turned(points) : points);
  });
  return { x: xs, y: ys, width: right - left, height: Math.max(0, at - gap), routes };
}

/** @param {number[]} points @returns {number[]} */
function turned(points) {
  const back = [];
  for (let at = points.length - 2; at >= 0; at -= 2) back.push(Number(points[at]), Number(points[at + 1]));
  return back;
}

/** Where each edge enters its node, from its middle: beside each other, in the order in which they come. @param {{edges: readonly Edge[], chains: number[][], x: number[], width: number[]}} graph @returns {Float64Array} */
function spread({ edges, chains, x, width }) {
  const found = new Float64Array(edges.length);
  /** @type {Map<number, number[]>} */
  const into = new Map();
  edges.forEach((edge, number) => {
    if (edge.in !== undefined) found[number] = edge.in;
    else addTo(into, edge.to, number);
  });
  for (const [node, numbers] of into) {
    if (numbers.length < 2) continue;
    const from = (/** @type {number} */ number) => {
      const chain = /** @type {number[]} */ (chains[number]);
      const before = chain[0] === edges[number]?.from ? chain.at(-2) : chain[1];
      return Number(x[Number(before ?? node)]) + (chain.length === 2 ? (edges[number]?.out ?? 0) : 0);
    };
    numbers.sort((one, other) => from(one) - from(other) || one - other);
    const step = Math.min(24, (Number(width[node]) - 16) / (numbers.length - 1));
    numbers.forEach((number, at) => (found[number] = (at - (numbers.length - 1) / 2) * Math.max(0, step)));
  }
  return found;
}
