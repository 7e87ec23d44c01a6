import assert from "node:assert/strict";
import test from "node:test";
import {
  changeGroup,
  collapse,
  evenBorder,
  expand,
  group,
  groupsOf,
  groupWith,
  moveBorder,
  movePanel,
  panelsOf,
  split,
  splitBetween,
  tidy,
  without,
} from "../../static/js/features/layout/tree.js";
import { boxOf, rimAt, zoneAt } from "../../static/js/features/layout/zones.js";

/** Program | Tensor, Grid | Variables over Steps; below all of them the timeline. */
const TREE = split("column", [
  [
    1,
    split("row", [
      [0.5, group(["program"])],
      [0.3, group(["tensor", "grid"])],
      [
        0.2,
        split("column", [
          [0.6, group(["variables"])],
          [0.4, group(["steps"])],
        ]),
      ],
    ]),
  ],
  [0, group(["timeline"])],
]);

const rowOf = (tree) => tree.children[0];
const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);

/** All that must hold of any tree, whatever was done to it. */
function checkWhole(tree, panels = panelsOf(TREE)) {
  assert.deepEqual([...panelsOf(tree)].sort(), [...panels].sort(), "each panel once");
  (function check(node, kind) {
    if (node.kind === "tabs") return assert.ok(node.tabs.includes(node.active), "a tab in front");
    assert.ok(node.children.length > 1, "no rows of one");
    assert.equal(node.sizes.length, node.children.length);
    assert.ok(node.drawer || node.kind !== kind, "no rows in rows");
    assert.ok(Math.abs(sum(node.sizes.filter((size) => size > 0 && size <= 1)) - 1) < 1e-9, `shares of ${node.sizes}`);
    for (const child of node.children) check(child, node.kind);
  })(tree, null);
}

test("a panel becomes a tab of another group, in front and where it was dropped", () => {
  const moved = movePanel(TREE, "variables", { beside: "tensor", zone: "center", before: "grid" });
  checkWhole(moved);
  assert.deepEqual(groupWith(moved, "tensor").tabs, ["tensor", "variables", "grid"]);
  assert.equal(groupWith(moved, "tensor").active, "variables");
  assert.deepEqual(rowOf(moved).children[2], group(["steps"]), "what it left behind takes its room");
});

test("at an edge that lies along its row a panel becomes a neighbour with half of the room", () => {
  const moved = movePanel(TREE, "grid", { beside: "program", zone: "left" });
  checkWhole(moved);
  assert.deepEqual(
    groupsOf(rowOf(moved)).map(({ tabs }) => tabs.join()),
    ["grid", "program", "tensor", "variables", "steps"],
  );
  assert.deepEqual(rowOf(moved).sizes, [0.25, 0.25, 0.3, 0.2]);
});

test("at an edge across its row the group is split", () => {
  const moved = movePanel(TREE, "grid", { beside: "tensor", zone: "bottom" });
  checkWhole(moved);
  const column = rowOf(moved).children[1];
  assert.equal(column.kind, "column");
  assert.deepEqual(
    column.children.map(({ tabs }) => tabs),
    [["tensor"], ["grid"]],
  );
  assert.deepEqual(column.sizes, [0.5, 0.5]);
});

test("a panel goes to each edge of the page", () => {
  for (const zone of ["left", "right", "top", "bottom"]) {
    const moved = movePanel(TREE, "steps", { beside: null, zone });
    checkWhole(moved);
    const order = groupsOf(moved).map(({ tabs }) => tabs[0]);
    assert.equal(zone === "left" || zone === "top" ? order[0] : order.at(-1), "steps", zone);
  }
});

test("from its own group a tab splits off; where it is alone, nothing happens", () => {
  const moved = movePanel(TREE, "tensor", { beside: "tensor", zone: "right" });
  checkWhole(moved);
  assert.deepEqual(rowOf(moved).children[1].tabs, ["grid"]);
  assert.deepEqual(rowOf(moved).children[2].tabs, ["tensor"]);
  assert.equal(movePanel(TREE, "program", { beside: "program", zone: "left" }), TREE);
  assert.equal(movePanel(TREE, "tensor", { beside: "nobody", zone: "center" }), TREE);
  assert.equal(movePanel(TREE, "tensor", { beside: "grid", zone: "center", before: "tensor" }), TREE);
});

test("beside a panel of fixed height there is one of fixed height", () => {
  const moved = movePanel(TREE, "grid", { beside: "timeline", zone: "bottom" });
  checkWhole(moved);
  assert.deepEqual(moved.sizes, [1, 0, 200]);
});

test("any sequence of moves keeps the tree whole", () => {
  const panels = panelsOf(TREE);
  const zones = ["center", "left", "right", "top", "bottom"];
  let state = 12345;
  const random = (below) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
  let tree = TREE;
  for (let move = 0; move < 600; move++) {
    const panel = panels[random(panels.length)];
    const beside = random(8) === 0 ? null : panels[random(panels.length)];
    const zone = beside === null ? zones[1 + random(4)] : zones[random(5)];
    if (random(4) === 0) tree = collapse(tree, panel, 300);
    if (random(4) === 0) tree = expand(tree, panels[random(panels.length)]);
    tree = movePanel(tree, panel, { beside, zone });
    checkWhole(tree);
  }
});

