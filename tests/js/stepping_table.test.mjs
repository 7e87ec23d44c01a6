/** The browser's stepping on the table that the engine's own stepping is tested with (tests/debugger). */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { NONE } from "../../static/js/core/run/outline.js";
import * as stepping from "../../static/js/core/run/stepping.js";
import { outlineOf } from "./outlines.mjs";

const table = JSON.parse(readFileSync(new URL("../debugger/stepping_cases.json", import.meta.url), "utf8"));
const MOVES = { into: "into", over: "over", out: "out", back: "back", back_over: "backOver" };
const SEARCHES = { continue_to: "continueTo", reverse_continue: "reverseContinue" };

/** The line stands for the op; a frame begins wherever it gets deeper. */
function tableOutline() {
  const frames = [[0, NONE, NONE, 0]];
  const open = [0];
  const steps = table.depth.map((depth, step) => {
    open.length = Math.min(open.length, depth + 1);
    if (open.length === depth) open.push(frames.push([0, open.at(-1), step - 1, 0]) - 1);
    return [table.line[step], open.at(-1), depth];
  });
  return outlineOf(steps, frames);
}

const outline = tableOutline();

for (const { move, from, to } of table.moves) {
  test(`${move} from ${from}`, () => assert.equal(stepping[MOVES[move]](outline, from), to));
}
for (const { move, from, lines, to } of table.breakpoint_moves) {
  test(`${move} ${lines} from ${from}`, () =>
    assert.equal(stepping[SEARCHES[move]](outline, from, new Set(lines)), to));
}
