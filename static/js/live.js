/**
 * The open line to a session: asks for more of a recording and hears how far it has come.
 *
 * A lost line is opened again by itself, each time after a longer pause; what was said meanwhile is sent then.
 */
import { sessionPath } from "./api.js";

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 10_000;

/** @typedef {{type: string, [field: string]: any}} Message */

export class Live {
  /** @param {string} session @param {(message: Message) => void} onMessage @param {(open: boolean) => void} onChange */
  constructor(session, onMessage, onChange) {
    this.url = `${location.origin.replace(/^http/, "ws")}${sessionPath(session)}/live`;
    this.onMessage = onMessage;
    this.onChange = onChange;
    this.pause = FIRST_PAUSE_MS;
    this.closed = false;
    /** @type {Map<string, Message>} the last message of each type waits for the line */
    this.waiting = new Map();
    /** @type {WebSocket|null} */
    this.socket = null;
    this.open();
  }

  open() {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.addEventListener("open", () => this.opened());
    socket.addEventListener("message", (event) => this.onMessage(JSON.parse(event.data)));
    socket.addEventListener("close", () => this.lost());
  }

  opened() {
    this.pause = FIRST_PAUSE_MS;
    this.onChange(true);
    for (const message of this.waiting.values()) this.send(message);
    this.waiting.clear();
  }

  lost() {
    if (this.closed) return;
    this.onChange(false);
    setTimeout(() => this.closed || this.open(), this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
  }

  /** @param {Message} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this.waiting.set(message.type, message);
  }

  close() {
    this.closed = true;
    this.socket?.close();
  }
}
