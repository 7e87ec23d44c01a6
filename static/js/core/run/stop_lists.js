/** The steps at which breakpoints stop, as the server computes them. A saved page has none. */
import { signal } from "@preact/signals";
import { getJson, recordingPath } from "../api.js";
import * as store from "../store.js";
import { isOnLine } from "./breakpoints.js";
import { otherPath, otherRun } from "./other_run.js";
import { keepLast } from "../kept.js";
/** @import {BreakpointInfo, BreakpointProblem, StopsInfo} from "../types.js" */
/** @import {Outline} from "./outline.js" */

/** Maximum number of log messages of one move. */
export const MOST_LOGS = 200;
const MOST_LISTS = 200;

/** Grows when stops arrive. */
export const arrivals = signal(0);

/** The stops of a breakpoint in a process, in order. */
export class StopList {
  /** @param {() => Promise<string>|string} path of the request, without its range @param {number} process */
  constructor(path, process) {
    this.path = path;
    this.process = process;
    /** @type {number[]} */
    this.steps = [];
    /** The first step that is not evaluated. */
    this.seen = 0;
    /** @type {Map<number, string>} */
    this.errors = new Map();
    this.problem = /** @type {BreakpointProblem|null} */ (null);
    this.isEmpty = false;
    /** The number of recorded steps with which the server could evaluate no more. */
    this.stalledAt = -1;
    this.underWay = /** @type {Promise<void>|null} */ (null);
  }

  /** Whether recorded steps remain to be evaluated. @param {Outline} outline @returns {boolean} */
  isShort(outline) {
    const stalls = this.stalledAt === outline.steps && !outline.complete;
    return this.problem === null && this.seen < outline.steps && !stalls;
  }

  /** Load the next part; concurrent requests share one. @returns {Promise<void>} */
  fetch() {
    return (this.underWay ??= this.load().finally(() => (this.underWay = null)));
  }

  async load() {
    const steps = store.outlineOf(this.process).steps;
    /** @type {StopsInfo} */
    const found = await getJson(`${await this.path()}&from=${this.seen}`);
    if (found.next <= this.seen && found.problem === null) this.stalledAt = steps;
    for (const step of found.steps) this.steps.push(step);
    for (const { step, message } of found.errors) this.errors.set(step, message);
    this.seen = found.next;
    this.problem = found.problem;
    this.isEmpty = found.empty;
    arrivals.value++;
  }
}

/** By request; the last ones are kept. @type {Map<string, StopList>} */
const lists = new Map();

/** @param {BreakpointInfo} point @param {number} process @returns {StopList} */
export function listOf(point, process) {
  const id = `${otherOf(point)} ${queryOf(point, process)} ${store.recordingKey.value}`;
  const found = lists.get(id) ?? new StopList(() => pathOf(point, process), process);
  return keepLast(lists, id, found, MOST_LISTS);
}

/** The other run, on which the stops of a breakpoint depend; null if they do not. @param {BreakpointInfo} point @returns {string|null} */
const otherOf = ({ kind }) => (kind === "differs" ? `${otherRun.value} ${store.comparedValues.value}` : null);

/** @param {BreakpointInfo} point @param {number} process @returns {URLSearchParams} */
function queryOf(point, process) {
  const { kind, condition, hits, log } = point;
  const query = new URLSearchParams({ at: String(isOnLine(point) ? lineInRun(point) : point.at) });
  if (kind !== "differs") query.set("kind", kind);
  for (const [name, text] of Object.entries({ condition, hits, log })) if (text) query.set(name, text);
  if (process !== 0) query.set("process", String(process));
  return query;
}

/** @param {BreakpointInfo} point @param {number} process @returns {Promise<string>} */
async function pathOf(point, process) {
  const query = queryOf(point, process);
  if (point.kind === "differs") return `${await otherPath("/stops")}&${query}`;
  return `${recordingPath(store.recordingKey.value ?? "")}/stops?${query}`;
}

/** The line of the run at which the breakpoint stops; 0 for none. @param {BreakpointInfo} point @returns {number} */
function lineInRun(point) {
  const line = store.lineMap.value.toRun(Number(point.at));
  return (line === null ? null : store.program.value?.snap(line)) ?? 0;
}

/** The log messages from step `from` to step `stop` (exclusive), at most the last ones. @param {BreakpointInfo} point @param {number} process @param {number} from @param {number} stop @returns {Promise<{step: number, text: string}[]>} */
export async function logsOf(point, process, from, stop) {
  const path = await pathOf(point, process);
  /** @type {{step: number, text: string}[]} */
  let logs = [];
  for (let at = from; at < stop;) {
    /** @type {StopsInfo} */
    const { steps, texts, next } = await getJson(`${path}&from=${at}&stop=${stop}`);
    logs = [...logs, ...steps.map((step, i) => ({ step, text: texts[i] ?? "" }))].slice(-MOST_LOGS);
    if (next <= at) break;
    at = next;
  }
  return logs;
}
