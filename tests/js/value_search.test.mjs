/** A search over values: what is found is there while it goes on, and it can be stopped and gone on with. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as store from "../../static/js/core/store.js";
import { progressText, ValueSearch } from "../../static/js/core/search/value_search.js";

const STEPS = 9;
/** What the server was asked, and who waits for its answer. */
const asked = [];
globalThis.fetch = (path) =>
  new Promise((resolve) => {
    const from = Number(new URL(path, "http://x").searchParams.get("from"));
    const next = from + 4 <= STEPS ? from + 4 : null;
    const body = { hits: [{ address: `0.s${from}.0`, count: 1 }], next, looked: (next ?? STEPS + 1) - from };
    asked.push({ from, answer: () => resolve({ ok: true, json: async () => body }) });
  });
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

async function answerNext() {
  asked.shift().answer();
  await settled();
}

store.run.value = { key: "k" };
store.steps.value = STEPS;

test("hits come one answer after the other, and then it is done", async () => {
  const search = new ValueSearch();
  void search.start({ find: "nan" });
  await settled();
  const seen = [];
  while (asked.length > 0) {
    seen.push(search.hits.value.length);
    await answerNext();
  }
  assert.deepEqual(seen, [0, 1, 2]);
  assert.equal(search.state.value, "done");
  assert.equal(search.looked.value, STEPS + 1);
  assert.equal(progressText(search), "3 values in 9 steps.");
});

test("what is stopped asks no more, and goes on from there", async () => {
  const search = new ValueSearch();
  void search.start({ find: "nan" });
  await settled();
  await answerNext();
  search.stop();
  await answerNext(); // what is under way is not counted
  assert.deepEqual([search.state.value, search.hits.value.length, asked.length], ["stopped", 1, 0]);
  assert.match(progressText(search), /1 value so far; stopped after 4 of 10 steps/);
  void search.goOn();
  await settled();
  assert.equal(asked[0].from, 4);
  while (asked.length > 0) await answerNext();
  assert.deepEqual([search.state.value, search.hits.value.length], ["done", 3]);
  search.stop();
  assert.equal(search.state.value, "done");
});

test("it stops by itself after so many hits", async () => {
  const search = new ValueSearch({ hits: 2, ms: 60_000 });
  void search.start({ find: "nan" });
  await settled();
  while (asked.length > 0) await answerNext();
  assert.deepEqual([search.state.value, search.hits.value.length], ["stopped", 2]);
});

test("a new search forgets the one before", async () => {
  const search = new ValueSearch();
  void search.start({ find: "nan" });
  await settled();
  await answerNext();
  void search.start({ find: "inf" });
  await settled();
  while (asked.length > 0) await answerNext();
  assert.equal(search.hits.value.length, 3);
});
