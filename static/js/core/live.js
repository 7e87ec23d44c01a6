/**
 * The open line to a session: asks for more of a recording and hears how far it has come.
 *
 * A lost line is opened again by itself, each time after a longer pause; what was said meanwhile is sent then. Why the
 * server has ended it, the close code says: 4000 and the status that a request would have been answered with.
 */
import { sessionPath } from "./paths.js";

const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 10_000;

const LOST =
  "The connection to the server was lost and is being restored. You can still step through what was recorded.";

/** What to do about a refusal. */
const REFUSALS = /** @type {Record<number, string>} */ ({
  4401: "This browser is no longer signed in to the server: open the address that hloscope printed when it started. The page then reconnects.",
  4403: "The server refuses connections from this page.",
  4404: "The server no longer has this session: it was deleted, or the server uses another data folder. You can still look at what was recorded; to continue, open the program again.",
  4429: "The server has as many connections open as the setting max_sockets allows: close pages that you do not need. This page then reconnects.",
});
/** After these nothing is tried again: they stay as they are. */
const FINAL = [4403, 4404];

/** @typedef {{type: string, [field: string]: any}} Message */

export class Live {
  /** @param {string} session @param {(message: Message) => void} onMessage @param {(problem: string) => void} onChange  hears why the line is not open, or "" once it is */
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

  /** Whoever is refused is let in as well, to be told why; only after this word the line is open. */
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
