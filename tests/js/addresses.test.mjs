import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  argumentAddress,
  elementAddress,
  isWithin,
  parseAddress,
  resultAddress,
  tupleAddress,
} from "../../static/js/core/addresses.js";

test("an address is read as it is written", () => {
  assert.deepEqual(parseAddress(resultAddress(3, 12, 1)), { process: 3, step: 12, frame: null, index: 1, path: [] });
  assert.deepEqual(parseAddress(argumentAddress(0, 4, 2)), { process: 0, step: null, frame: 4, index: 2, path: [] });
});

test("an element of a tuple has the address of the tuple and the path to it", () => {
  const address = elementAddress("0.s5.1", [2, 0]);
  assert.equal(address, "0.s5.1.2.0");
  assert.deepEqual(parseAddress(address).path, [2, 0]);
  assert.equal(tupleAddress(address, [2, 0]), "0.s5.1");
  assert.equal(tupleAddress("0.s5.1", []), "0.s5.1");
});

test("an element lies within its tuple, and a value whose number begins alike does not", () => {
  assert.ok(isWithin("0.s5.1.2", "0.s5.1"));
  assert.ok(isWithin("0.s5.1", "0.s5.1"));
  assert.ok(!isWithin("0.s5.12", "0.s5.1"));
});

/** What writes or takes apart an address. */
const BY_HAND =
  /\.[sf]\$\{|\.split\("\."\)|\\\.\[?s[fs]*\]?\(?\\d|startsWith\(`\$\{[^}]*\}\.`\)|["'`]\d+\.[sf]\d+\.\d+["'`]/;

test("no other module writes addresses or takes them apart", () => {
  const root = fileURLToPath(new URL("../../static/js/", import.meta.url));
  const modules = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".js"));
  assert.ok(modules.includes(join("core", "addresses.js")));
  const found = modules
    .filter((name) => name !== join("core", "addresses.js"))
    .filter((name) => BY_HAND.test(readFileSync(join(root, name), "utf8").replace(/^ ?\*.*$/gm, "")));
  assert.deepEqual(found, []);
});

test("addresses that are written by hand are found", () => {
  for (const text of [
    "`${process}.s${step}.0`",
    'address.split(".")',
    "/^\\d+\\.s(\\d+)/",
    '"0.s12.0"',
    "startsWith(`${a}.`)",
  ]) {
    assert.match(text, BY_HAND, text);
  }
});
