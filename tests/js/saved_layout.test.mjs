import assert from "node:assert/strict";
import test from "node:test";
import { edgeOf, fitted, narrowLayout, presetLayout, PRESETS } from "../../static/js/features/layout/presets.js";
import { layoutText, readLayout } from "../../static/js/features/layout/saved_layout.js";
import { group, groupWith, movePanel, panelsOf, split } from "../../static/js/features/layout/tree.js";

const STAGE = ["tensor", "index", "provenance", "grid", "queues", "op"];
const PANELS = [
  { id: "program", dock: "program" },
  ...STAGE.map((id) => ({ id, dock: "stage", isExtra: id === "op" })),
  { id: "variables", dock: "inspector" },
  { id: "steps", dock: "inspector" },
  { id: "frames", dock: "frames" },
  { id: "breakpoints", dock: "breakpoints" },
  { id: "timeline", dock: "timeline" },
  { id: "console", dock: "console" },
];
const IDS = PANELS.map(({ id }) => id);
const saved = (layout) => JSON.stringify({ version: 2, ...layout });

test("each preset has each panel once, at any width", () => {
  for (const preset of PRESETS)
    for (const width of [390, 1280, 1920])
      assert.deepEqual(panelsOf(presetLayout(preset, PANELS, width).tree).sort(), [...IDS].sort(), preset);
  assert.deepEqual(panelsOf(narrowLayout(PANELS).tree).sort(), [...IDS].sort());
  assert.equal(presetLayout("no such preset", PANELS, 1440).preset, "debug");
});

test("the widths of the program, the stage and the inspector; where there is no room, it is a drawer", () => {
  const [row] = presetLayout("debug", PANELS, 1440).tree.children;
  assert.deepEqual(row.sizes, [0.45, 0.4, 0.15]);
  assert.equal(row.children[2].drawer, undefined);
  const [narrower] = presetLayout("debug", PANELS, 1280).tree.children;
  assert.equal(narrower.children[2].drawer.isOpen, false);
});

test("a lesson is at the left of every preset, and the last pane of a narrow window", () => {
  const withLesson = [{ id: "lesson", dock: "lesson" }, ...PANELS];
  for (const preset of PRESETS)
    for (const width of [1280, 1920]) {
      const { tree } = presetLayout(preset, withLesson, width);
      assert.deepEqual(panelsOf(tree).sort(), ["lesson", ...IDS].sort(), preset);
      assert.deepEqual(panelsOf(tree.children[0].children[0]), ["lesson"], preset);
      assert.ok(tree.children[0].children.at(-1).drawer, "what it takes is the inspector's");
    }
  const narrow = narrowLayout(withLesson).tree.children[0].children;
  assert.deepEqual(panelsOf(narrow[3]), ["lesson"]);
  const read = readLayout(layoutText(presetLayout("debug", PANELS, 1440)), withLesson);
  assert.equal(panelsOf(read.tree)[0], "lesson");
});

test("in a window of another width the tabs in front stay in front", () => {
  const layout = presetLayout("debug", PANELS, 1440);
  const chosen = { ...layout, tree: movePanel(layout.tree, "op", { beside: "tensor", zone: "center" }) };
  const other = fitted(chosen, PANELS, 1280);
  assert.equal(groupWith(other.tree, "tensor").active, "op");
  assert.ok(other.tree.children[0].children[2].drawer);
});

test("what is written is read again as it was", () => {
  const layout = presetLayout("grid", PANELS, 1440);
  const own = { ...layout, isOwn: true, closed: ["op", "console"], maximised: "grid" };
  const moved = { ...own, tree: movePanel(own.tree, "steps", { beside: "program", zone: "bottom" }) };
  assert.deepEqual(readLayout(layoutText(moved), PANELS), moved);
});

