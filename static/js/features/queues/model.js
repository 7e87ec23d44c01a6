/**
 * Queues between a run and its user, and messages between processes, at a position. Pure functions.
 *
 * @typedef {import("../../core/types.js").InputType} Wanted  the type of one value of an item
 * @typedef {import("../../core/types.js").QueueTaker} Taker  a queue that the user fills, and the items that ops take from it
 * @typedef {{execution: number, op: number, line: number, channel: number, source: number, target: number, sent: {step: number, tick: number}|null,
 *   received: {step: number, tick: number}|null}} Message
 */
/** @import {QueueMove as Move, QueueInfo as Queue} from "../../core/types.js" */

/** Whether the program reads the queue and the user fills it. @param {Pick<Queue, "kind">} queue */
export const isFed = ({ kind }) => kind === "infeed" || kind === "host";

/** The name of a queue in requests. @param {Pick<Queue, "kind"|"channel">} queue @returns {string} */
export const feedName = ({ kind, channel }) => (kind === "host" ? `host:${channel}` : kind);

/** @param {Pick<Queue, "kind"|"channel"|"process">} queue @param {(process: number) => string} nameOf @returns {string} */
export function queueName({ kind, channel, process }, nameOf) {
  const whose = process === null ? "" : ` of process ${nameOf(process)}`;
  const names = {
    infeed: "infeed",
    outfeed: "outfeed",
    host: `from the host, channel ${channel}`,
    to_host: `to the host, channel ${channel}`,
  };
  return names[kind] + whose;
}

/** All queues, including those without requests so far. @param {readonly Queue[]} queues @param {readonly Taker[]} takers @returns {Queue[]} */
export function addUntouched(queues, takers) {
  const missing = takers.filter(({ queue }) => !queues.some((known) => feedName(known) === queue && isFed(known)));
  return [...queues, ...missing.map(({ queue }) => untouchedQueue(queue))];
}

/** @param {string} name @returns {Queue} */
function untouchedQueue(name) {
  const [kind = "", channel] = name.split(":");
  return {
    kind: kind === "host" ? "host" : "infeed",
    channel: channel === undefined ? 0 : Number(channel),
    process: null,
    awaited: [],
    wanted: null,
    waiting: [],
    waitingCount: 0,
    moves: [],
    moveCount: 0,
  };
}

/** Kinds of the next item, the most likely first. @param {Queue} queue @param {readonly Taker[]} takers @returns {Wanted[][]} */
export function nextItems(queue, takers) {
  const takes = takers.find(({ queue: name }) => name === feedName(queue))?.takes ?? [];
  if (queue.wanted && queue.waitingCount === 0) return [queue.wanted];
  const turn = takes.length === 0 ? 0 : (queue.moveCount + queue.waitingCount) % takes.length;
  return [...takes.slice(turn), ...takes.slice(0, turn)];
}

/** Whether an item has been moved at these positions. @param {Move} move @param {readonly number[]} ticks */
export const hasMoved = ({ process, tick }, ticks) => tick < (ticks[process] ?? 0);

/** The history of a queue so far, in words. @param {Queue} queue @param {readonly number[]} ticks @returns {string} */
export function queueWords(queue, ticks) {
  const { moves, moveCount, waitingCount } = queue;
  const later = moves.filter((move) => !hasMoved(move, ticks)).length;
  const past = moveCount - later;
  const verb = isFed(queue) ? "taken" : "given";
  const parts = [past === 0 ? `nothing ${verb} yet` : `${past} ${verb}`];
  if (later > 0) parts.push(`${later} later in the run`);
  if (waitingCount > 0) parts.push(`${waitingCount} not taken`);
  return parts.join(", ");
}

/** The messages of a recording. @param {readonly import("../../core/grid/record_parts.js").CollectiveExecution[]} executions @returns {Message[]} */
export function messagesOf(executions) {
  return executions
    .filter(({ isMessage }) => isMessage)
    .map(({ number, info, arrivals }) => {
      const [source = -1, target = -1] = info.ends ?? info.group;
      return {
        execution: number,
        op: info.op,
        line: info.line,
        channel: /** @type {number} */ (info.channel), // every message has a channel
        source,
        target,
        sent: arrivals.get(source) ?? null,
        received: arrivals.get(target) ?? null,
      };
    });
}

/** The state of a message at these positions; null if neither end has reached it. @param {Message} message @param {readonly number[]} ticks @returns {"sent"|"awaited"|"delivered"|null} */
export function messageState({ source, target, sent, received }, ticks) {
  const isThere = (/** @type {{tick: number}|null} */ end, /** @type {number} */ process) =>
    end !== null && end.tick <= (ticks[process] ?? 0);
  const [there, here] = [isThere(sent, source), isThere(received, target)];
  if (there && here) return "delivered";
  return there ? "sent" : here ? "awaited" : null;
}

/** @typedef {{channel: number, pending: (Message & {state: "sent"|"awaited"})[], delivered: number}} Channel */

/** Channels with their pending messages. @param {readonly Message[]} messages @param {readonly number[]} ticks @returns {Channel[]} */
export function channelsOf(messages, ticks) {
  /** @type {Map<number, Channel>} */
  const channels = new Map();
  for (const message of messages) {
    const channel = channels.get(message.channel) ?? { channel: message.channel, pending: [], delivered: 0 };
    channels.set(message.channel, channel);
    const state = messageState(message, ticks);
    if (state === "delivered") channel.delivered++;
    else if (state !== null) channel.pending.push({ ...message, state });
  }
  return [...channels.values()].sort((a, b) => a.channel - b.channel);
}
