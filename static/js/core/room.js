/**
 * The WebSocket of a room. It sends hello, stores the member's secret in this browser, sends heartbeats, and reopens
 * after a random pause when it is lost, so that a class does not reconnect all at once. Messages wait for the
 * connection; an answer is sent until the server confirms it.
 *
 * @typedef {{owner: string|null, isScreen: boolean}} Who
 * @typedef {{onMessage: (message: RoomServerMessage) => void, onProblem: (problem: string) => void}} Hearers
 *   `onProblem` receives why the line is closed, or "" once it is open
 */
import { recall, remember } from "./preferences.js";
/** @import {RoomMessage, RoomServerMessage} from "./types.js" */

/** A restarted server is back in seconds: the first retries are quick, then the pauses grow. */
const QUICK_TRIES = 8;
const QUICK_PAUSE_MS = 1_000;
const LEAST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const PING_MS = 4_000;
/** A timer this late means that the machine slept: the old connection may be dead without an error. */
const SLEPT_MS = 15_000;

/** Problems of the connection, by the names of their words: `line` and the code of a refusal. */
export const PROBLEMS = {
  lineLost: "The connection to the room was lost and is being restored. You can keep working on your own.",
  line4401: "This browser is not signed in to the server, or the link to the room is incomplete.",
  line4403: "This browser does not have the secret of the room's teacher: open the teacher's link again.",
  line4404: "This room does not exist: it has ended, or the link is incomplete.",
  line4408: "The server has not heard from this page in time. This page retries automatically.",
  line4409: "Another server has taken this room over. This page retries automatically.",
  line4410: "The room has ended.",
  line4423: "The room is locked. Ask the teacher to unlock it; this page retries automatically.",
  line4429: "The room is full, or many people join it from your network at once. This page retries automatically.",
  line4503: "The server is being restarted. This page retries automatically.",
};
/** Final refusals: no retry helps. */
const FINAL = [4403, 4404, 4410];

/** The pause before the next retry. @param {number} tries failed tries so far @param {number} chance from 0 to 1 @returns {number} in milliseconds */
export function pauseBefore(tries, chance) {
  const most = Math.min(LONGEST_PAUSE_MS, QUICK_PAUSE_MS * 2 ** Math.max(0, tries - QUICK_TRIES + 1));
  return LEAST_PAUSE_MS + chance * (most - LEAST_PAUSE_MS);
}

/** Storage key of the name that a member gave. @param {string} room */
export const typedName = (room) => `room-name.${room}`;

/** Storage key of a member's secret. @param {string} room */
export const memberName = (room) => `room-member.${room}`;

export class RoomLine {
  /** @param {string} room @param {Who} who @param {Hearers} hearers */
  constructor(room, who, { onMessage, onProblem }) {
    this.room = room;
    this.who = who;
    this.onMessage = onMessage;
    this.onProblem = onProblem;
    this.member = recall(memberName(room));
    this.version = /** @type {number|null} */ (null);
    this.tries = 0;
    this.isClosed = false;
    this.isWelcome = false;
    /** @type {Map<string, RoomMessage>} */
    this.waiting = new Map();
    /** @type {Extract<RoomMessage, {type: "answer"}>|null} */
    this.unkept = null;
    /** @type {WebSocket|null} */
    this.socket = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    this.pinged = Date.now();
    this.pings = setInterval(() => this.ping(), PING_MS);
    globalThis.addEventListener?.("online", () => this.openAgain());
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    const socket = new WebSocket(
      `${location.origin.replace(/^http/, "ws")}/api/rooms/${encodeURIComponent(this.room)}/live`,
    );
    this.socket = socket;
    socket.addEventListener("open", () => this.socket === socket && this.sayHello());
    socket.addEventListener("message", (event) => this.socket === socket && this.heard(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.socket === socket && this.lost(event));
  }

  /** Replace the current connection, which may be dead. */
  openAgain() {
    if (this.isClosed) return;
    const old = this.socket;
    this.socket = null;
    this.isWelcome = false;
    old?.close();
    this.open();
  }

  sayHello() {
    const { owner, isScreen } = this.who;
    const name = recall(typedName(this.room));
    this.post({ type: "hello", member: this.member, owner, screen: isScreen, name, version: this.version });
  }

  /** @param {RoomServerMessage} message */
  heard(message) {
    if (message.type === "welcome") this.welcomed(message);
    if (message.type === "answered" && message.poll === this.unkept?.poll) this.unkept = null;
    if (message.type === "room") {
      if (this.version !== null && message.version <= this.version) return;
      this.version = message.version;
    }
    if (message.type === "ended") this.close();
    this.onMessage(message);
    if (message.type === "welcome") this.sendWaiting();
  }

  /** @param {import("./types.js").RoomWelcomeMessage} message */
  welcomed({ you, version }) {
    this.isWelcome = true;
    this.tries = 0;
    this.version = version;
    if (you.member) {
      this.member = you.member;
      remember(memberName(this.room), you.member);
    }
    this.onProblem("");
  }

  sendWaiting() {
    const said = [...this.waiting.values()];
    this.waiting.clear();
    if (this.unkept) this.post(this.unkept);
    for (const message of said) this.post(message);
  }

  /** @param {{code: number, reason: string}} event */
  lost({ code, reason }) {
    this.isWelcome = false;
    if (this.isClosed) return;
    const { lineLost } = PROBLEMS;
    const refusal = /** @type {Record<string, string>} */ (PROBLEMS)[`line${code}`];
    this.onProblem(refusal ?? (code >= 4000 && reason ? `The server closed the connection: ${reason}` : lineLost));
    if (FINAL.includes(code)) return this.close();
    this.timer = setTimeout(() => this.isClosed || this.open(), pauseBefore(this.tries++, Math.random()));
  }

  ping() {
    const now = Date.now();
    const hasSlept = now - this.pinged > SLEPT_MS;
    this.pinged = now;
    if (hasSlept) this.openAgain();
    else if (this.isWelcome) this.post({ type: "ping" });
  }

  /** Send a message; while the line is closed, the last of each type waits. @param {RoomMessage} message */
  send(message) {
    if (message.type === "answer") this.unkept = message;
    if (this.isWelcome) this.post(message);
    else if (!["answer", "pointer", "ping"].includes(message.type)) this.waiting.set(kindOf(message), message);
  }

  /** @param {RoomMessage} message */
  post(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  close() {
    this.isClosed = true;
    this.isWelcome = false;
    clearTimeout(this.timer);
    clearInterval(this.pings);
    this.socket?.close();
  }
}

/** The later of two messages of one type replaces the earlier. @param {RoomMessage} message @returns {string} */
const kindOf = (message) => [message.type, ...Object.keys(message).sort()].join(" ");
