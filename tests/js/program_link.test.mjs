/** A program in the fragment of an address: what is packed comes out again, and nothing else is taken for it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isProgramLink, programLink, programOfLink } from "../../static/js/core/program_link.js";

const PROGRAM = {
  text: "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> } // größer",
  name: "a.mlir",
  entry: "main",
  inputs: [{ kind: "normal", seed: 3 }, null],
  grid: { replicas: 2, partitions: 1 },
  place: { step: 4, process: 1, tab: "index", value: 7, path: [], element: [1, 2] },
};

test("a link holds the program, its inputs and the place", async () => {
  const link = await programLink("http://127.0.0.1:8000", PROGRAM);
  assert.ok(isProgramLink(link));
  assert.match(link, /^http:\/\/127\.0\.0\.1:8000\/open#1\.[\w-]+$/);
  assert.deepEqual(await programOfLink(link), PROGRAM);
  assert.deepEqual(await programOfLink(link.slice(link.indexOf("#"))), PROGRAM);
});

test("what was cut or damaged says so", async () => {
  const link = await programLink("http://a", PROGRAM);
  await assert.rejects(programOfLink(link.slice(0, -20)), /damaged/);
  await assert.rejects(programOfLink(`${link}!`), /damaged/);
  await assert.rejects(programOfLink("http://a/open"), /cut/);
  await assert.rejects(programOfLink(link.replace("#1.", "#2.")), /another version/);
});

test("what is no program is refused, and numbers of the place become whole ones", async () => {
  await assert.rejects(programOfLink(await programLink("http://a", /** @type {any} */ ({ text: 3 }))), /no program/);
  const odd = {
    ...PROGRAM,
    place: { step: -2, process: 1.5, tab: 3, value: "x", path: "y", element: [2, "z"] },
    grid: 4,
  };
  const found = await programOfLink(await programLink("http://a", /** @type {any} */ (odd)));
  assert.deepEqual(found.place, { step: 0, process: 0, tab: "3", value: 0, path: [], element: [2, 0] });
  assert.deepEqual(found.grid, { replicas: 1, partitions: 1 });
});

test("a short link that unfolds to a large program is refused", async () => {
  const link = await programLink("http://a", { ...PROGRAM, text: " ".repeat(9 << 20) });
  assert.ok(link.length < 20_000);
  await assert.rejects(programOfLink(link), /larger than 8,388,608 bytes/);
});

test("other texts are no links", () => {
  for (const text of [
    "",
    "func.func",
    "http://a/open",
    "http://a/open#",
    "http://a/s/x#1.abc",
    "see http://a/open#1.a b",
  ])
    assert.ok(!isProgramLink(text), text);
});
