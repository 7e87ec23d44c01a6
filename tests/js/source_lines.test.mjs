/** Lines of the user's own source: read from locations, stepped over, grouped. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsByLine, opsOfFile, overSourceLine, sourceLine } from "../../static/js/core/run/source_lines.js";
import { Outline } from "../../static/js/core/run/outline.js";

test("a place is a file, a line and a column", () => {
  assert.deepEqual(sourceLine("/a b/gen.py:29:38"), { file: "/a b/gen.py", line: 29, column: 38 });
  assert.deepEqual(sourceLine("C:\\x.py:1:2"), { file: "C:\\x.py", line: 1, column: 2 });
  assert.equal(sourceLine(null), null);
});

const LOCATIONS = ["a.py:1:0", "a.py:1:9", null, "a.py:2:0", "b.py:2:0", "a.py:1:4"];
const PROGRAM = /** @type {import("../../static/js/core/run/program.js").Program} */ (
  /** @type {unknown} */ ({
    ops: LOCATIONS.map((location, id) => ({ id, line: 10 + id, location })),
    op: (/** @type {number} */ id) => ({ location: LOCATIONS[id] }),
  })
);

test("one steps over all that comes from a line", () => {
  const outline = new Outline();
  const numbers = Uint32Array.from(LOCATIONS.keys());
  outline.stepChunks[0] = { count: 6, op: numbers, frame: new Uint32Array(6), depth: new Uint16Array(6) };
  Object.assign(outline, { steps: 6, done: true, complete: true });
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((at) => overSourceLine(outline, PROGRAM, at)),
    [3, 3, 3, 4, 5, 6],
  );
});

test("lines of the program go together by their line of source", () => {
  assert.deepEqual(
    [...groupsByLine(PROGRAM)],
    [
      [10, 0],
      [11, 0],
      [13, 1],
      [14, 2],
      [15, 0],
    ],
  );
  assert.deepEqual(
    [...opsOfFile(PROGRAM, "a.py")],
    [
      [1, [0, 1, 5]],
      [2, [3]],
    ],
  );
});
