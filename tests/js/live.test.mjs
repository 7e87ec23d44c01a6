import assert from "node:assert/strict";
import test from "node:test";
import { FakeSocket, sockets } from "./fake_socket.mjs";

Object.assign(globalThis, { WebSocket: FakeSocket, location: { origin: "http://here" } });
const { Live } = await import("../../static/js/core/live.js");

/** A line, what it has heard, and what it has said of itself. @param {import("node:test").TestContext} context */
function line(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  sockets.length = 0;
  /** @type {string[]} */
  const problems = [];
  const live = new Live(
    "s",
    () => undefined,
    (/** @type {string} */ problem) => problems.push(problem),
  );
  return { live, problems, timers: context.mock.timers };
}

const socket = () => /** @type {FakeSocket} */ (sockets.at(-1));
const welcome = () => socket().listeners.message?.({ data: '{"type": "welcome"}' });
const end = (/** @type {number} */ code, reason = "") => socket().listeners.close?.({ code, reason });

test("what is said waits for the welcome, and again for the next one", (context) => {
  const { live, problems, timers } = line(context);
  live.send({ type: "pause" });
  socket().listeners.open?.({});
  assert.deepEqual(socket().sent, []);
  welcome();
  assert.deepEqual(socket().sent, [{ type: "pause" }]);
  end(1006);
  live.send({ type: "record" });
  timers.tick(300);
  welcome();
  assert.deepEqual(socket().sent, [{ type: "record" }]);
  assert.deepEqual(problems.map(Boolean), [false, true, false]);
});

for (const [code, words] of /** @type {[number, RegExp][]} */ ([
  [1006, /was lost and is being restored/],
  [1012, /was lost/],
  [4401, /no longer signed in/],
  [4429, /max_sockets/],
  [4503, /full disk/],
])) {
  test(`after ${code} it is tried again, each time later`, (context) => {
    const { problems, timers } = line(context);
    for (const pause of [300, 600, 1200]) {
      const before = sockets.length;
      end(code, "A full disk.");
      timers.tick(pause - 1);
      assert.equal(sockets.length, before);
      timers.tick(1);
      assert.equal(sockets.length, before + 1);
    }
    for (const problem of problems) assert.match(problem, words);
  });
}

for (const code of [4403, 4404]) {
  test(`after ${code} nothing is tried again`, (context) => {
    const { problems, timers } = line(context);
    end(code);
    timers.tick(1_000_000);
    assert.equal(sockets.length, 1);
    assert.equal(problems.length, 1);
    assert.notEqual(problems[0], "");
  });
}
