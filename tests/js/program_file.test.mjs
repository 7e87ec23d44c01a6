// Which files the server reads, and what is asked of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isForServer, query } from "../../static/js/features/home/program_file.js";

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

test("text is opened in the page, also where its beginning ends within a character", () => {
  assert.equal(isForServer(bytes("module {}")), false);
  assert.equal(isForServer(bytes("// über").slice(0, 4)), false);
  assert.equal(isForServer(bytes("")), false);
});

test("what is packed or no text is for the server", () => {
  assert.equal(isForServer(Uint8Array.of(0x1f, 0x8b, 8, 0)), true);
  assert.equal(isForServer(Uint8Array.of(0x4d, 0x4c, 0xef, 0x52)), true);
  assert.equal(isForServer(bytes("jit\0f")), true);
});

test("chosen sizes and the platform are said in the address", () => {
  assert.equal(query(), "");
  assert.equal(query({ sizes: { b: 8, k: 3 }, platform: "tpu" }), "?size=b%3D8&size=k%3D3&platform=tpu");
  assert.equal(query({ sizes: {}, platform: "cpu" }), "?platform=cpu");
});