test("what is taken away leaves no empty group, and another tab in front", () => {
  const rest = without(TREE, "tensor");
  assert.equal(groupWith(rest, "grid").active, "grid");
  const empty = panelsOf(TREE).reduce((tree, panel) => tree && without(tree, panel), TREE);
  assert.equal(empty, null);
  assert.equal(without(TREE, "nobody"), TREE);
});

test("a border shares the room anew, and leaves the others theirs", () => {
  const row = rowOf(TREE);
  const moved = moveBorder(row, 0, 1, 200, 800);
  assert.deepEqual(
    moved.sizes.map((size) => Number(size.toFixed(9))),
    [0.2, 0.6, 0.2],
  );
  assert.deepEqual(
    evenBorder(moved, 0, 1).sizes.map((size) => Number(size.toFixed(9))),
    [0.4, 0.4, 0.2],
  );
  const root = moveBorder(TREE, 0, 1, 500, 620);
  assert.deepEqual(root.sizes, [1, 120], "the timeline is as high as it was made");
  assert.deepEqual(evenBorder(root, 0, 1).sizes, [1, 0], "and as it came when one double-clicks");
});

test("the border between two panels is that of the row or column in which they part", () => {
  assert.equal(splitBetween(TREE, "program", "steps"), rowOf(TREE));
  assert.equal(splitBetween(TREE, "steps", "timeline"), TREE);
  assert.equal(splitBetween(TREE, "variables", "steps"), rowOf(TREE).children[2]);
  assert.equal(splitBetween(TREE, "tensor", "grid"), null);
  assert.equal(splitBetween(TREE, "tensor", "nobody"), null);
});

test("in a row a panel collapses to a drawer, in a column to its title", () => {
  const drawer = collapse(TREE, "program", 300);
  assert.deepEqual(groupWith(drawer, "program").drawer, { isOpen: false, width: 300 });
  const folded = collapse(TREE, "steps", 300);
  assert.equal(groupWith(folded, "steps").folded, true);
  const both = collapse(folded, "variables", 300);
  assert.deepEqual(rowOf(both).children[2].drawer, { isOpen: false, width: 300 }, "a column of titles is a drawer");
  assert.equal(expand(both, "variables").children[0].children[2].drawer, undefined);
  assert.equal(groupWith(expand(expand(both, "variables"), "steps"), "steps").folded, false);
});

test("the last panel of a row stays", () => {
  const rest = collapse(
    collapse(collapse(collapse(TREE, "program", 300), "steps", 300), "variables", 300),
    "tensor",
    300,
  );
  assert.equal(groupWith(rest, "tensor").drawer, undefined);
});

test("a drawer stays one when its panels are split or only one is left", () => {
  const drawer = collapse(TREE, "tensor", 300);
  const parted = movePanel(drawer, "grid", { beside: "tensor", zone: "bottom" });
  assert.deepEqual(rowOf(parted).children[1].drawer, { isOpen: false, width: 300 });
  const one = movePanel(parted, "grid", { beside: "program", zone: "center" });
  assert.deepEqual(groupWith(one, "tensor").drawer, { isOpen: false, width: 300 });
});

test("changes of one group leave the rest the same objects", () => {
  const changed = changeGroup(TREE, "tensor", { active: "grid" });
  assert.equal(groupWith(changed, "tensor").active, "grid");
  assert.equal(rowOf(changed).children[0], rowOf(TREE).children[0]);
  assert.equal(changeGroup(TREE, "nobody", { active: "x" }), TREE);
  assert.equal(tidy(TREE).children.length, TREE.children.length);
});

const BOX = { left: 100, top: 50, width: 400, height: 200 };

test("a quarter at each edge is a zone, the nearest edge where two are", () => {
  assert.equal(zoneAt(BOX, 300, 150), "center");
  assert.equal(zoneAt(BOX, 190, 150), "left");
  assert.equal(zoneAt(BOX, 410, 150), "right");
  assert.equal(zoneAt(BOX, 300, 60), "top");
  assert.equal(zoneAt(BOX, 300, 240), "bottom");
  assert.equal(zoneAt(BOX, 110, 90), "left");
  assert.equal(zoneAt(BOX, 180, 55), "top");
});

test("the rim of the page is the page's", () => {
  assert.equal(rimAt(BOX, 105, 150), "left");
  assert.equal(rimAt(BOX, 496, 150), "right");
  assert.equal(rimAt(BOX, 300, 55), "top");
  assert.equal(rimAt(BOX, 300, 245), "bottom");
  assert.equal(rimAt(BOX, 300, 150), null);
});

test("what a zone covers", () => {
  assert.deepEqual(boxOf(BOX, "right", 0.5), { left: 300, top: 50, width: 200, height: 200 });
  assert.deepEqual(boxOf(BOX, "bottom", 0.25), { left: 100, top: 200, width: 400, height: 50 });
  assert.deepEqual(boxOf(BOX, "center", 1), BOX);
});
