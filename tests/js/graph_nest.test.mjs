/** The nodes of a program's graph: on random programs every operand is drawn, whatever is folded, and nothing overlaps. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Program } from "../../static/js/core/run/program.js";
import { arrange } from "../../static/js/features/graph/arrange.js";
import { labelsOf } from "../../static/js/features/graph/labels.js";
import { textOfOp } from "../../static/js/features/graph/model.js";
import { neighbourhood } from "../../static/js/features/graph/neighbourhood.js";
import { wholeProgram } from "../../static/js/features/graph/nest.js";
import { ofOps } from "../../static/js/features/graph/op_numbers.js";
import { joined } from "../../static/js/features/graph/scene.js";
import { componentsOf, Parts, periodOf } from "../../static/js/features/graph/parts.js";
/** @import {Node} from "../../static/js/features/graph/nest.js" */

/** Numbers between 0 and 1 that depend on the seed alone. @param {number} seed */
function numbers(seed) {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32;
  };
}

/** A program of `count` ops with regions, scopes and constants, and its names. @param {number} seed @param {number} count */
function randomProgram(seed, count) {
  const next = numbers(seed);
  /** @type {any} */
  const info = {
    language: "stablehlo",
    ops: [],
    values: [],
    blocks: [],
    functions: [],
    parameters: {},
    argumentNames: {},
  };
  /** @type {any} */
  const names = { names: ["", "jit(f)/a/add", "jit(f)/a/b/add", "jit(f)/c(d/e)/add", "jit(f)/g/add"], ops: [] };
  const value = () => {
    const id = info.values.length;
    info.values.push({ id, name: `%${id}`, type: "tensor<2xf32>", shape: [2], elementType: "f32" });
    return id;
  };
  const block = (/** @type {number|null} */ opener, /** @type {number} */ size, /** @type {number[]} */ outer) => {
    const id = info.blocks.length;
    const found = { id, function: "main", opener, region: 0, arguments: [value(), value()], ops: [] };
    info.blocks.push(found);
    const visible = [...outer, ...found.arguments];
    for (let at = 0; at < size; at++) {
      const op = info.ops.length;
      const isConstant = next() < 0.15;
      const operands = Array.from({ length: isConstant ? 0 : 1 + Math.floor(next() * 3) }, () => {
        const back =
          next() < 0.8 ? Math.min(visible.length, 1 + Math.floor(next() * 5)) : Math.ceil(next() * visible.length);
        return visible[visible.length - back];
      });
      const name = isConstant ? "stablehlo.constant" : "stablehlo.add";
      const own = {
        id: op,
        name,
        opcode: "",
        family: "elementwise",
        line: op + 1,
        from: op,
        to: op,
        operands,
        results: [value()],
        block: id,
        regions: [],
        summary: "",
      };
      info.ops.push(own);
      names.ops.push(Math.floor(next() * names.names.length));
      found.ops.push(op);
      if (!isConstant && opener === null && next() < 0.1) {
        Object.assign(own, {
          name: "stablehlo.while",
          family: "control",
          regions: [block(op, 3, visible), block(op, 6, visible)],
        });
      }
      visible.push(own.results[0]);
    }
    return id;
  };
  const body = block(null, count, []);
  info.functions.push({ name: "main", block: body, line: 1, from: 0, to: count });
  return { program: new Program(info), names };
}

/** @param {Node} root @returns {Node[]} */
const allOf = (root) => root.children.flatMap((child) => [child, ...allOf(child)]);

/** @typedef {{x: number, y: number, width: number, height: number}} Area */

/** @param {Area} one @param {Area} other */
const isApart = (one, other) =>
  one.x + one.width <= other.x ||
  other.x + other.width <= one.x ||
  one.y + one.height <= other.y ||
  other.y + other.height <= one.y;

/** Points of the last curve of an edge, as the canvas draws it. @param {Float64Array} points @returns {Area[]} */
function dotsOf(points) {
  if (points.length < 6) return [];
  const [x0 = 0, y0 = 0, x3 = 0, y3 = 0] = points.slice(-6, -2);
  return Array.from({ length: 33 }, (_, at) => {
    const t = at / 32;
    const bezier = (/** @type {number[]} */ [a = 0, b = 0, c = 0, d = 0]) =>
      a * (1 - t) ** 3 + 3 * b * (1 - t) ** 2 * t + 3 * c * (1 - t) * t ** 2 + d * t ** 3;
    const half = (y0 + y3) / 2;
    return { x: bezier([x0, x0, x3, x3]), y: bezier([y0, half, half, y3]), width: 0, height: 0 };
  });
}

