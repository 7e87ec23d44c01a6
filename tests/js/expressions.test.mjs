/** What may stand at the cursor of an expression. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { completionsOf, evaluate } from "../../static/js/core/expressions.js";
import { Program } from "../../static/js/core/run/program.js";
import { readFrom } from "../../static/js/core/source.js";
import * as store from "../../static/js/core/store.js";
import { outlineOf } from "./outlines.mjs";

const word = (name) => ({ name, meaning: `what ${name} is` });
const language = {
  functions: ["max", "argmax", "maximum", "isnan"].map(word),
  variables: ["iteration", "operand"].map(word),
  fields: ["shape", "size"].map(word),
};
const texts = (typed, isWanted) => completionsOf(typed, language, { isWanted }).options.map(({ text }) => text);

test("words that begin with what is typed come before those that contain it", () => {
  assert.deepEqual(texts("1 + ma"), ["max", "maximum", "argmax"]);
  assert.equal(completionsOf("1 + ma", language).from, 4);
  assert.deepEqual(texts("it"), ["iteration"]);
});

test("nothing is offered before a letter, unless the completions are wanted", () => {
  assert.deepEqual(texts("1 + "), []);
  assert.equal(texts("1 + ", true).length, 6);
});

test("a finished word has no completion", () => {
  assert.deepEqual(texts("isnan"), []);
});

test("after a dot are fields, then functions", () => {
  assert.deepEqual(texts("%x.s"), ["shape", "size", "isnan"]);
  assert.deepEqual(texts("max(%x).s"), ["shape", "size", "isnan"]);
  assert.deepEqual(texts("1."), []);
});

test("values are those that exist at the position, the latest first, by either name", () => {
  store.program.value = new Program({
    language: "stablehlo",
    ops: [
      { id: 0, results: [1], line: 2 },
      { id: 1, results: [2], line: 3 },
      { id: 2, results: [], line: 4 },
    ],
    values: ["%arg0", "%1", "%odd name"].map((name) => ({ name, type: "tensor<f32>" })),
    blocks: [{ id: 0, op: null, function: "main", arguments: [0], ops: [0, 1, 2] }],
    functions: [{ name: "main", block: 0 }],
    argumentNames: { 0: "%params.w" },
  });
  store.outline.value = outlineOf(
    [0, 1, 2].map((op) => [op, 0, 0]),
    [[0, 0xffffffff, 0xffffffff, 0xffffffff]],
  );
  store.position.value = 2;
  assert.deepEqual(texts("%"), ['%"odd name"', "%1", "%params.w"]);
  store.position.value = 1;
  assert.deepEqual(texts("%"), ["%1", "%params.w"]);
  assert.deepEqual(texts("%arg"), ["%params.w"]);
  assert.deepEqual(completionsOf("abs(%w", language), {
    from: 4,
    options: [{ text: "%params.w", detail: "tensor<f32>" }],
  });
});

test("many and long expressions are sent in parts, and what an answer leaves is sent again", async () => {
  const sent = [];
  readFrom({
    isFile: false,
    isWhole: true,
    fetch: async (path) => {
      const texts = new URL(path, "http://localhost").searchParams.getAll("expression");
      sent.push(texts.map((text) => text.length));
      // As if the time of an answer ended after two.
      return Response.json(texts.map((text, at) => (at < 2 ? { kind: "number", text } : null)));
    },
  });
  const texts = ["a", "bb", "ccc", "x".repeat(1000), "y".repeat(1000)];
  const found = await evaluate("key", texts, { process: 0, step: 3 });
  assert.deepEqual(
    found.map(({ text }) => text),
    texts,
  );
  assert.deepEqual(sent, [[1, 2, 3, 1000, 1000], [3, 1000, 1000], [1000]]);
  sent.length = 0;
  await evaluate(
    "key",
    Array.from({ length: 7 }, () => "z".repeat(900)),
    null,
  );
  assert.deepEqual(sent[0], [900, 900, 900, 900]);
});
