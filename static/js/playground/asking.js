/** Asks the server what a form stands for: a moment after the last change, and only the latest answer counts. */
import { sendJson } from "../api.js";

/** While one types, nobody is asked. */
export const PAUSE_MS = 60;

/**
 * @typedef {import("./form_model.js").Answer} Answer
 * @typedef {import("./form_model.js").State} State
 */

export class Asker {
  /** @param {(answer: Answer) => void} answered @param {(error: Error) => void} failed @param {typeof sendJson} [send] */
  constructor(answered, failed, send = sendJson) {
    this.answered = answered;
    this.failed = failed;
    this.send = send;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    /** @type {AbortController|null} */
    this.running = null;
  }

  /** @param {string} op @param {State} state @param {number} [pause] */
  ask(op, state, pause = PAUSE_MS) {
    this.stop();
    this.timer = setTimeout(() => void this.now(op, state), pause);
  }

  /** What was asked before is not waited for any more. */
  stop() {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
  }

  /** @param {string} op @param {State} state */
  async now(op, state) {
    const mine = (this.running = new AbortController());
    try {
      const answer = await this.send("/api/playground", { op, ...state }, { signal: mine.signal });
      if (this.running === mine) this.answered(answer);
    } catch (error) {
      if (this.running === mine) this.failed(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