/** Labels of edges cover no node, no arrow, no other label and no end of an edge. @param {import("../../static/js/features/graph/arrange.js").Arrangement} arrangement @param {Parts} parts @param {string} what */
function checkLabels(arrangement, parts, what) {
  const { boxes, routes } = arrangement;
  const labels = labelsOf(arrangement, parts, true);
  const arrows = routes
    .filter(({ wire }) => wire.to.kind !== "port")
    .map(({ points }) => ({ x: Number(points.at(-2)) - 3.5, y: Number(points.at(-1)) - 6, width: 7, height: 6 }));
  const curves = routes.flatMap(({ points }) => dotsOf(points));
  for (const label of labels) {
    const others = [...boxes.filter(({ node }) => !node.isOpen), ...arrows, ...labels, ...curves];
    const covered = others.filter((other) => other !== label && !isApart(label, other));
    assert.deepEqual(covered, [], `${what}: ${label.text}`);
  }
  const readers = routes.filter(({ wire: { to } }) => to.op !== null && parts.program.op(to.op).operands.length > 1);
  assert.ok(labels.length >= 0.7 * readers.length, `${what}: ${labels.length} labels of ${readers.length} edges`);
}

/** @param {Parts} parts @param {Node} root @param {string} what */
function check(parts, root, what) {
  const arrangement = arrange(parts, root);
  const { boxes, routes, byNode, width, height } = arrangement;
  checkLabels(arrangement, parts, what);
  for (const { node, ...box } of boxes) {
    const around = node.parent === root ? { x: 0, y: 0, width, height } : byNode.get(/** @type {Node} */ (node.parent));
    assert.ok(around && box.x >= around.x && box.y >= around.y, what);
    assert.ok(
      box.x + box.width <= around.x + around.width + 1e-6 && box.y + box.height <= around.y + around.height + 1e-6,
      what,
    );
    for (const sibling of node.parent?.children ?? []) {
      const other = /** @type {import("../../static/js/features/graph/arrange.js").Box} */ (byNode.get(sibling));
      if (sibling === node) continue;
      assert.ok(isApart(box, other), `${what}: ${node.key} and ${sibling.key}`);
    }
  }
  for (const { points } of routes) assert.ok(Number(points[1]) <= Number(points.at(-1)), `${what}: an edge goes up`);
  return boxes;
}

/** Every operand of the visible ops is an edge from what makes it, or drawn at the op. @param {Parts} parts @param {Node} root @param {string} what */
function checkOperands(parts, root, what) {
  for (const node of allOf(root)) {
    if (node.op === null) continue;
    parts.program.op(node.op).operands.forEach((value, operand) => {
      const edge = node.sources.find(({ use }) => use.value === value && use.operand === operand);
      const chip = node.chips.find((each) => each.value === value && each.operand === operand);
      assert.ok(edge || chip, `${what}: operand ${operand} of ${node.op}`);
      if (edge)
        assert.ok(
          edge.node.values.includes(value) || edge.node.ops.includes(parts.program.definition(value).op ?? -1),
          what,
        );
    });
  }
}

test("every operand is drawn and nothing overlaps, whatever is folded", () => {
  for (let seed = 0; seed < 60; seed++) {
    const { program, names } = randomProgram(seed, 8 + seed);
    const parts = new Parts(program, "", seed % 3 === 0 ? null : names);
    const next = numbers(seed + 1000);
    const open = new Map();
    const isOpen = (/** @type {string} */ key) => {
      if (!open.has(key)) open.set(key, next() < [0, 0.5, 1][seed % 3]);
      return open.get(key);
    };
    const root = wholeProgram(parts, "main", isOpen);
    checkOperands(parts, root, `program ${seed}`);
    check(parts, root, `program ${seed}`);
  }
});

test("all ops are in the open graph once, except constants, which are drawn where they are read", () => {
  const { program, names } = randomProgram(5, 80);
  const parts = new Parts(program, "", names);
  const ops = allOf(wholeProgram(parts, "main", () => true)).flatMap(({ op }) => op ?? []);
  const wanted = program.ops.filter(
    ({ id, results }) => !parts.isConstant(results[0] ?? 0) || program.usersOf(results[0] ?? 0).length === 0 || id < 0,
  );
  assert.deepEqual(
    ops.sort((a, b) => a - b),
    wanted.map(({ id }) => id),
  );
});

