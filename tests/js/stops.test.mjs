/** The next and the previous stop, from ops and from lists that the server has computed so far. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hide } from "../../static/js/core/hidden_values.js";
import { Outline } from "../../static/js/core/run/outline.js";
import { StopList } from "../../static/js/core/run/stop_lists.js";
import { describeStop } from "../../static/js/core/run/stop_reasons.js";
import { MissingStops, nextStop, previousStop, whyOff } from "../../static/js/core/run/stops.js";

/** @param {number[]} ops */
function outlineOf(ops) {
  const outline = new Outline();
  const columns = [new Uint32Array(ops), new Uint32Array(ops.length), new Uint16Array(ops.length)];
  const bytes = Buffer.concat(columns.map(({ buffer }) => Buffer.from(buffer)));
  outline.addSteps(0, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  outline.done = outline.complete = true;
  return outline;
}

/** @param {number[]} steps @param {number} seen */
const listOf = (steps, seen) => Object.assign(new StopList(() => "/stops", 0), { steps, seen });

const outline = outlineOf(Array.from({ length: 100 }, (_, step) => step % 10));

test("backwards are the same stops as forwards", () => {
  for (const steps of [[], [3], [0, 15, 16, 99], [20, 55]]) {
    const stops = { ops: new Set([5]), lists: [listOf(steps, 100), listOf([15, 44], 100)] };
    const [forwards, backwards] = [[], []];
    for (let at = 0; (at = nextStop(stops, outline, at)) < 100;) forwards.push(at);
    for (let at = 100; (at = previousStop(stops, outline, at)) > 0;) backwards.push(at);
    assert.deepEqual(backwards.reverse(), forwards);
    assert.deepEqual(
      forwards,
      [...new Set([...steps, 15, 44, 5, 25, 35, 45, 55, 65, 75, 85, 95])].filter(Boolean).sort((a, b) => a - b),
    );
  }
});

test("a list is needed up to the first stop alone", () => {
  const [early, late] = [listOf([], 10), listOf([40], 60)];
  assert.equal(nextStop({ ops: new Set([5]), lists: [early] }, outline, 0), 5);
  assert.throws(() => nextStop({ ops: new Set([5]), lists: [early] }, outline, 5), MissingStops);
  assert.equal(nextStop({ ops: new Set(), lists: [late] }, outline, 0), 40);
  assert.throws(() => nextStop({ ops: new Set(), lists: [late] }, outline, 40), MissingStops);
  assert.throws(() => previousStop({ ops: new Set([5]), lists: [early] }, outline, 50), MissingStops);
  assert.equal(previousStop({ ops: new Set([5]), lists: [early] }, outline, 8), 5);
});

test("a stop that needs a result waits for more recording", () => {
  const growing = outlineOf([0, 1, 2, 3]);
  growing.done = growing.complete = false;
  const list = listOf([], 2);
  list.stalledAt = 4;
  assert.equal(nextStop({ ops: new Set(), lists: [list] }, growing, 0), null);
  growing.complete = true;
  assert.throws(() => nextStop({ ops: new Set(), lists: [list] }, growing, 0), MissingStops);
});

test("a stop does not name an op that is not here yet", () => {
  assert.equal(describeStop("restart", 0, null).sentence, "Start of the run.");
  assert.equal(describeStop("over", 4, null).sentence, "Stepped over.");
});

test("an invalid condition stops nowhere", () => {
  const list = listOf([], 0);
  list.problem = { part: "condition", message: "", hint: null, start: 0, end: 0 };
  assert.equal(nextStop({ ops: new Set([7]), lists: [list] }, outline, 0), 7);
});

test("while a lesson asks, nothing tells a value", () => {
  const line = { kind: "line", at: 3 };
  const telling = [
    { ...line, condition: "%x > 1" },
    { ...line, log: "{%x}" },
    { kind: "finding", at: "nan" },
    { kind: "value", at: "%x", condition: "value > 1" },
  ];
  const silent = [line, { ...line, hits: "3" }, { kind: "value", at: "%x" }, { kind: "op", at: "stablehlo.add" }];
  hide({ values: ["key 0.s1.0"] });
  for (const point of telling) assert.match(whyOff(point), /Off while the lesson asks/);
  for (const point of silent) assert.equal(whyOff(point), "");
  hide({});
  for (const point of [...telling, ...silent]) assert.equal(whyOff(point), "");
});
