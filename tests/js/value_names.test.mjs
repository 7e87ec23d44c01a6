/** What arguments are called where the program says it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Program } from "../../static/js/core/run/program.js";
import { asShown, inShownNames, shownName, shownNamesByFunction } from "../../static/js/core/run/value_names.js";

/** @param {string[]} names of arguments @param {Record<string, string>} argumentNames @param {"stablehlo"|"hlo"} [language] */
function programOf(names, argumentNames, language = "stablehlo") {
  const values = names.map((name, id) => ({
    id,
    name,
    type: "tensor<f32>",
    layout: "",
    elements: null,
    shape: [],
    elementType: "f32",
  }));
  const blocks = [{ id: 0, function: "main", opener: null, region: 0, arguments: values.map(({ id }) => id), ops: [] }];
  const functions = [{ name: "main", block: 0, line: 1, from: 0, to: 99 }];
  return new Program({ language, ops: [], values, blocks, functions, parameters: {}, argumentNames, lines: {} });
}

test("an argument has the name for readers, and holds it in its function", () => {
  const program = programOf(["%arg0", "%queries"], { 0: "%x" });
  assert.deepEqual(
    [0, 1].map((value) => shownName(program, value)),
    ["%x", "%queries"],
  );
  assert.deepEqual(shownNamesByFunction(program), [{ from: 0, to: 99, names: new Map([["%arg0", "%x"]]) }]);
});

test("in HLO text a name stands with and without its sign", () => {
  const [found] = shownNamesByFunction(programOf(["%Arg_0.1"], { 0: "%params.w" }, "hlo"));
  assert.deepEqual(
    found?.names,
    new Map([
      ["%Arg_0.1", "%params.w"],
      ["Arg_0.1", "params.w"],
    ]),
  );
});

test("a sentence of the engine names arguments as the page does", () => {
  const program = programOf(["%arg0", "%arg1", "%arg10"], { 0: "%params.w" });
  const sentence = "first NaN: line 3, log, where %arg0 is negative and %arg10 is not. %arg0.";
  assert.equal(
    inShownNames(program, sentence, "main"),
    "first NaN: line 3, log, where %params.w is negative and %arg10 is not. %params.w.",
  );
  assert.equal(inShownNames(program, sentence, "other"), sentence, "the names of another function");
});

test("an answer of the server names arguments as the page does", () => {
  const program = programOf(["%p__w__.1", "%p__w__.2"], { 0: "%p.w" }, "hlo");
  const answer = {
    buffers: [
      { value: 0, name: "%p__w__.1#1", bytes: 4 },
      { value: 1, name: "%p__w__.2" },
    ],
    others: null,
  };
  assert.deepEqual(asShown(program, answer), {
    buffers: [
      { value: 0, name: "%p.w#1", bytes: 4 },
      { value: 1, name: "%p__w__.2" },
    ],
    others: null,
  });
  assert.equal(asShown(programOf(["%x"], {}), answer), answer);
});
