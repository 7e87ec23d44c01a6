import assert from "node:assert/strict";
import test from "node:test";
import { cutName, cutNamesIn } from "../../static/js/ui/long_name.js";

test("short names stay as they are", () => {
  assert.equal(cutName("%0"), "%0");
  assert.equal(cutName("x".repeat(40)), "x".repeat(40));
});

test("of long names the end stays, which tells them apart", () => {
  const names = [1, 2].map((number) => `%loop_multiply_reduce_fusion.${"clone.".repeat(30)}remat${number}`);
  const [first, second] = names.map((name) => cutName(name));
  assert.notEqual(first, second);
  assert.equal(first?.length, 40);
  assert.ok(first?.startsWith("%loop_multip"));
  assert.ok(first?.endsWith("clone.remat1"));
});

test("in a formula each name is cut, and nothing else", () => {
  const name = `%${"a".repeat(60)}.end7`;
  assert.equal(cutNamesIn(`${name}[d0, 1] = %1[d0 + 2, 3]`), `${cutName(name)}[d0, 1] = %1[d0 + 2, 3]`);
});

test("no character is cut in two", () => {
  assert.ok(cutName("😀".repeat(100)).isWellFormed());
});
