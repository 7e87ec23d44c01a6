import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { familyProblem } from "../../static/js/core/run/op_names.js";

test("a family without a mark is reported", () => {
  assert.equal(familyProblem([{ name: "stablehlo.add", family: "elementwise" }]), null);
  const unknown = /** @type {any} */ ({ name: "stablehlo.add", family: "sums" });
  assert.match(familyProblem([unknown]) ?? "", /family “sums” of stablehlo.add/);
});

test("the families are those of the engine, and each has a colour", () => {
  const read = (/** @type {string} */ path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const category = /^Category = Literal\[(.*)\]$/m.exec(read("engine/ops/core/facets/traits.py"))?.[1] ?? "";
  const families = [...category.matchAll(/"(\w+)"/g)].map(([, name]) => name ?? "");
  assert.ok(families.length > 0);
  const styles = read("static/css/tokens.css");
  for (const family of families) {
    assert.equal(familyProblem([/** @type {any} */ ({ name: "an op", family })]), null);
    assert.ok(styles.includes(`--family-${family}:`), family);
  }
});
