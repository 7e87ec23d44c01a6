/** The step that is nearest to where one is, of those that run an op. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestRun } from "../../static/js/core/run/occurrences.js";
import { commonHead, groupByScope, readNames, scopeOf, shortTitle } from "../../static/js/core/run/scopes.js";
import { loop, outlineOf } from "./outlines.mjs";

test("where one is, else the next, else the last before", () => {
  const { steps, frames } = loop(3);
  for (const done of [true, false]) {
    const outline = outlineOf(steps, frames, { done });
    for (let position = 0; position <= steps.length - (done ? 0 : 1); position++) {
      for (let op = 0; op <= 9; op++) {
        const runs = steps.flatMap(([number], step) => (number === op ? [step] : []));
        const expected = runs.find((step) => step >= position) ?? runs.at(-1) ?? null;
        assert.equal(nearestRun(outline, position, new Set([op])), expected, `op ${op} from ${position}`);
      }
    }
  }
});

test("a scope is all but the last part of a name, and parentheses hold together", () => {
  const told = {
    "jit(f)/attention/dot": "jit(f)/attention",
    "jit(f)/jvp(a/b)/add": "jit(f)/jvp(a/b)",
    add: "",
    "jvp(a/b)": "",
    "a/": "a",
  };
  for (const [name, scope] of Object.entries(told)) assert.equal(scopeOf(name), scope, name);
});

test("ops are grouped by scope, and have none where their name has none", () => {
  const grouping = groupByScope({ names: ["f/a/x", "add", "f/a/y", "f/b/x"], ops: [0, 2, -1, 3, 1] }, []);
  assert.deepEqual(grouping.titles, ["f/a", "f/b"]);
  assert.deepEqual([...grouping.ofOp], [0, 0, -1, 1, -1]);
});

test("what returns from a block counts with the op before it", () => {
  const names = { names: ["f/a/x", "f/b/x"], ops: [0, 1, -1, -1] };
  assert.deepEqual([...groupByScope(names, [{ ops: [0, 1, 2] }, { ops: [3] }]).ofOp], [0, 1, 1, -1]);
});

test("what all scopes begin with is said by none", () => {
  assert.equal(commonHead(["jit(f)", "jit(f)/a", "jit(f)/b/c"]), "jit(f)/");
  assert.equal(commonHead(["jit(f)/a", "b/c"]), "");
  assert.equal(commonHead(["a", "b"]), "");
  assert.equal(commonHead([]), "");
  assert.equal(shortTitle("jit(f)/a", ["jit(f)", "jit(f)/a"]), "a");
  assert.equal(shortTitle("jit(f)", ["jit(f)", "jit(f)/a"]), "jit(f)");
});

test("names of ops arrive without what they share with the name before", () => {
  const sent = { shared: [0, 9, 0], rests: ["jit(f)/a/x", "y", "é"], ops: [0, 1, -1, 2] };
  assert.deepEqual(readNames(sent), { names: ["jit(f)/a/x", "jit(f)/a/y", "é"], ops: [0, 1, -1, 2] });
});
