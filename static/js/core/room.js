/**
 * The open line to a room. It says hello, keeps the member's secret in this browser, says every few seconds that somebody is
 * here, and is opened again by itself where it was lost: after a pause by chance, so that a class does not come back all at once.
 * What was said meanwhile is sent then; an answer is sent until the server has kept it.
 *
 * @typedef {import("./types.js").RoomMessage} RoomMessage
 * @typedef {import("./types.js").RoomServerMessage} RoomServerMessage
 * @typedef {{owner: string|null, isScreen: boolean}} Who
 * @typedef {{onMessage: (message: RoomServerMessage) => void, onProblem: (problem: string) => void}} Hearers
 *   `onProblem` hears why the line is not open, or "" once it is
 */
import { recall, remember } from "./preferences.js";

/** A server that is started again is there in some seconds: so many tries come quickly, then the pauses grow. */
const QUICK_TRIES = 8;
const QUICK_PAUSE_MS = 1_000;
const LEAST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const PING_MS = 4_000;
/** A timer that comes so late has slept, as the machine has: the old line may be dead without saying so. */
const SLEPT_MS = 15_000;

const LOST = "The connection to the room was lost and is being restored. You can go on by yourself meanwhile.";

const REFUSALS = /** @type {Record<number, string>} */ ({
  4401: "This browser is not signed in to the server, or the link to the room is not whole.",
  4403: "This browser has not the secret of the room's teacher: open the teacher's link again.",
  4404: "There is no such room: it was ended, or the link is not whole.",
  4410: "The room has ended.",
  4423: "The teacher has locked this room. Ask the teacher to unlock it: this page tries again automatically.",
  4429: "The server has as many connections open as its settings allow. This page tries again by itself.",
});
/** After these nothing is tried again: they stay as they are. */
const FINAL = [4403, 4404, 4410];

/** How long to wait before the next try. @param {number} tries in vain so far @param {number} chance from 0 to 1 @returns {number} in milliseconds */
export function pauseBefore(tries, chance) {
  const most = Math.min(LONGEST_PAUSE_MS, QUICK_PAUSE_MS * 2 ** Math.max(0, tries - QUICK_TRIES + 1));
  return LEAST_PAUSE_MS + chance * (most - LEAST_PAUSE_MS);
}

/** What the browser keeps the secret of a member by. @param {string} room */
const memberName = (room) => `room-member.${room}`;

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

  /** Leave the line that is there, which may be dead, for a new one. */
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
    this.post({ type: "hello", member: this.member, owner, screen: isScreen, version: this.version });
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
    this.onProblem(REFUSALS[code] ?? (code >= 4000 && reason ? `The server closed the connection: ${reason}` : LOST));
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

  /** Say something; while the line is not open, the last of each kind waits for it. @param {RoomMessage} message */
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

/** Of two messages of a kind the later one is enough. @param {RoomMessage} message @returns {string} */
const kindOf = (message) => [message.type, ...Object.keys(message).sort()].join(" ");
