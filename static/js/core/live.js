/**
 * The WebSocket of a session: requests more recording and receives its progress.
 *
 * A lost connection reopens automatically after growing pauses, and sends what waited. The close code is 4000 plus
 * the HTTP status of the refusal.
 */
import { sessionPath } from "./paths.js";

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 10_000;

const LOST =
  "The connection to the server was lost and is being restored. You can still step through what was recorded.";

/** A remedy for each refusal. */
const REFUSALS = /** @type {Record<number, string>} */ ({
  4401: "This browser is no longer signed in to the server: open the address that hloscope printed when it started. The page then reconnects.",
  4403: "The server refuses connections from this page.",
  4404: "The server no longer has this session: it was deleted, or the server uses another data folder. You can still look at what was recorded; to continue, open the program again.",
  4429: "The server has as many connections open as the setting max_sockets allows: close pages that you do not need. This page then reconnects.",
});
/** Final refusals: no retry helps. */
const FINAL = [4403, 4404];

/** @typedef {{type: string, [field: string]: any}} Message */

export class Live {
  /** @param {string} session @param {(message: Message) => void} onMessage @param {(problem: string) => void} onChange  receives why the line is closed, or "" once it is open */
  constructor(session, onMessage, onChange) {
    this.url = `${location.origin.replace(/^http/, "ws")}${sessionPath(session)}/live`;
    this.onMessage = onMessage;
    this.onChange = onChange;
    this.pause = FIRST_PAUSE_MS;
    this.closed = false;
    this.welcome = false;
    /** @type {Map<string, Message>} the last message of each type waits for the line */
    this.waiting = new Map();
    /** @type {WebSocket|null} */
    this.socket = null;
    this.open();
  }

  open() {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.addEventListener("message", (event) => this.heard(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.lost(event));
  }

  /** @param {Message} message */
  heard(message) {
    if (message.type === "welcome") this.welcomed();
    else this.onMessage(message);
  }

  /** The server accepts first even when it refuses, to send the reason; the line counts as open after its first message. */
  welcomed() {
    this.pause = FIRST_PAUSE_MS;
    this.welcome = true;
    this.onChange("");
    for (const message of this.waiting.values()) this.send(message);
    this.waiting.clear();
  }

  /** @param {{code: number, reason: string}} event */
  lost({ code, reason }) {
    this.welcome = false;
    if (this.closed) return;
    this.onChange(
      REFUSALS[code] ??
        (code >= 4000 && reason ? `The server closed the connection: ${reason} The page is reconnecting.` : LOST),
    );
    if (FINAL.includes(code)) return;
    setTimeout(() => this.closed || this.open(), this.pause);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
  }

  /** @param {Message} message */
  send(message) {
    if (this.welcome && this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this.waiting.set(message.type, message);
  }

  close() {
    this.closed = true;
    this.socket?.close();
  }
}
