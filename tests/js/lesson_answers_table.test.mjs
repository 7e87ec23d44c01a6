/** The page judges answers as Python does: both read one table. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { judge } from "../../static/js/features/lesson/answers.js";

const table = JSON.parse(readFileSync(new URL("../data/lesson_answers.json", import.meta.url), "utf8"));
const NOTHING = { number_kind: null, digits: null, cells: null, options: [], wrong: [] };

test("what is typed is right, wrong or no answer", () => {
  for (const { right, wrong, none, ...ask } of table) {
    const judged = (/** @type {string} */ text) => judge({ ...NOTHING, ...ask }, text);
    for (const text of right) assert.equal(judged(text).right, true, `${ask.truth}: ${text}`);
    for (const text of wrong) assert.equal(judged(text).right, false, `${ask.truth}: ${text}`);
    for (const text of none) assert.ok(judged(text).problem, `${ask.truth}: ${text}`);
  }
});