test("thousands of ops without scopes fold into few groups", () => {
  const { program } = randomProgram(3, 5000);
  const root = wholeProgram(new Parts(program, "", null), "main", () => false);
  assert.ok(root.children.length <= 162, String(root.children.length));
  assert.equal(
    root.children.every(({ kind }) => kind !== "op"),
    true,
  );
});

test("the neighbourhood has the ops within the radius", () => {
  const { program, names } = randomProgram(8, 40);
  const parts = new Parts(program, "", names);
  const value = Number(program.op(20).results[0]);
  let before = 0;
  for (const radius of [1, 2, 3, 4]) {
    const root = neighbourhood(parts, value, radius);
    checkOperands(parts, root, `radius ${radius}`);
    const boxes = check(parts, root, `radius ${radius}`);
    assert.ok(boxes.length >= before);
    before = boxes.length;
  }
  const near = neighbourhood(parts, value, 1).children.flatMap(({ op }) => op ?? []);
  assert.deepEqual(
    new Set(near),
    new Set([
      20,
      ...program.op(20).operands.flatMap((each) => program.definition(each).op ?? []),
      ...program.usersOf(value),
    ]),
  );
});

test("a folded group has the time of its ops, and their largest error", () => {
  const { program, names } = randomProgram(11, 60);
  const parts = new Parts(program, "", names);
  const ops = program.ops.map(({ id }) => id);
  const numbersOf = ofOps(
    parts,
    ops,
    ops.map((op) => (op === 7 ? null : op + 1)),
  );
  const root = wholeProgram(parts, "main", () => false);
  const groups = root.children.filter(({ kind }) => kind === "group");
  assert.ok(groups.length > 0);
  for (const { ops: inside, ...group } of groups) {
    const found = numbersOf(/** @type {Node} */ ({ ...group, ops: inside }));
    assert.deepEqual(
      found,
      inside.map((op) => (op === 7 ? Infinity : op + 1)),
    );
    assert.equal(
      joined(found, true),
      found.reduce((sum, each) => sum + each, 0),
    );
    assert.equal(joined(found, false), Math.max(...found));
  }
  const opened = wholeProgram(parts, "main", () => true);
  for (const node of allOf(opened)) if (node.isOpen) assert.deepEqual(numbersOf(node), []);
  assert.ok(Number.isNaN(joined([NaN], true)) && joined([NaN, 2, 3], true) === 5);
});

test("a stretch that repeats is found where it begins", () => {
  const layer = ["dot", "add", "norm", "exp", "sum", "div", "mul"];
  const looks = ["cast", ...layer, ...layer, ...layer, ...layer, "end"];
  assert.deepEqual(periodOf(looks), { from: 1, length: 7, times: 4 });
  assert.equal(periodOf([...layer, "a", "b", "c", "d", "e", "f", "g"]), null);
});

test("slashes in parentheses do not separate scopes", () => {
  assert.deepEqual(componentsOf("jit(f)/transpose(jvp(layer/norm))/mul"), [
    "jit(f)",
    "transpose(jvp(layer/norm))",
    "mul",
  ]);
  assert.deepEqual(componentsOf(""), []);
});

test("no two nodes have the same key", () => {
  for (let seed = 0; seed < 20; seed++) {
    const { program, names } = randomProgram(seed, 40);
    const keys = allOf(wholeProgram(new Parts(program, "", names), "main", () => true)).map(({ key }) => key);
    assert.equal(new Set(keys).size, keys.length);
  }
});

test("the tip writes an op without its dialect, and names as the page does", () => {
  const block = { id: 0, function: "main", opener: null, region: 0, arguments: [0], ops: [0] };
  const op = { id: 0, name: "stablehlo.compare", opcode: "", operands: [0, 0], results: [1], block: 0, regions: [] };
  const program = new Program(
    /** @type {any} */ ({
      language: "stablehlo",
      ops: [{ ...op, line: 2, summary: "%0 = stablehlo.compare LT, %arg0, %arg0" }],
      values: [
        { id: 0, name: "%arg0" },
        { id: 1, name: "%0" },
      ],
      blocks: [block],
      functions: [{ name: "main", block: 0, line: 1, from: 0, to: 9 }],
      argumentNames: { 0: "%p.w" },
    }),
  );
  assert.equal(textOfOp(program, 0), "%0 = compare LT, %p.w, %p.w");
});
