/** A WebSocket that connects to nothing; a test reads what was sent and calls the listeners. */

/** All sockets, the newest last. @type {FakeSocket[]} */
export const sockets = [];

export class FakeSocket {
  static OPEN = 1;

  /** @param {string} url */
  constructor(url) {
    this.url = url;
    this.readyState = FakeSocket.OPEN;
    /** @type {any[]} */
    this.sent = [];
    /** @type {Record<string, (event: any) => void>} */
    this.listeners = {};
    sockets.push(this);
  }

  /** @param {string} name @param {(event: any) => void} listener */
  addEventListener(name, listener) {
    this.listeners[name] = listener;
  }

  /** @param {string} text */
  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.readyState = 3;
  }
}
