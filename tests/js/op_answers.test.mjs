/** What counts as an answer to the question of an op's page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verdict } from "../../static/js/features/reference/answers.js";

/** @param {string} kind @param {string} truth @param {number|null} [digits] */
const asked = (kind, truth, digits = null) => ({ kind, truth, digits, text: "", options: [] });

/** @param {object} question @param {Record<string, string>} verdicts by what is typed */
function judges(question, verdicts) {
  for (const [text, wanted] of Object.entries(verdicts))
    assert.equal(verdict(/** @type {any} */ (question), text), wanted, `${question.truth}: ${text}`);
}

test("an index is read with brackets, spaces or a name before it", () => {
  const verdicts = { "1, 0": "right", "[1,0]": "right", "(1 0)": "right", "%operand[1, 0]": "right", "0, 1": "wrong" };
  judges(asked("index", "1, 0"), {
    ...verdicts,
    1: "wrong",
    one: "unreadable",
    "": "unreadable",
    "[1,0": "unreadable",
  });
});

test("a shape is read as MLIR, Python and people write it", () => {
  const verdicts = { "3x4": "right", "3 × 4": "right", "(3, 4)": "right", "[3,4]": "right", "4x3": "wrong" };
  judges(asked("shape", "3x4"), { ...verdicts, 12: "wrong", "3x": "unreadable" });
  judges(asked("shape", "5"), { 5: "right", "(5,)": "right", "5x1": "wrong" });
});

test("integers are compared exactly, floats by their digits", () => {
  judges(asked("number", "18446744073709551615"), {
    "18446744073709551614": "wrong",
    "18,446,744,073,709,551,615": "right",
  });
  judges(asked("number", "0.6666667", 3), { 0.667: "right", 0.66: "wrong", ".6667": "right", "2/3": "unreadable" });
  judges(asked("number", "10"), { "1,0": "unreadable", "1,00": "unreadable" });
  judges(asked("number", "1234.5"), { "1,234.5": "right", "1234,5": "unreadable", "1.234,5": "unreadable" });
  judges(asked("number", "7"), { "7.0": "right", "+7": "right", 7.01: "wrong" });
});

test("what is not a number is told by its name", () => {
  judges(asked("number", "NaN", 3), { nan: "right", NaN: "right", 0: "wrong", inf: "wrong" });
  judges(asked("number", "-Inf", 3), {
    "-inf": "right",
    "-Infinity": "right",
    "-∞": "right",
    Inf: "wrong",
    x: "unreadable",
  });
});
