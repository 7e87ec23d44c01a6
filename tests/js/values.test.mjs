/** Which execution a name means at a position. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { latestFirst, localsAt, placeInTable } from "../../static/js/core/run/locals.js";
import { Program } from "../../static/js/core/run/program.js";
import { addressOf, framesAround, lastRuns, previousInFrame, stepOf } from "../../static/js/core/run/values.js";
import { loop, outlineOf } from "./outlines.mjs";

const op = (id, block, line, operands, results, regions = [], from = 10 * id, to = from + 9) => ({
  id,
  name: `test.op${id}`,
  block,
  line,
  column: 1,
  from,
  to,
  endLine: line,
  operands,
  results,
  regions,
  location: null,
  summary: "",
});

/** The program of `loop`: values 0 = op 0, 1 = op 1, 2 = condition's argument, 3 = op 2, 4 = body's, 5 = op 4, 6 = @f's, 7 = op 7. */
const program = new Program({
  ops: [
    op(0, 0, 1, [], [0]),
    op(1, 0, 2, [0], [1], [1, 2], 10, 59),
    op(2, 1, 3, [2], [3]),
    op(3, 1, 4, [3], []),
    op(4, 2, 5, [4], [5]),
    op(5, 2, 6, [5], []),
    op(6, 0, 7, [1], []),
    op(7, 3, 9, [6], [7]),
    op(8, 3, 10, [7], []),
  ],
  values: ["%0", "%1", "%a", "%c", "%a", "%r", "%x", "%0"].map((name, id) => ({
    id,
    name,
    type: "tensor<f32>",
    shape: [],
    elementType: "f32",
  })),
  blocks: [
    { id: 0, function: "main", opener: null, region: 0, arguments: [], ops: [0, 1, 6] },
    { id: 1, function: "main", opener: 1, region: 0, arguments: [2], ops: [2, 3] },
    { id: 2, function: "main", opener: 1, region: 1, arguments: [4], ops: [4, 5] },
    { id: 3, function: "f", opener: null, region: 0, arguments: [6], ops: [7, 8] },
  ],
  functions: [
    { name: "main", block: 0, line: 1 },
    { name: "f", block: 3, line: 8 },
  ],
});

const { steps, frames } = loop(3);
const outline = outlineOf(steps, frames);
test("a loop has results where a later op of its block fails, and none where an op in it fails", () => {
  const failed = (count) => outlineOf(steps.slice(0, count), frames, { done: false, complete: true });
  const { length } = steps;
  assert.equal(addressOf(failed(length), program, length - 1, 1), "0.s1.0");
  assert.equal(addressOf(failed(length - 1), program, length - 2, 1), null);
});

const adds = steps.flatMap(([number], step) => (number === 7 ? [step] : []));

test("frames around a position, the innermost first", () => {
  assert.deepEqual(framesAround(outline, 0), [0]);
  assert.deepEqual(framesAround(outline, adds[1]), [6, 5, 0]);
});

test("a frame's own steps, passing over what they opened", () => {
  assert.equal(previousInFrame(outline, steps.length - 1, 0), 1);
  assert.equal(previousInFrame(outline, 1, 0), 0);
  assert.equal(previousInFrame(outline, 0, 0), null);
  assert.equal(previousInFrame(outline, adds[0] + 2, 2), adds[0] - 1);
  assert.equal(stepOf(outline, steps.length, 0, 0), 0);
});

test("names resolve in the frame of the position and those around it", () => {
  const at = adds[1];
  assert.equal(addressOf(outline, program, at, 6), "0.f6.0", "the callee's argument");
  assert.equal(addressOf(outline, program, at, 7), `0.s${at}.0`, "the current op's own result");
  assert.equal(addressOf(outline, program, at, 4), "0.f5.0", "the argument of this iteration");
  assert.equal(addressOf(outline, program, at, 0), "0.s0.0", "a value of the function around");
  assert.equal(addressOf(outline, program, at, 3), null, "the condition's frame is over");
});

test("a value is not there before its op has run", () => {
  assert.equal(addressOf(outline, program, 0, 1), null);
  assert.equal(addressOf(outline, program, adds[0] - 1, 7), null);
  assert.equal(addressOf(outline, program, steps.length, 1), "0.s1.0");
});

test("an op that opened frames has its result only when they are recorded to their end", () => {
  const part = outlineOf(steps.slice(0, 9), frames, { done: false });
  assert.equal(addressOf(part, program, 1, 1), null);
  assert.equal(addressOf(outline, program, 1, 1), "0.s1.0");
});

test("last runs: of this iteration where there is one, else of the one before", () => {
  const runs = lastRuns(outline, program, adds[1] + 2, [0, 1, 2, 4, 7]);
  assert.deepEqual(runs.get(0), { step: 0, when: "now", open: false });
  assert.equal(runs.get(1)?.open, true, "the loop is still running");
  assert.equal(runs.get(2)?.when, "earlier");
  assert.deepEqual(runs.get(7), { step: adds[1], when: "earlier", open: false });
  assert.deepEqual(runs.get(4), { step: adds[1] - 1, when: "now", open: false });
  const begin = lastRuns(outline, program, adds[1] - 1, [4, 5]);
  assert.equal(begin.get(5), undefined, "not yet in this iteration, though in the one before");
});

test("breakpoints snap to the next line where an op starts", () => {
  assert.equal(program.snap(8), 9);
  assert.equal(program.snap(11), null);
  assert.deepEqual([...program.opsAt([8, 2])].sort(), [1, 7]);
});

test("a name is looked up where it stands", () => {
  assert.equal(program.valueNamed("%0", 72), 7, "in @f");
  assert.equal(program.valueNamed("%0", 45), 0, "in the loop's body, from the function around");
  assert.equal(program.valueNamed("%a", 43), 4);
  assert.equal(program.valueNamed("%nothing", 43), null);
});

test("what a frame knows agrees with walking back through its steps", () => {
  const { steps, frames } = loop(2);
  const outline = outlineOf(steps, frames);
  for (let position = 0; position <= steps.length; position++) {
    const frame = framesAround(outline, position)[0] ?? 0;
    const walked = [];
    for (let at = previousInFrame(outline, position, frame); at !== null; at = previousInFrame(outline, at, frame))
      walked.push(...program.op(outline.op(at)).results);
    walked.push(...program.block(outline.block(frame)).arguments);
    const locals = localsAt(outline, program, position);
    const place = (value) => placeInTable(program, value);
    for (const left of [[], walked.slice(0, 1), walked.slice(-1), walked]) {
      const list = latestFirst(locals, null, left, place);
      const rest = walked.filter((value) => !left.includes(value));
      assert.deepEqual(
        Array.from({ length: list.count }, (_, row) => list.at(row)),
        rest,
        `${position}`,
      );
      rest.forEach((value, row) => assert.equal(list.rowOf(place(value)), row));
    }
    const chosen = Uint32Array.from(walked.filter((value) => value % 2 === 0).map(place)).sort();
    const even = latestFirst(locals, chosen, walked.slice(0, 1), place);
    const rest = walked.filter((value) => value % 2 === 0 && value !== walked[0]);
    assert.deepEqual(
      Array.from({ length: even.count }, (_, row) => even.at(row)),
      rest,
    );
  }
});
