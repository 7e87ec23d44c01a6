/**
 * Loads a recording: the program once, the outline chunk by chunk, those around the position first, and the progress
 * from the live messages.
 */
import { batch, effect } from "@preact/signals";
import { getBytes, getJson, recordingPath } from "../api.js";
import { fetchPart, openGrid, refreshGrid } from "../grid/loading.js";
import { MissingPart } from "../grid/record.js";
import { afterPause } from "../idle.js";
import { say } from "../messages.js";
import { isFile } from "../source.js";
import * as store from "../store.js";
import { showGlimpse } from "./glimpse.js";
import { familyProblem } from "./op_names.js";
import { CHUNK, Missing, MissingChunk, Outline } from "./outline.js";
import { fetchPrints } from "./prints.js";
import { Program } from "./program.js";
import { fetchTable } from "./program_table.js";
import { failure } from "./stop_reasons.js";
import { MissingStops } from "./stops.js";

/** Chunks preloaded on each side of the position: about 130,000 steps. */
const RING = 32;
const AT_ONCE = 6;

/** @type {Map<string, Promise<void>>} */
const underWay = new Map();

/**
 * `processes`: their number, if there are several. `awaiting_item`: the last step waits for an item of a queue.
 *
 * @typedef {{key: string, state: import("../types.js").RunState, steps: number, frames: number, prints: number,
 *   findings?: number, processes?: number, awaiting_item?: boolean}} Progress
 */

/** The last message about each recording: it may arrive before the run is shown. @type {Map<string, Progress>} */
const heard = new Map();

/** Show another run: its program and its outline so far. @param {import("../types.js").RunInfo} run @param {boolean} [isBegun] whether it opens at its first step, with nothing shown before */
export async function openRun(run, isBegun = false) {
  const isAnother = run.key !== store.recordingKey.peek(); // the same program and inputs keep key and findings
  /** @type {Outline|undefined} */
  let begun;
  /** @type {Parameters<typeof fetchTable>[2]} */
  const begin = async (first, load) => {
    begun = await showGlimpse(run, first, load, (outline) => {
      const latest = heard.get(run.key) ?? run;
      progress(outline, latest);
      return () => publish(latest.state);
    });
  };
  const fetchWindow = (/** @type {string} */ path) => getJson(`${recordingPath(run.key)}/${path}`);
  const described = new Program(await fetchTable(fetchWindow, run.text, isBegun ? begin : undefined));
  const problem = familyProblem(described.ops);
  if (problem) say({ kind: "error", text: problem });
  underWay.clear();
  const latest = heard.get(run.key) ?? run;
  const grid = await openGrid(run.key, latest, isOver(latest.state));
  const processes = grid?.processes ?? 1;
  const process = Math.min(store.process.peek(), processes - 1);
  const outline = grid?.outline(process) ?? begun ?? new Outline();
  if (grid === null) progress(outline, latest);
  batch(() => {
    if (grid && store.grid.peek() === null) store.askedPanel.value = { id: "grid", isFirst: true };
    store.grid.value = grid;
    store.process.value = process;
    store.ticks.value = Array.from({ length: processes }, () => 0);
    store.held.value = new Map();
    store.lockstep.value = "all";
    store.run.value = run;
    store.program.value = described;
    store.glimpse.value = null;
    store.outline.value = outline;
    store.position.value = 0;
    store.chosenValue.value = null;
    store.chosenPath.value = [];
    store.prints.value = [];
    if (isAnother) store.findings.value = null;
    store.findingCount.value = latest.findings ?? 0;
    publish(latest.state);
  });
  fetchPrints(run.key, latest.prints);
  // News that arrived while the grid was loading, before the page showed this run: perhaps the last message.
  const newest = heard.get(run.key);
  if (newest && newest !== latest) updateRecording(newest);
}

/** @param {import("../types.js").RunState} state @returns {boolean} */
const isOver = ({ kind }) => kind === "done" || kind === "failed" || isFile();

/** The only process. @param {Outline} outline @param {Pick<Progress, "state"|"steps"|"frames"|"awaiting_item">} latest */
function progress(outline, { state, steps, frames, awaiting_item = false }) {
  outline.steps = Math.max(outline.steps, steps);
  outline.frames = Math.max(outline.frames, frames);
  outline.done = state.kind === "done";
  outline.waits = awaiting_item;
  outline.complete = isOver(state);
}

/** @param {import("../types.js").RunState} state */
function publish(state) {
  const outline = store.outline.value;
  const before = store.recordingState.peek();
  batch(() => {
    store.recordingState.value = state;
    store.steps.value = outline.steps;
    store.outlineVersion.value++;
  });
  // Immediately, not only when someone steps there.
  if (state.kind === "failed" && before.reason !== state.reason) say({ kind: "error", text: failure(state) });
}

