/**
 * A search over the values of the recording: the server searches for a tenth of a second per request and returns
 * where it stopped, so that nothing else waits and hits appear early.
 */
import { batch, signal } from "@preact/signals";
import { getJson, recordingPath } from "../api.js";
import { asShown } from "../run/value_names.js";
import { isWhole } from "../source.js";
import * as store from "../store.js";
import { counted, countText } from "../tensor/elements.js";
/** @import {SearchHit} from "../types.js" */

/**
 * @typedef {SearchHit & {process: number}} Hit
 * @typedef {{find: import("../types.js").SearchKind, number?: string, tolerance?: string, low?: string, high?: string, shape?: string}} Question
 * @typedef {"none"|"searching"|"stopped"|"done"} SearchState
 */

/** A search stops after this many hits or milliseconds; it can be continued. @type {{hits: number, ms: number}} */
const PAUSE_AFTER = { hits: 1_000, ms: 10_000 };

export class ValueSearch {
  constructor(pauseAfter = PAUSE_AFTER) {
    this.pauseAfter = pauseAfter;
    this.state = signal(/** @type {SearchState} */ ("none"));
    this.hits = signal(/** @type {Hit[]} */ ([]));
    /** Searched and total positions: one per step, and one for the arguments of each process. */
    this.looked = signal(0);
    this.all = signal(0);
    this.error = signal("");
    /** Whether the search is for one exact number. */
    this.isExact = false;
    /** @type {{question: Question, key: string, process: number, next: number}|null} */
    this.place = null;
    this.turn = 0;
  }

  /** Start a new search. @param {Question} question @returns {Promise<void>} */
  start(question) {
    const key = store.recordingKey.value;
    if (key === null) return Promise.resolve();
    batch(() => {
      this.hits.value = [];
      this.looked.value = 0;
      this.error.value = "";
    });
    this.isExact = question.find === "number" && !question.tolerance;
    this.place = { question, key, process: 0, next: 0 };
    return this.goOn();
  }

  /** Clear the search. */
  forget() {
    this.turn++;
    this.place = null;
    batch(() => {
      this.state.value = "none";
      this.hits.value = [];
      this.error.value = "";
    });
  }

  /** Continue where the search stopped. @returns {Promise<void>} */
  async goOn() {
    const mine = ++this.turn;
    const { hits, ms } = this.pauseAfter;
    const until = { hits: this.hits.value.length + hits, time: performance.now() + ms };
    this.state.value = "searching";
    try {
      while (this.place && mine === this.turn) {
        if (this.hits.value.length >= until.hits || performance.now() > until.time) return this.stop();
        await this.look(mine);
      }
      if (mine === this.turn) this.state.value = "done";
    } catch (error) {
      if (mine !== this.turn) return;
      this.error.value = error instanceof Error ? error.message : String(error);
      this.stop();
    }
  }

  stop() {
    if (this.state.peek() !== "searching") return;
    this.turn++;
    this.state.value = "stopped";
  }

  /** @param {number} mine */
  async look(mine) {
    const place = this.place;
    if (!place) return;
    const { question, key, process, next } = place;
    const query = new URLSearchParams({ ...question, process: String(process), from: String(next) });
    /** @type {import("../types.js").SearchResult} */
    const found = asShown(store.program.peek(), await getJson(`${recordingPath(key)}/search?${query}`));
    if (mine !== this.turn) return;
    batch(() => {
      this.hits.value = [...this.hits.value, ...found.hits.map((hit) => ({ ...hit, process }))];
      this.looked.value += found.looked;
      this.all.value = positions();
    });
    place.next = found.next ?? 0;
    if (found.next === null) place.process++;
    if (place.process >= (store.grid.value?.processes ?? 1)) this.place = null;
  }
}

/** Positions of all processes. @returns {number} */
function positions() {
  const grid = store.grid.value;
  return grid ? grid.stepCount + grid.processes : store.steps.value + 1;
}

/** The progress of the search, in words. @param {ValueSearch} search @param {number} [hits] those that are shown @returns {string} */
export function progressText(search, hits = search.hits.value.length) {
  const values = counted(hits, "value");
  if (search.state.value === "none") return "Searches the values of all recorded steps.";
  const left = isWhole() ? "" : " Values that are not whole in this file were not searched.";
  const rounded = hits === 0 && search.isExact ? " Numbers on this page are rounded: give a tolerance." : "";
  if (search.state.value === "done") return `${values} in ${countText(store.steps.value)} steps.${rounded}${left}`;
  const share = `${countText(search.looked.value)} of ${countText(Math.max(search.all.value, search.looked.value))} steps`;
  return search.state.value === "stopped" ? `${values} so far; stopped after ${share}.` : `${values} so far, ${share}…`;
}
