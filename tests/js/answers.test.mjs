/** Answers of the server: the latest question counts, what came once is kept, and many questions go in one request. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerCache, gathered, LatestAnswer } from "../../static/js/core/answers.js";

const soon = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Questions that were sent, each answered or refused by the test, or aborted. */
function sending() {
  const sent = [];
  const load = (question) => (stop) =>
    new Promise((resolve, reject) => {
      sent.push({ question, resolve, reject, stop });
      stop.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
    });
  return { sent, load };
}

test("only the latest question is asked, and only its answer counts", async () => {
  const { sent, load } = sending();
  const latest = new LatestAnswer();
  latest.ask("1", load("1"), 1);
  latest.ask("2", load("2"), 1);
  await soon(10);
  assert.deepEqual(
    sent.map(({ question }) => question),
    ["2"],
  );
  latest.ask("3", load("3"), 1);
  await soon(10);
  assert.equal(sent[0].stop.aborted, true);
  assert.equal(latest.isLoading.value, true);
  sent[0].resolve("late");
  sent[1].resolve("right");
  await soon(1);
  assert.deepEqual(latest.outcome.value, { question: "3", value: "right", error: null });
  assert.equal(latest.isLoading.value, false);
});

test("what was asked last is asked again only after it failed", async () => {
  const { sent, load } = sending();
  const latest = new LatestAnswer();
  latest.ask("1", load("1"));
  await soon(5);
  latest.ask("1", load("1"));
  sent[0].resolve("known");
  await soon(1);
  latest.ask("1", load("1"));
  await soon(5);
  assert.equal(sent.length, 1);
  latest.ask("2", load("2"));
  await soon(5);
  sent[1].reject(new Error("no server"));
  await soon(1);
  assert.equal(latest.outcome.value.error.message, "no server");
  assert.equal(latest.outcome.value.value, "known");
  latest.ask("2", load("2"));
  await soon(5);
  assert.equal(sent.length, 3);
});

test("what is stopped is aborted, and not told", async () => {
  const { sent, load } = sending();
  const latest = new LatestAnswer();
  latest.ask("1", load("1"));
  await soon(5);
  latest.stop();
  await soon(1);
  assert.equal(sent[0].stop.aborted, true);
  assert.deepEqual(latest.outcome.value, { question: null, value: undefined, error: null });
  assert.equal(latest.isLoading.value, false);
});

test("a question is asked once, whoever asks it, and its answer is kept", async () => {
  let asked = 0;
  const cache = new AnswerCache(10);
  const load = async () => ++asked;
  assert.equal(cache.read("a", load), undefined);
  assert.equal(await cache.fetch("a", load), 1);
  assert.equal(cache.read("a", load), 1);
  assert.equal(cache.get("a"), 1);
  assert.equal(cache.get("b"), undefined);
});

test("answers that come together are told of once", async () => {
  const cache = new AnswerCache(10);
  for (const question of ["a", "b", "c"]) cache.read(question, async () => question);
  await soon(1);
  assert.equal(cache.arrivals.value, 1);
});

test("what is fetched ahead is no news until somebody draws it", async () => {
  const cache = new AnswerCache(10);
  cache.fetchAhead("a", async () => "early");
  cache.fetchAhead("b", () => soon(5).then(() => "late"));
  assert.equal(
    cache.read("b", () => assert.fail("it is asked for already")),
    undefined,
  );
  await soon(1);
  assert.equal(cache.arrivals.value, 0);
  assert.equal(
    cache.read("a", () => assert.fail("it is here")),
    "early",
  );
  await soon(10);
  assert.equal(cache.arrivals.value, 1);
});

test("a failure is kept, or asked for again by the next reader", async () => {
  const fail = () => Promise.reject(new Error("no server"));
  const keeping = new AnswerCache(10);
  keeping.read("a", fail);
  const asking = new AnswerCache(10, { asksAgain: true });
  asking.read("a", fail);
  await soon(1);
  assert.equal(keeping.read("a", fail).message, "no server");
  assert.equal(keeping.arrivals.value, 1);
  assert.equal(asking.arrivals.value, 0);
  asking.read("a", async () => "here");
  await soon(1);
  assert.equal(asking.get("a"), "here");
});

test("the oldest answer goes first", async () => {
  const cache = new AnswerCache(2);
  for (const question of ["a", "b", "c"]) cache.keep(question, question);
  assert.deepEqual(
    ["a", "b", "c"].map((question) => cache.get(question)),
    [undefined, "b", "c"],
  );
});

test("many questions of a group go in few requests", async () => {
  const requests = [];
  const ask = gathered(
    async (group, names) => {
      requests.push([group, names]);
      return Object.fromEntries(names.filter((name) => name !== "none").map((name) => [name, `${group} ${name}`]));
    },
    { pause: 1, most: 2 },
  );
  const answers = await Promise.all([ask("k", "a"), ask("k", "b"), ask("k", "none"), ask("l", "a")]);
  assert.deepEqual(answers, ["k a", "k b", undefined, "l a"]);
  assert.deepEqual(requests, [
    ["k", ["a", "b"]],
    ["k", ["none"]],
    ["l", ["a"]],
  ]);
});
