/**
 * Requests to the server and the cache of their answers. A question is a text; the same question has the same answer.
 * Hooks for components are in `ui/resource.js`.
 */
import { batch, signal } from "@preact/signals";
import { afterPause } from "./idle.js";

/**
 * The state of the last answered question. With an error, `value` is the answer to the question before.
 *
 * @template T
 * @typedef {{question: string|null, value: T|undefined, error: Error|null}} Outcome
 */

/** @param {unknown} reason @returns {Error} */
const asError = (reason) => (reason instanceof Error ? reason : new Error(String(reason)));

/** One answer: only the latest question counts, and earlier requests are aborted. @template T */
export class LatestAnswer {
  constructor() {
    this.outcome = signal(/** @type {Outcome<T>} */ ({ question: null, value: undefined, error: null }));
    this.isLoading = signal(false);
    /** @type {string|null} */
    this.asked = null;
    this.abort = () => {};
  }

  /**
   * Send a question, unless it was the last one and has not failed.
   *
   * @param {string} question @param {(stop: AbortSignal) => Promise<T>} load
   * @param {number} [pause] milliseconds to wait for a later question, such as while the user types
   */
  ask(question, load, pause = 0) {
    if (question === this.asked) return;
    this.stop();
    this.asked = question;
    this.isLoading.value = true;
    const controller = new AbortController();
    const cancel = afterPause(() => void this.settle(question, load(controller.signal), controller.signal), pause);
    this.abort = () => {
      cancel();
      controller.abort();
    };
  }

  /** @param {string} question @param {Promise<T>} answer @param {AbortSignal} stop */
  async settle(question, answer, stop) {
    /** @type {Outcome<T>} */
    const outcome = await answer.then(
      (value) => ({ question, value, error: null }),
      (reason) => ({ question, value: this.outcome.peek().value, error: asError(reason) }),
    );
    if (stop.aborted) return;
    if (outcome.error) this.asked = null;
    batch(() => {
      this.isLoading.value = false;
      this.outcome.value = outcome;
    });
  }

  /** Drop the pending request. */
  stop() {
    this.abort();
    this.asked = null;
    this.isLoading.value = false;
  }
}

/**
 * `isAhead`: a prefetch; its arrival notifies nobody
 *
 * @template T
 * @typedef {{promise: Promise<T>, value?: T, error?: Error, isAhead?: boolean}} Answer
 */

/** A cache of answers: concurrent requests for one question share one fetch. @template T */
export class AnswerCache {
  /**
   * @param {number} limit maximum number of answers kept; the oldest is evicted first
   * @param {{arrivals?: import("@preact/signals").Signal<number>, asksAgain?: boolean}} [options] `arrivals` grows
   *   when answers arrive: components that draw them read it. `asksAgain`: a failure is not kept, and the next reader
   *   requests it again
   */
  constructor(limit, { arrivals = signal(0), asksAgain = false } = {}) {
    this.limit = limit;
    this.arrivals = arrivals;
    this.asksAgain = asksAgain;
    /** @type {Map<string, Answer<T>>} */
    this.here = new Map();
    this.isTelling = false;
  }

  /** The answer, if it is cached. @param {string} question @returns {T|undefined} */
  get(question) {
    return this.here.get(question)?.value;
  }

  /** Whether the answer is cached or requested. @param {string} question @returns {boolean} */
  has(question) {
    return this.here.has(question);
  }

  /** @param {string} question @param {T} value */
  keep(question, value) {
    this.enter(question, Promise.resolve(value)).value = value;
  }

  /**
   * For drawing: the answer, an error, or undefined while the request that this call starts is pending.
   *
   * @param {string} question @param {() => Promise<T>} load @returns {T|Error|undefined}
   */
  read(question, load) {
    const found = this.here.get(question) ?? this.enter(question, load());
    found.isAhead = false;
    return found.error ?? found.value;
  }

  /** Prefetch what may be drawn soon. @param {string} question @param {() => Promise<T>} load */
  fetchAhead(question, load) {
    if (!this.here.has(question)) this.enter(question, load()).isAhead = true;
  }

  /** Prefetch with low priority. @param {string} question @param {() => Promise<T>} load @returns {Promise<T>} */
  fetch(question, load) {
    return (this.here.get(question) ?? this.enter(question, load())).promise;
  }

  /** @param {string} question @param {Promise<T>} promise @returns {Answer<T>} */
  enter(question, promise) {
    const answer = /** @type {Answer<T>} */ ({ promise });
    if (this.here.size >= this.limit) this.here.delete(/** @type {string} */ (this.here.keys().next().value));
    this.here.set(question, answer);
    promise.then(
      (value) => {
        answer.value = value;
        if (!answer.isAhead) this.tell();
      },
      (reason) => {
        if (this.asksAgain) return void this.here.delete(question);
        answer.error = asError(reason);
        if (!answer.isAhead) this.tell();
      },
    );
    return answer;
  }

  /** Notify once for all answers that arrive together. */
  tell() {
    if (this.isTelling) return;
    this.isTelling = true;
    queueMicrotask(() => {
      this.isTelling = false;
      this.arrivals.value++;
    });
  }
}

/**
 * Batch many names into one request.
 *
 * @template T
 * @param {(group: string, names: string[]) => Promise<Record<string, T>>} loadAll returns the answers for names of one group
 * @param {{pause: number, most: number}} limits pause: milliseconds in which names are gathered; most: names per request
 * @returns {(group: string, name: string) => Promise<T|undefined>} undefined: the batch had no answer for it
 */
export function gathered(loadAll, { pause, most }) {
  /** @type {Map<string, Map<string, (answers: Promise<Record<string, T>>) => void>>} */
  let waiting = new Map();
  const ask = () => {
    const groups = waiting;
    waiting = new Map();
    for (const [group, askers] of groups) {
      const all = [...askers];
      for (let at = 0; at < all.length; at += most) {
        const some = all.slice(at, at + most);
        const answers = loadAll(
          group,
          some.map(([name]) => name),
        );
        for (const [, settle] of some) settle(answers);
      }
    }
  };
  return async (group, name) => {
    if (waiting.size === 0) afterPause(ask, pause);
    const askers = waiting.get(group) ?? new Map();
    waiting.set(group, askers);
    /** @type {Promise<Record<string, T>>} */
    const answers = new Promise((settle) => askers.set(name, settle));
    return (await answers)[name];
  };
}
