/** A worker that is busy for long: questions are asked again, and what changes something is not. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { getJson, sendJson } from "../../static/js/core/api.js";

const busy = () =>
  Response.json(
    { error: { message: "The worker is still busy; try again later.", limit: "request_time_limit_ms" } },
    { status: 503, headers: { "Retry-After": "0" } },
  );
const full = () =>
  Response.json(
    { error: { message: "This session is the next one in the queue for a worker.", limit: "max_active_sessions" } },
    { status: 503, headers: { "Retry-After": "0" } },
  );
const crowded = () =>
  Response.json(
    { error: { message: "Too many sessions wait for a worker already.", limit: "max_waiting" } },
    { status: 503, headers: { "Retry-After": "0" } },
  );

let answers = [];
let fetchBefore;

beforeEach(() => {
  fetchBefore = globalThis.fetch;
  globalThis.fetch = async () => answers.shift()();
});

afterEach(() => {
  globalThis.fetch = fetchBefore;
});

test("a question is asked until the worker answers", async () => {
  answers = [busy, busy, () => Response.json({ found: 1 })];
  assert.deepEqual(await getJson("/maps"), { found: 1 });
});

test("not for ever: then the page says what the worker does", async () => {
  answers = [busy, busy, busy, () => Response.json({})];
  await assert.rejects(getJson("/maps"), /still busy/);
  assert.equal(answers.length, 1);
});

test("as long as others are before the session, however often that is", async () => {
  answers = [full, busy, full, full, full, busy, full, () => Response.json({ found: 2 })];
  assert.deepEqual(await getJson("/maps"), { found: 2 });
});

test("not where it would change something, nor where another limit is met", async () => {
  answers = [busy, full, crowded];
  await assert.rejects(sendJson("/feed", {}), /still busy/);
  await assert.rejects(sendJson("/feed", {}), /the next one/);
  await assert.rejects(getJson("/maps"), /Too many sessions/);
  assert.equal(answers.length, 0);
});

test("not for whoever has gone meanwhile", async () => {
  const stop = new AbortController();
  answers = [() => (stop.abort(), busy()), () => Response.json({})];
  await assert.rejects(getJson("/maps", stop.signal), { name: "AbortError" });
  assert.equal(answers.length, 1);
});
