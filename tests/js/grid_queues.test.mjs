// Queues between a run and its user, and messages between processes: the parts without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CollectiveExecution } from "../../static/js/core/grid/record_parts.js";
import {
  channelsOf,
  feedName,
  hasMoved,
  isFed,
  messageState,
  messagesOf,
  nextItems,
  queueName,
  queueWords,
  addUntouched,
} from "../../static/js/features/queues/model.js";

const queue = (changes) => ({
  kind: "infeed",
  channel: 0,
  process: null,
  awaited: [],
  wanted: null,
  waiting: [],
  waitingCount: 0,
  moves: [],
  moveCount: 0,
  ...changes,
});
const move = (tick, process = 0) => ({ process, step: tick, tick, texts: ["i32  1"], addresses: [null] });
const nameOf = (process) => `(0, ${process})`;

test("Queues are named by what they are for", () => {
  assert.equal(queueName(queue({}), nameOf), "infeed");
  assert.equal(queueName(queue({ kind: "outfeed", process: 2 }), nameOf), "outfeed of process (0, 2)");
  assert.equal(queueName(queue({ kind: "to_host", channel: 4 }), nameOf), "to the host, channel 4");
  assert.deepEqual(
    ["infeed", "host", "outfeed", "to_host"].map((kind) => isFed({ kind })),
    [true, true, false, false],
  );
  assert.equal(feedName(queue({ kind: "host", channel: 3 })), "host:3");
});

test("A queue that nothing has asked for yet can be filled too", () => {
  const takers = [
    { queue: "infeed", takes: [] },
    { queue: "host:7", takes: [] },
  ];
  const all = addUntouched([queue({ process: 1 }), queue({ kind: "outfeed" })], takers);
  assert.deepEqual(
    all.map(({ kind, channel }) => [kind, channel]),
    [
      ["infeed", 0],
      ["outfeed", 0],
      ["host", 7],
    ],
  );
});

test("The next item is what the waiting op takes, else what is in turn", () => {
  const [a, b] = [[{ type: "i32" }], [{ type: "f32" }]];
  const takers = [{ queue: "infeed", takes: [a, b] }];
  assert.deepEqual(nextItems(queue({ wanted: b }), takers), [b]);
  assert.deepEqual(nextItems(queue({ moveCount: 1 }), takers), [b, a]);
  assert.deepEqual(nextItems(queue({ moveCount: 1, waitingCount: 1, wanted: null }), takers), [a, b]);
  assert.deepEqual(nextItems(queue({ kind: "host", channel: 1 }), takers), []);
});

test("What is taken later in the run is told apart", () => {
  const taken = queue({ moves: [move(2), move(9)], moveCount: 2, waitingCount: 1 });
  assert.equal(queueWords(taken, [5]), "1 taken, 1 later in the run, 1 not taken");
  assert.equal(queueWords(taken, [0]), "nothing taken yet, 2 later in the run, 1 not taken");
  assert.equal(queueWords(queue({ kind: "outfeed", moves: [move(2)], moveCount: 101 }), [3]), "101 given");
  assert.deepEqual([hasMoved(move(2), [2]), hasMoved(move(2), [3])], [false, true]);
});

const info = (number, arrivals) => ({
  number,
  kind: "message",
  op: 3,
  line: 8,
  channel: 5,
  team: 0,
  group: [0, 1],
  arrivals,
  released: [],
  groups: [[0, 1]],
  begin: 0,
  end: null,
});

test("A message is pending from its sending to its receiving", () => {
  const [message] = messagesOf([
    new CollectiveExecution(
      info(0, [
        [0, 4, 4],
        [1, 7, 9],
      ]),
    ),
    new CollectiveExecution({ ...info(1, []), kind: "all_reduce" }),
  ]);
  assert.deepEqual([message.source, message.target, message.channel], [0, 1, 5]);
  assert.equal(messageState(message, [3, 3]), null);
  assert.equal(messageState(message, [4, 8]), "sent");
  assert.equal(messageState(message, [3, 9]), "awaited");
  assert.equal(messageState(message, [9, 9]), "delivered");
});

test("A message whose program does not name its ends has the one that has come", () => {
  const sent = { ...info(0, [[2, 4, 4]]), group: [2], ends: [2, -1] };
  const awaited = { ...info(1, [[1, 3, 3]]), group: [1], ends: [-1, 1] };
  const messages = messagesOf([new CollectiveExecution(sent), new CollectiveExecution(awaited)]);
  assert.deepEqual(
    messages.map(({ source, target }) => [source, target]),
    [
      [2, -1],
      [-1, 1],
    ],
  );
  assert.deepEqual(
    messages.map((message) => messageState(message, [9, 9, 9])),
    ["sent", "awaited"],
  );
});

test("Channels tell what is pending on them", () => {
  const messages = messagesOf([
    new CollectiveExecution(
      info(0, [
        [0, 4, 4],
        [1, 7, 9],
      ]),
    ),
    new CollectiveExecution(info(1, [[0, 11, 12]])),
    new CollectiveExecution({ ...info(2, [[0, 1, 1]]), channel: 2 }),
  ]);
  const found = channelsOf(messages, [12, 12]);
  assert.deepEqual(
    found.map(({ channel, pending, delivered }) => [channel, pending.map(({ state }) => state), delivered]),
    [
      [2, ["sent"], 0],
      [5, ["sent"], 1],
    ],
  );
});