/** The server has recorded more. @param {Progress} message */
export function updateRecording({
  key,
  state,
  steps,
  frames,
  prints,
  findings = 0,
  processes = 1,
  awaiting_item = false,
}) {
  heard.set(key, { key, state, steps, frames, prints, findings, processes, awaiting_item });
  if (key !== store.recordingKey.value) return;
  const told = () => {
    publish(state);
    store.findingCount.value = findings;
    fetchPrints(key, prints);
  };
  if (processes > 1) return void refreshGrid({ key, over: isOver(state), told });
  progress(store.outline.value, { state, steps, frames, awaiting_item });
  told();
}

/** Load a chunk of a process; concurrent requests share one fetch. @param {"steps"|"frames"} column @param {number} chunk @param {number} [process] @returns {Promise<void>} */
export function fetchChunk(column, chunk, process = store.outline.value.source) {
  const key = store.recordingKey.value;
  const name = `${key} ${process} ${column} ${chunk}`;
  const already = underWay.get(name);
  if (already) return already;
  const promise = load(column, chunk, process, String(key)).finally(() => underWay.delete(name));
  underWay.set(name, promise);
  return promise;
}

/** @param {"steps"|"frames"} column @param {number} chunk @param {number} process @param {string} key */
async function load(column, chunk, process, key) {
  const part = column === "steps" ? "outline" : "frames";
  const grid = store.grid.value;
  const from = grid?.furthest(process) ?? process;
  const whose = from === 0 ? "" : `&process=${from}`;
  const bytes = await getBytes(`${recordingPath(key)}/${part}?chunk=${chunk}${whose}`);
  if (key !== store.recordingKey.value || (grid && grid.track(from).like !== process)) return;
  const outline = grid?.outline(process) ?? store.outline.value;
  // Before the first progress message, the chunk states what exists.
  const most = grid ? Infinity : outline[column] || Infinity;
  if (column === "steps") outline.addSteps(chunk, bytes, most);
  else outline.addFrames(chunk, bytes, most);
  grid?.count(outline);
  // The grid alone tracks the progress of other processes.
  if (outline.source !== store.outline.value.source) return void store.gridVersion.value++;
  batch(() => {
    store.steps.value = store.outline.value.steps;
    store.outlineVersion.value++;
  });
}

/**
 * Read outlines and grid; load a missing part and the parts that follow it, and retry.
 *
 * @template T @param {() => T} ask @returns {Promise<T>}
 */
export async function whenHere(ask) {
  for (let attempt = 0; ; attempt++) {
    try {
      return ask();
    } catch (error) {
      if (!(error instanceof Missing) || attempt > 100_000) throw error;
      await (error instanceof MissingChunk ? fetchFrom(error) : fetchMissing(error));
    }
  }
}

/** A search that misses one chunk will soon miss the next. @param {MissingChunk} missing */
async function fetchFrom({ column, chunk, process }) {
  const outline = store.outlineOf(process);
  const total = column === "steps" ? outline.steps : outline.frames;
  for (let next = chunk + 1; next < chunk + AT_ONCE && next * CHUNK < total; next++) {
    if (!outline.has(column, next)) fetchChunk(column, next, process).catch(() => undefined);
  }
  await fetchChunk(column, chunk, process);
  // The newest steps may not be served yet.
  if (!outline.has(column, chunk)) await new Promise((resolve) => afterPause(() => resolve(null), 50));
}

/** @param {Missing} missing @returns {Promise<void>} */
async function fetchMissing(missing) {
  if (missing instanceof MissingPart) await fetchPart(missing);
  else if (missing instanceof MissingStops) await missing.list.fetch();
  else if (missing instanceof MissingChunk) await fetchChunk(missing.column, missing.chunk, missing.process);
}

/** Preload the chunks around the position, nearest first. */
export function keepRing() {
  store.onMissing((missing) => fetchMissing(missing).catch(() => undefined));
  effect(() => {
    store.outlineVersion.value;
    if (store.program.value === null) return;
    for (const [column, chunk] of wantedChunks(store.outline.value, store.position.value)) {
      if (underWay.size >= AT_ONCE) break;
      fetchChunk(column, chunk).catch(() => undefined);
    }
  });
}

/** @param {Outline} outline @param {number} position @returns {Generator<["steps"|"frames", number]>} */
function* wantedChunks(outline, position) {
  const middle = Math.floor(position / CHUNK);
  for (let distance = 0; distance <= RING; distance++) {
    for (const chunk of distance ? [middle + distance, middle - distance] : [middle]) {
      if (chunk < 0) continue;
      if (chunk * CHUNK < outline.steps && !outline.has("steps", chunk)) yield ["steps", chunk];
      if (chunk * CHUNK < outline.frames && !outline.has("frames", chunk)) yield ["frames", chunk];
    }
  }
}
