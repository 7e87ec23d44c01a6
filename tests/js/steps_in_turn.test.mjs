/** Steps asked for faster than the server answers: none is lost. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import * as actions from "../../static/js/core/actions.js";
import { currentSentence } from "../../static/js/core/run/stop_reasons.js";
import { openSession, receive } from "../../static/js/core/session.js";
import { readFrom, source } from "../../static/js/core/source.js";
import * as store from "../../static/js/core/store.js";
import { Outline } from "../../static/js/core/run/outline.js";

globalThis.location = { search: "" };

const STEPS = 9;
const BYTES = {
  outline: Buffer.concat(
    [new Uint32Array(STEPS).map((_, step) => step), new Uint32Array(STEPS), new Uint16Array(STEPS)].map(({ buffer }) =>
      Buffer.from(buffer),
    ),
  ),
  frames: Buffer.from(new Uint32Array([0, 0xffffffff, 0xffffffff, 0xffffffff]).buffer),
};

/** What the server was asked for and has not answered yet. */
const asked = [];
let fetchBefore;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Until nothing happens any more. */
async function answerAll() {
  for (let quiet = 0; quiet < 50; quiet++) {
    if (asked.length > 0) quiet = 0;
    for (const answer of asked.splice(0)) answer();
    await turn();
  }
}

/** A run of nine ops one after another: so much is known of it, but none of its steps is here. */
beforeEach(() => {
  fetchBefore = globalThis.fetch;
  globalThis.fetch = (path) =>
    new Promise((resolve) => {
      const bytes = BYTES[/\/(\w+)\?/.exec(path)[1]];
      asked.push(() => resolve(new Response(new Uint8Array(bytes))));
    });
  store.outline.value = Object.assign(new Outline(), { steps: STEPS, frames: 1, done: true, complete: true });
  store.run.value = { key: "k" };
  const ops = Array.from({ length: STEPS }, (_, line) => ({ name: "op", line, results: [], operands: [] }));
  store.program.value = { op: (number) => ops[number], opsAt: (lines) => new Set(lines), breakpointLine: () => null };
  store.position.value = 0;
  store.breakpoints.value = [];
  store.consoleLines.value = [];
});

afterEach(() => {
  globalThis.fetch = fetchBefore;
});

test("each key begins where the one before ends", async () => {
  for (let times = 0; times < 3; times++) actions.stepOver();
  actions.stepInto();
  assert.equal(store.position.value, 0);
  await answerAll();
  assert.equal(store.position.value, 4);
  actions.stepBack();
  assert.equal(store.position.value, 3);
});

test("from breakpoint to breakpoint", async () => {
  store.breakpoints.value = [2, 5].map((at) => ({ kind: "line", at }));
  actions.continueRun();
  actions.continueRun();
  await answerAll();
  assert.equal(store.position.value, 5);
});

test("a breakpoint is the reason of those stops alone that it caused", async () => {
  const at = (line) => ({ kind: "line", at: line });
  const reason = () => currentSentence.value;
  actions.stepOver();
  await answerAll();
  actions.restart();
  store.breakpoints.value = [at(0)];
  assert.equal(reason(), "Start of the run. Current op: line 0.");
  actions.stepOver();
  await answerAll();
  store.breakpoints.value = [at(0), at(1), at(4)];
  assert.equal(reason(), "Stepped over. Current op: line 1, previous op: line 0.");
  actions.continueRun();
  assert.equal(reason(), "Stopped at the breakpoint on line 4.");
  actions.goTo(1);
  assert.equal(reason(), "Went to step 1, line 1.");
  actions.reverseContinue();
  assert.equal(reason(), "Stopped at the breakpoint on line 0.");
  actions.reverseContinue();
  assert.equal(reason(), "Start of the run. Current op: line 0.");
});

test("who goes elsewhere meanwhile is there", async () => {
  actions.stepOver();
  actions.stepOver();
  actions.restart();
  await answerAll();
  assert.equal(store.position.value, 0);
});

test("nothing goes on where a step could not be fetched", async () => {
  globalThis.fetch = () => Promise.reject(new TypeError("no line"));
  actions.stepOver();
  actions.stepOver();
  await answerAll();
  assert.equal(store.position.value, 0);
  assert.deepEqual(
    store.consoleLines.value.map(({ text }) => text),
    ["The server cannot be reached."],
  );
});

/** Go past the first five steps, which are recorded; then the others come. @param {"paused"|"recording"} kind of the recording before @returns {Promise<string[]>} what the page sent */
async function sentWhileWaiting(kind) {
  const sent = [];
  const [before, state] = [source(), (word) => ({ kind: word, reason: "", diagnostic: null })];
  const line = { send: ({ type }) => sent.push(type), close: () => {} };
  readFrom({ ...before, follow: () => line, fetch: () => Promise.reject(new TypeError("no session")) });
  await openSession("s").catch(() => {});
  readFrom(before);
  Object.assign(store.outline.value, { steps: 5, done: false, complete: false });
  store.recordingState.value = state(kind);
  store.position.value = 4;
  for (let times = 0; times < 3; times++) actions.stepOver();
  await answerAll();
  const news = { key: "k", steps: STEPS, frames: 1, prints: 0 };
  receive({ type: "state", ...news, state: state("recording") });
  await answerAll();
  assert.equal(store.position.value, 7);
  return sent;
}

test("a step that waits pauses a recording that it requested, and no other", async () => {
  assert.deepEqual(await sentWhileWaiting("paused"), ["record", "pause"]);
  assert.deepEqual(await sentWhileWaiting("recording"), []);
});
