import assert from "node:assert/strict";
import test from "node:test";
import { cutName, cutNames, cutNamesIn } from "../../static/js/ui/long_name.js";

test("short names stay as they are", () => {
  assert.equal(cutName("%0"), "%0");
  assert.equal(cutName("x".repeat(40)), "x".repeat(40));
});

test("of long names the end stays, which tells them apart", () => {
  const names = [1, 2].map((number) => `%loop_multiply_reduce_fusion.${"clone.".repeat(30)}remat${number}`);
  const [first, second] = names.map((name) => cutName(name));
  assert.notEqual(first, second);
  assert.ok((first ?? "").length <= 40);
  assert.ok(first?.startsWith("%loop…"));
  assert.ok(first?.endsWith("clone.remat1"));
});

test("in a formula each name is cut, and nothing else", () => {
  const name = `%${"a".repeat(60)}.end7`;
  assert.equal(cutNamesIn(`${name}[d0, 1] = %1[d0 + 2, 3]`), `${cutName(name)}[d0, 1] = %1[d0 + 2, 3]`);
});

test("no character is cut in two", () => {
  assert.ok(cutName("😀".repeat(100)).isWellFormed());
});

test("a short name is whole", () => {
  assert.equal(cutName("%ynn_fusion.20", 14), "%ynn_fusion.20");
  assert.equal(cutName("%arg3", 12), "%arg3");
});

test("a long name keeps its beginning and its end", () => {
  assert.equal(cutName("%params.h.11.attn.wqkv", 16), "%params…wqkv");
  assert.equal(cutName("%params.layers.11.wqkv", 16), "%params…11.wqkv");
  assert.equal(cutName("%broadcast_multiply_fusion.20", 16), "%broadcast…20");
  assert.equal(cutName("%ynn_fusion.20", 12), "%ynn…20");
  assert.equal(cutName("%averylongnamewithoutanyparts", 13), "%ave…anyparts");
});

test("no name is longer than what there is room for", () => {
  const names = ["%params.h.11.attn.wqkv", "%a_b_c_d_e_f_g_h_i_j", "%x".repeat(20), "%𝒙𝒚𝒛".repeat(9), "%a..b__c--d.ee"];
  for (const name of names)
    for (let most = 5; most < 40; most++)
      assert.ok(Array.from(cutName(name, most)).length <= most, `${name} in ${most}`);
});

test("names beside each other do not look the same", () => {
  const names = Array.from({ length: 12 }, (_, layer) =>
    ["wqkv", "bias"].map((part) => `%params.h.${layer}.attention.${part}`),
  ).flat();
  const shown = cutNames(names, 16);
  assert.equal(new Set(shown.values()).size, names.length);
  assert.equal(shown.get("%params.h.11.attention.wqkv"), "%params…11…wqkv");
  for (const text of shown.values()) assert.ok(text.length <= 16, text);
  assert.deepEqual(
    [...cutNames(["%a", "%a", "%b"], 5)],
    [
      ["%a", "%a"],
      ["%b", "%b"],
    ],
  );
  const fusions = cutNames(["%ynn_fusion.20", "%ynn_fusion.2", "%ynn_fusion"], 10);
  assert.equal(new Set(fusions.values()).size, 3);
});

test("names in a sentence are cut, words are not", () => {
  const name = `%${"layer.".repeat(9)}weights`;
  assert.equal(cutNamesIn(`the value ${name} is all 0`), "the value %layer…layer.layer.layer.layer.weights is all 0");
});