test("what is no layout is none", () => {
  const tree = presetLayout("debug", PANELS, 1440).tree;
  const texts = [
    null,
    "",
    "{",
    "null",
    "[]",
    "3",
    '"layout"',
    "{}",
    JSON.stringify({ version: 0, tree }),
    JSON.stringify({ version: 3, tree }),
    JSON.stringify({ version: 1, isOwn: false, tree }),
    saved({}),
    saved({ tree: null }),
    saved({ tree: { kind: "tabs" } }),
    saved({ tree: { kind: "tabs", tabs: "program" } }),
    saved({ tree: { kind: "heap", children: [group(IDS)] } }),
    saved({ tree: { kind: "row", children: 7 } }),
    saved({ tree: group(["no", "such", "panel"]) }),
    saved({ tree, closed: IDS }),
  ];
  for (const text of texts) assert.equal(readLayout(text, PANELS), null, String(text));
});

test("an extra panel is closed at first, unless it is in front; what was arranged before keeps it", () => {
  assert.deepEqual(presetLayout("debug", PANELS, 1440).closed, ["op", "console"]);
  assert.deepEqual(presetLayout("teaching", PANELS, 1440).closed, ["console"]);
  assert.deepEqual(narrowLayout(PANELS).closed, ["op", "console"]);
  const own = { ...presetLayout("debug", PANELS, 1440), version: 1, isOwn: true, closed: [] };
  assert.deepEqual(readLayout(JSON.stringify(own), PANELS).closed, []);
  const added = [...PANELS, { id: "newer", dock: "stage", isExtra: true }];
  assert.deepEqual(readLayout(JSON.stringify(own), added).closed, ["newer"]);
});

test("what was made for another width is known as such", () => {
  assert.equal(presetLayout("debug", PANELS, 1440).isWide, true);
  assert.equal(readLayout(layoutText(presetLayout("debug", PANELS, 1280)), PANELS).isWide, false);
  assert.equal(fitted(presetLayout("debug", PANELS, 1440), PANELS, 1280).isWide, false);
});

test("trees without end are not read", () => {
  let tree = /** @type {any} */ (group(IDS));
  for (let depth = 0; depth < 300; depth++) tree = { kind: "row", sizes: [1], children: [tree] };
  assert.equal(readLayout(saved({ tree }), PANELS), null);
});

test("unknown panels go, doubles go, missing ones come back where they start", () => {
  const tree = split("row", [
    [0.5, group(["program", "program", "abacus"], { active: "abacus" })],
    [0.5, group(["tensor", "op", 7, null, "program"])],
  ]);
  const read = readLayout(saved({ tree, closed: ["abacus", "op"], maximised: "abacus" }), PANELS);
  assert.deepEqual([...panelsOf(read.tree)].sort(), [...IDS].sort());
  assert.deepEqual(groupWith(read.tree, "program").tabs, ["program"]);
  assert.equal(groupWith(read.tree, "program").active, "program");
  for (const id of ["index", "provenance", "grid", "queues"])
    assert.ok(groupWith(read.tree, id).tabs.includes("tensor"));
  assert.equal(groupWith(read.tree, "tensor").active, "tensor", "what was in front stays there");
  assert.ok(groupWith(read.tree, "steps").tabs.includes("variables"), "one that came back is a friend of the next");
  assert.deepEqual(read.closed, ["op"]);
  assert.equal(read.maximised, null);
  assert.equal(read.tree.kind, "column");
  assert.deepEqual(read.tree.sizes.slice(1), [0, edgeOf(PANELS, "console").size]);
});

test("sizes that are none are shared", () => {
  const children = IDS.slice(0, 4).map((id) => group([id]));
  for (const sizes of [null, [], ["wide", -1, NaN, 1e9], [{}, [], "", true]]) {
    const read = readLayout(saved({ tree: { kind: "row", sizes, children } }), PANELS.slice(0, 4));
    assert.deepEqual(read.tree.sizes, [0.25, 0.25, 0.25, 0.25]);
  }
});

test("drawers keep a width that one can see", () => {
  for (const width of ["wide", -5, 1e9, 3]) {
    const tree = split("row", [
      [0.5, group(["program"])],
      [0.5, group(IDS.slice(1), { drawer: { isOpen: "yes", width } })],
    ]);
    const { drawer } = groupWith(readLayout(saved({ tree }), PANELS).tree, "tensor");
    assert.deepEqual(drawer, { isOpen: false, width: 344 });
  }
});
