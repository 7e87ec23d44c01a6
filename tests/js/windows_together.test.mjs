/** Several windows in one answer, as the server packs them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readWindows, windowName } from "../../static/js/core/api.js";

/** A window of f32 elements, as the server answers it alone. */
function windowOf(numbers) {
  const header = new TextEncoder().encode(
    JSON.stringify({ height: 1, width: numbers.length, planes: ["value"], wire: { dtype: "f32", components: 1 } }),
  );
  const start = Math.ceil((4 + header.length) / 8) * 8;
  const bytes = new Uint8Array(start + 4 * numbers.length);
  new DataView(bytes.buffer).setUint32(0, header.length, true);
  bytes.set(header, 4);
  bytes.set(new Uint8Array(Float32Array.from(numbers).buffer), start);
  return bytes;
}

/** Each behind its length, with zeros up to a multiple of 8. */
function packed(windows) {
  const parts = windows.flatMap((bytes) => {
    const length = new Uint8Array(8);
    new DataView(length.buffer).setBigUint64(0, BigInt(bytes.length), true);
    return [...length, ...bytes, ...new Uint8Array(Math.ceil(bytes.length / 8) * 8 - bytes.length)];
  });
  return Uint8Array.from(parts).buffer;
}

test("windows come in the order of their names, and one that is not there is left out", () => {
  const bytes = packed([windowOf([1, 2, 3]), new Uint8Array(0), windowOf([4])]);
  const found = readWindows(bytes, ["a", "b", "c"]);
  assert.deepEqual(Object.keys(found), ["a", "c"]);
  assert.deepEqual([...found.a.planes.value], [1, 2, 3]);
  assert.deepEqual([...found.c.planes.value], [4]);
});

test("the name of a window says all that the server is asked", () => {
  const view = { rows: 1, columns: 2, at: [0, 0, 0], from: [0, 32], size: [64, 16], level: 3 };
  assert.equal(windowName("0.s4.1", view), "0.s4.1;1;2;0,0,0;0,32;64,16;3");
});
