/**
 * The processes of a recording as far as they are loaded: the progress of each, its position at a tick, and
 * collective executions. It fetches nothing: missing parts throw `MissingPart`, and `loading.js` loads them.
 */
import { Missing, Outline } from "../run/outline.js";
import { chunkOfTick, CollectiveExecution, PositionChunk, PAGE, TICKS } from "./record_parts.js";
/** @import {DeadlockReport, GridInfo, TeamInfo as Team, TrackInfo as Track, DeadlockWait as Wait, QueueInfo as Queue} from "../types.js" */

/** @typedef {"positions"|"clock"|"executions"} Part */

/** While a run is recorded, the latest executions are used without waiting for all of them. */
const FRESH_MS = 2_000;

/** Thrown when a missing part of the grid is read. */
export class MissingPart extends Missing {
  /** @param {Part} part @param {number} owner the launch group or the process of the part @param {number} chunk */
  constructor(part, owner, chunk) {
    super(`${part} ${owner} ${chunk} has not arrived`);
    this.part = part;
    this.owner = owner;
    this.chunk = chunk;
  }
}

export class GridRecord {
  /** @param {string} key of the recording @param {GridInfo} info */
  constructor(key, info) {
    this.key = key;
    this.info = info;
    /** Grows with the recording: parts that are not final are loaded again. */
    this.stamp = 0;
    /** Whether the recording has ended. */
    this.over = false;
    /** @type {Map<number, Outline>} */
    this.outlines = new Map();
    /** @type {Map<string, PositionChunk>} */
    this.positions = new Map();
    /** @type {Map<number, import("./record_parts.js").Clock>} */
    this.clocks = new Map();
    /** @type {Map<number, import("./record_parts.js").ExecutionPage>} */
    this.pages = new Map();
  }

  /** Update the record with news from the server. @param {GridInfo} info @param {boolean} over */
  update(info, over) {
    const before = this.info.tracks;
    this.info = info;
    this.over = over;
    this.stamp++;
    // A part that several processes share may belong to one that now differs.
    before.forEach(({ like }, process) => like !== this.track(process).like && this.outlines.get(like)?.forget());
    for (const [process, outline] of this.outlines) {
      if (this.hasLeft(process, outline)) this.outlines.delete(process);
      else this.count(outline);
    }
  }

  /** Whether a process differs from the one whose outline it shares. @param {number} process @param {Outline} outline */
  hasLeft(process, outline) {
    const { like } = this.track(process);
    return (
      outline.source !== like &&
      (outline.source !== process || outline.stepChunks.length + outline.frameChunks.length === 0)
    );
  }

  /** The process with the most steps among those with the same outline: its chunks serve all. @param {number} source @returns {number} */
  furthest(source) {
    const { tracks } = this.info;
    const length = (/** @type {number} */ process) => this.track(process).steps;
    return tracks.reduce(
      (best, { like }, process) => (like === source && length(process) > length(best) ? process : best),
      source,
    );
  }

  get processes() {
    return this.info.processes;
  }

  /** The last tick with an event. @returns {number} */
  get lastTick() {
    return Math.max(0, this.info.ticks);
  }

  /** The total number of steps of all processes. @returns {number} */
  get stepCount() {
    return this.info.tracks.reduce((sum, { steps }) => sum + steps, 0);
  }

  /** The tick up to which everything is recorded: a waiting process is behind those that it waits for, which are running. @returns {number} */
  get recordedTicks() {
    if (this.over) return Infinity;
    return this.info.tracks.reduce(
      (least, { state, end }) => (state === "ready" || state === "running" ? Math.min(least, end) : least),
      Infinity,
    );
  }

  /** @param {number} process @returns {Track} */
  track(process) {
    return this.info.tracks[process] ?? { steps: 0, frames: 0, prints: 0, state: "ready", end: 0, like: process };
  }

  /** The number of the launch group of a process. @param {number} process @returns {number} */
  teamOf(process) {
    return Math.max(
      0,
      this.info.teams.findLastIndex(({ first }) => first <= process),
    );
  }

  /** @param {number} number @returns {Team} */
  team(number) {
    const found = this.info.teams[number];
    if (!found) throw new RangeError(`there is no launch group ${number}`);
    return found;
  }

  /** Processes of a launch group. @param {number} number @returns {number[]} */
  members(number) {
    const { first, replicas, partitions } = this.team(number);
    return Array.from({ length: replicas * partitions }, (_, index) => first + index);
  }

