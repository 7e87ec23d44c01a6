import assert from "node:assert/strict";
import test from "node:test";
import { FakeSocket, sockets } from "./fake_socket.mjs";

/** @type {Map<string, string>} */
const kept = new Map();
Object.assign(globalThis, {
  WebSocket: FakeSocket,
  location: { origin: "http://here" },
  localStorage: {
    getItem: (/** @type {string} */ name) => kept.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ value) => kept.set(name, value),
    removeItem: (/** @type {string} */ name) => kept.delete(name),
  },
});
const { pauseBefore, RoomLine } = await import("../../static/js/core/room.js");

/** @param {import("node:test").TestContext} context @param {{owner: string|null, isScreen: boolean}} [who] */
function line(context, who = { owner: null, isScreen: false }) {
  context.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  sockets.length = 0;
  kept.clear();
  /** @type {string[]} */
  const problems = [];
  /** @type {any[]} */
  const heard = [];
  const made = new RoomLine("room-x", who, {
    onMessage: (message) => heard.push(message),
    onProblem: (problem) => problems.push(problem),
  });
  context.after(() => made.close());
  return { made, problems, heard, timers: context.mock.timers };
}

const socket = () => /** @type {FakeSocket} */ (sockets.at(-1));
const say = (/** @type {any} */ message) => socket().listeners.message?.({ data: JSON.stringify(message) });
const welcome = (version = 5, member = "m-secret") =>
  say({ type: "welcome", you: { name: "teal otter 14", role: "member", member }, room: {}, version });
const lose = (code = 1006, reason = "") => socket().listeners.close?.({ code, reason });

test("hello has what this browser knows: nothing first, the member's secret and the version later", (context) => {
  const { timers } = line(context);
  socket().listeners.open?.({});
  assert.equal(socket().url, "ws://here/api/rooms/room-x/live");
  assert.deepEqual(socket().sent, [
    { type: "hello", member: null, name: null, owner: null, screen: false, version: null },
  ]);
  welcome();
  assert.equal(kept.get("hloscope.room-member.room-x"), "m-secret");
  lose();
  timers.tick(5_000);
  socket().listeners.open?.({});
  assert.equal(sockets.length, 2);
  assert.deepEqual(socket().sent[0], {
    type: "hello",
    member: "m-secret",
    name: null,
    owner: null,
    screen: false,
    version: 5,
  });
});

test("a page tries quickly at first and more slowly later, each at another moment, never later than after five seconds", () => {
  for (const tries of [0, 1, 7]) {
    assert.equal(pauseBefore(tries, 0), 500);
    assert.equal(pauseBefore(tries, 0.5), 750);
    assert.equal(pauseBefore(tries, 1), 1_000);
  }
  assert.equal(pauseBefore(8, 1), 2_000);
  assert.equal(pauseBefore(9, 1), 4_000);
  for (const tries of [10, 1_000]) {
    assert.equal(pauseBefore(tries, 0), 500);
    assert.equal(pauseBefore(tries, 1), 5_000);
  }
});

test("an older snapshot is not heard, and a welcome begins anew", (context) => {
  const { heard } = line(context);
  welcome(5);
  say({ type: "room", room: { n: 1 }, version: 7 });
  say({ type: "room", room: { n: 2 }, version: 6 });
  say({ type: "room", room: { n: 3 }, version: 7 });
  assert.deepEqual(
    heard.filter(({ type }) => type === "room").map(({ room }) => room.n),
    [1],
  );
  welcome(3);
  say({ type: "room", room: { n: 4 }, version: 4 });
  assert.equal(heard.at(-1).room.n, 4);
});

test("an answer is sent until it is kept, other words once, the last of a kind, and pointers never late", (context) => {
  const { made, timers } = line(context);
  welcome();
  made.send({ type: "answer", poll: "p", value: "3" });
  lose();
  made.send({ type: "hand", up: true });
  made.send({ type: "hand", up: false });
  made.send({ type: "settings", locked: true });
  made.send({ type: "settings", paused: true });
  made.send({ type: "pointer", at: null });
  timers.tick(5_000);
  welcome();
  assert.deepEqual(socket().sent, [
    { type: "answer", poll: "p", value: "3" },
    { type: "hand", up: false },
    { type: "settings", locked: true },
    { type: "settings", paused: true },
  ]);
  say({ type: "answered", poll: "p", value: "3" });
  lose();
  timers.tick(5_000);
  welcome();
  assert.deepEqual(socket().sent, []);
});

test("what stays as it is, is not tried again, and is said", (context) => {
  for (const [code, words] of /** @type {[number, RegExp][]} */ ([
    [4404, /does not exist/],
    [4410, /ended/],
    [4403, /secret/],
  ])) {
    context.mock.timers.reset();
    const { problems, timers } = line(context);
    lose(code);
    timers.tick(60_000);
    assert.equal(sockets.length, 1);
    assert.match(problems.at(-1) ?? "", words);
  }
});

test("who finds the door closed is let in once it is open", (context) => {
  const { problems, timers } = line(context);
  lose(4423);
  assert.match(problems.at(-1) ?? "", /room is locked/);
  timers.tick(5_000);
  welcome();
  assert.equal(problems.at(-1), "");
});

test("pings say that somebody is here; after a sleep the line is opened anew", (context) => {
  const { timers } = line(context);
  welcome();
  timers.tick(4_000);
  assert.deepEqual(socket().sent, [{ type: "ping" }]);
  timers.setTime(Date.now() + 60_000);
  timers.tick(4_000);
  assert.equal(sockets.length, 2, "the line that slept may be dead");
  welcome();
  assert.equal(sockets.length, 2);
});

test("an ended room is left", (context) => {
  const { heard, timers } = line(context);
  welcome();
  say({ type: "ended" });
  lose(4410);
  timers.tick(60_000);
  assert.equal(heard.at(-1).type, "ended");
  assert.equal(sockets.length, 1);
});
