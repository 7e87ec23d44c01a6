/** What is typed to find something: how it is understood, and in which order names are found. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Haystack } from "../../static/js/core/search/haystack.js";
import { hasShape, parseQuery, parseShape } from "../../static/js/core/search/query.js";

test("prefixes say what is looked for", () => {
  const told = {
    ":12": { kind: "line", line: 12 },
    "line 12": { kind: "line", line: 12 },
    "#1,137": { kind: "step", step: 1137 },
    "step 137": { kind: "step", step: 137 },
    137: { kind: "number", number: 137 },
    "has NaN": { kind: "nonfinite", words: ["has", "nan"] },
    "-Inf": { kind: "nonfinite", words: ["-inf"] },
    "> Step over": { kind: "commands", words: ["step", "over"] },
    "%arg1": { kind: "names", words: ["%arg1"], only: "value" },
    "@main": { kind: "names", words: ["@main"], only: "function" },
    "loss.py:42": { kind: "names", words: ["loss.py:42"], only: "source" },
    "jvp()/attention": { kind: "names", words: ["jvp()/attention"], only: null },
    "dot  general ": { kind: "names", words: ["dot", "general"], only: null },
    "": { kind: "names", words: [], only: null },
  };
  for (const [text, query] of Object.entries(told)) assert.deepEqual(parseQuery(text), query, text);
});

test("shapes are read in both spellings", () => {
  const told = {
    "f32[64, 768]": { element: "f32", sizes: [64, 768] },
    "[64,?]": { element: null, sizes: [64, null] },
    "pred[]": { element: "i1", sizes: [] },
    "s32[2]{0}": { element: "i32", sizes: [2] },
    "tensor<64x768xf32>": { element: "f32", sizes: [64, 768] },
    "tensor<f32>": { element: "f32", sizes: [] },
    "64x768xbf16": { element: "bf16", sizes: [64, 768] },
    add: null,
    "64x": null,
    "[a]": null,
  };
  for (const [text, shape] of Object.entries(told)) assert.deepEqual(parseShape(text), shape, text);
});

test("a value is of a shape where all that is known of both agrees", () => {
  const value = { shape: [64, 768], elementType: "f32" };
  for (const text of ["f32[64,768]", "[64,?]", "tensor<?x768xf32>"]) assert.ok(hasShape(parseShape(text), value), text);
  for (const text of ["f16[64,768]", "[64]", "[768,64]", "[64,768,1]"])
    assert.ok(!hasShape(parseShape(text), value), text);
  assert.ok(!hasShape(parseShape("[]"), { shape: null, elementType: null }));
});

test("the whole name comes first, then beginnings, then parts that begin so, then the rest", () => {
  const names = ["readd", "add_fusion", "%add", "mul.add", "Add", "%add.1", "sub"];
  const hay = new Haystack(names.length, (entry) => names[entry]);
  const found = (typed, most = 10, near = 0) => hay.find(typed, most, near).entries.map((entry) => names[entry]);
  assert.deepEqual(found(["add"]), ["%add", "Add", "add_fusion", "%add.1", "mul.add", "readd"]);
  assert.deepEqual(found(["add", "fus"]), ["add_fusion"]);
  assert.deepEqual(found(["%add"]), ["%add", "%add.1"]);
  assert.deepEqual(hay.find(["add"], 2), { entries: [2, 4], total: 6 });
  assert.deepEqual(hay.find(["none"], 2), { entries: [], total: 0 });
  assert.deepEqual(found([], 3), names.slice(0, 3));
});

test("a word is not found across two names", () => {
  const hay = new Haystack(3, (entry) => ["ab", "", "cd"][entry]);
  assert.deepEqual(hay.find(["bc"], 9).total, 0);
  assert.deepEqual(hay.find(["cd"], 9).entries, [2]);
  assert.equal(hay.textAt(1), "");
});

test("among equals those behind the place where one is come first", () => {
  const hay = new Haystack(6, () => "add");
  assert.deepEqual(hay.find(["add"], 4, 3), { entries: [3, 4, 5, 0], total: 6 });
  assert.deepEqual(hay.find(["add"], 9, 9).entries, [0, 1, 2, 3, 4, 5]);
});

test("all that holds a word is found, as by looking at each", () => {
  const letters = "ab.";
  const names = Array.from({ length: 400 }, (_, at) =>
    Array.from({ length: at % 7 }, (_, place) => letters[(at * 7 + place * at) % 3]).join(""),
  );
  const hay = new Haystack(names.length, (entry) => names[entry]);
  for (const word of ["a", "ab", "b.", "aa", "..", "abab"]) {
    const expected = names.flatMap((name, entry) => (name.includes(word) ? [entry] : []));
    assert.deepEqual(hay.entriesWith(word), expected, word);
    assert.deepEqual(
      [...hay.find([word], 1000).entries].sort((a, b) => a - b),
      expected,
    );
  }
});

test("60,000 names are searched within a frame", () => {
  const names = Array.from({ length: 60_000 }, (_, at) => `%fusion.${at}_reduce_add_${at % 97}`);
  const hay = new Haystack(names.length, (entry) => names[entry]);
  const times = ["f", "fu", "fusion.1", "reduce", "96", "add_3"].map((word) => {
    const begin = performance.now();
    hay.find([word], 200);
    return performance.now() - begin;
  });
  console.log(`search of 60,000 names: ${times.map((time) => time.toFixed(1)).join(", ")} ms`);
  assert.ok(Math.min(...times) < 16, `${times}`);
});