  /** `(0, 1)`: replica and partition; of a further launch group with its number. @param {number} process @returns {string} */
  nameOf(process) {
    const number = this.teamOf(process);
    const { first, partitions } = this.team(number);
    const index = process - first;
    const name = `(${Math.floor(index / partitions)}, ${index % partitions})`;
    return number === 0 ? name : `launch group ${number} ${name}`;
  }

  /** @param {number} process @returns {Outline} */
  outline(process) {
    const here = this.outlines.get(process);
    if (here) return here;
    const { like } = this.track(process);
    const made = like === process ? new Outline(process) : this.outline(like).as(process);
    this.count(made);
    this.outlines.set(process, made);
    return made;
  }

  /** The progress of a process. @param {Outline} outline */
  count(outline) {
    const { steps, frames, state } = this.track(outline.process);
    outline.steps = steps;
    outline.frames = frames;
    outline.done = state === "done";
    outline.waits = state === "waiting" || state === "awaiting_item";
    outline.complete = outline.done || this.over;
  }

  /** The position of a process at a tick. @param {number} process @param {number} tick @returns {import("./record_parts.js").ProcessPosition} */
  positionAt(process, tick) {
    const team = this.teamOf(process);
    const chunk = this.positionChunk(team, chunkOfTick(tick));
    const stale = chunk && tick % TICKS >= chunk.known && chunk.stamp !== this.stamp;
    if (!chunk || stale) throw new MissingPart("positions", team, chunkOfTick(tick));
    return chunk.at(process - this.team(team).first, tick);
  }

  /** @param {number} team @param {number} chunk @returns {PositionChunk|undefined} */
  positionChunk(team, chunk) {
    return this.positions.get(`${team} ${chunk}`);
  }

  /** @param {number} team @param {number} chunk @param {ArrayBuffer} bytes @param {number} known @param {number} stamp */
  addPositions(team, chunk, bytes, known, stamp) {
    const { replicas, partitions } = this.team(team);
    this.positions.set(`${team} ${chunk}`, new PositionChunk(bytes, replicas * partitions, known, stamp));
  }

  /**
   * The clock of a process, as far as it is needed: while a run is recorded, it is never all loaded.
   *
   * @param {number} process @param {{step?: number, tick?: number}} upTo @returns {import("./record_parts.js").Clock}
   */
  clock(process, { step = 0, tick = 0 }) {
    const here = this.clocks.get(process);
    const reaches = here && here.steps > step && here.tickOf(here.steps) > tick;
    if (!here || !(reaches || here.steps >= this.track(process).steps)) throw new MissingPart("clock", process, 0);
    return here;
  }

  /** @param {number} number @returns {CollectiveExecution} */
  execution(number) {
    const page = this.pages.get(Math.floor(number / PAGE));
    const found = page?.executions[number % PAGE];
    if (!found) throw new MissingPart("executions", 0, Math.floor(number / PAGE));
    return found;
  }

  /** All collective executions so far: comparing positions requires each of them. @returns {CollectiveExecution[]} */
  allExecutions() {
    const pages = Math.ceil(this.info.collective_executions / PAGE);
    const all = [];
    for (let number = 0; number < pages; number++) {
      if (!this.hasPage(number)) throw new MissingPart("executions", 0, number);
      all.push(.../** @type {import("./record_parts.js").ExecutionPage} */ (this.pages.get(number)).executions);
    }
    return all;
  }

  /** @param {number} number @returns {boolean} */
  hasPage(number) {
    const page = this.pages.get(number);
    return (
      page !== undefined &&
      (page.final || page.stamp === this.stamp || (!this.over && page.at + FRESH_MS > performance.now()))
    );
  }

  /** @param {number} number @param {import("./record_parts.js").ExecutionInfo[]} infos @param {number} stamp */
  addPage(number, infos, stamp) {
    const final = infos.length === PAGE && infos.every(({ end }) => end !== null);
    this.pages.set(number, {
      executions: infos.map((info) => new CollectiveExecution(info)),
      stamp,
      final,
      at: performance.now(),
    });
  }
}

/** Processes in sentences. */

const MOST_NAMES = 6;

/** "(0, 1), (0, 2) and (0, 3)"; of many only the first. @param {{nameOf: (process: number) => string}} grid @param {readonly number[]} processes @param {number} [most] @returns {string} */
export function namesOf(grid, processes, most = MOST_NAMES) {
  if (processes.length === 0) return "no process";
  const shown = processes.slice(0, processes.length > most ? most - 1 : most).map((process) => grid.nameOf(process));
  const more = processes.length - shown.length;
  const names = more > 0 ? [...shown, `${more} more`] : shown;
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
