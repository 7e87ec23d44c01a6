/** Loads the processes of a recording: the summary of the grid, then its parts when they are read. */
import { batch } from "@preact/signals";
import { getBinary, getJson, recordingPath } from "../api.js";
import { afterPause } from "../idle.js";
import * as store from "../store.js";
import { GridRecord } from "./record.js";
import { Clock, PAGE, TICKS } from "./record_parts.js";

/** Minimum interval between requests for the grid while a run is recorded. */
const REFRESH_AFTER_MS = 250;

/** Pause before a part that is still missing is requested again. */
const ASK_AGAIN_AFTER_MS = 300;

/** @type {Map<string, Promise<void>>} */
const underWay = new Map();
/** @typedef {{key: string, over: boolean, told: () => void}} News */
let refreshing = false;
/** The last news that has not been handled. @type {News|null} */
let waiting = null;

/** The grid of a recording; null for one process. @param {string} key @param {Told} progress @param {boolean} over @returns {Promise<GridRecord|null>} */
export async function openGrid(key, progress, over) {
  if (processesOf(progress) < 2) return null;
  const grid = new GridRecord(key, await getJson(gridPath(key)));
  grid.over = over;
  return grid;
}

/** @typedef {{processes?: number, grid?: {replicas: number, partitions: number}|null}} Told */

/** @param {Told} told @returns {number} */
export const processesOf = ({ processes, grid }) => processes ?? (grid ? grid.replicas * grid.partitions : 1);

/** @param {string} key */
export const gridPath = (key) => `${recordingPath(key)}/grid`;

/** Handle news of the shown recording: `told` is called once the grid includes it. @param {News} news */
export async function refreshGrid(news) {
  waiting = news;
  if (refreshing) return;
  refreshing = true;
  try {
    while (waiting) {
      const latest = waiting;
      waiting = null;
      // Without an answer the page still shows the progress, and later news is handled.
      await refresh(latest).catch(() => undefined);
      latest.told();
      if (!latest.over) await new Promise((resolve) => setTimeout(resolve, REFRESH_AFTER_MS));
    }
  } finally {
    refreshing = false;
  }
}

/** @param {News} news */
async function refresh({ key, over }) {
  const info = await getJson(gridPath(key));
  if (key !== store.recordingKey.value) return;
  // The news may add a process: the run had one until then.
  const grid = store.grid.value ?? adoptRecord(key, info);
  grid.update(info, over);
  batch(() => {
    store.grid.value = grid;
    store.ticks.value = addNewcomers(store.ticks.value, grid);
    store.outline.value = grid.outline(store.process.value);
    store.steps.value = store.outline.value.steps;
    store.outlineVersion.value++;
    store.gridVersion.value++;
  });
}

/** A run that started with one process: keep its data. @param {string} key @param {import("../types.js").GridInfo} info */
function adoptRecord(key, info) {
  const grid = new GridRecord(key, info);
  grid.outlines.set(0, store.outline.value);
  return grid;
}

/** Processes that start later begin at the tick of the others. @param {number[]} ticks @param {GridRecord} grid @returns {number[]} */
function addNewcomers(ticks, grid) {
  if (ticks.length === grid.processes) return ticks;
  return Array.from({ length: grid.processes }, (_, process) => ticks[process] ?? ticks[0] ?? 0);
}

/** Load a part; concurrent requests share one fetch. @param {import("./record.js").MissingPart} missing @returns {Promise<void>} */
export function fetchPart({ part, owner, chunk }) {
  const grid = store.grid.value;
  if (!grid) return Promise.resolve();
  const name = `${grid.key} ${part} ${owner} ${chunk} ${grid.stamp}`;
  const already = underWay.get(name);
  if (already) return already.then(pause);
  const promise = LOADERS[part](grid, owner, chunk).then(() => {
    if (store.grid.value === grid) store.gridVersion.value++;
  });
  underWay.set(name, promise);
  const forget = () => setTimeout(() => underWay.delete(name), ASK_AGAIN_AFTER_MS);
  promise.then(forget, forget);
  return promise;
}

const pause = () =>
  new Promise((/** @type {(nothing: void) => void} */ resolve) => afterPause(() => resolve(), ASK_AGAIN_AFTER_MS / 6));

/** @type {Record<import("./record.js").Part, (grid: GridRecord, owner: number, chunk: number) => Promise<void>>} */
const LOADERS = { positions: loadPositions, clock: loadClock, executions: loadExecutions };

/** @param {GridRecord} grid @param {number} team @param {number} chunk */
async function loadPositions(grid, team, chunk) {
  const { stamp } = grid;
  const { bytes, header } = await getBinary(`${gridPath(grid.key)}/positions?chunk=${chunk}&team=${team}`);
  grid.addPositions(team, chunk, bytes, Number(header("X-Ticks") ?? TICKS), stamp);
}

/** @param {GridRecord} grid @param {number} process */
async function loadClock(grid, process) {
  const { steps } = grid.track(process);
  const { bytes } = await getBinary(`${gridPath(grid.key)}/clock?process=${process}`);
  grid.clocks.set(process, new Clock(bytes, steps));
}

/** @param {GridRecord} grid @param {number} _owner @param {number} page */
async function loadExecutions(grid, _owner, page) {
  const { stamp } = grid;
  grid.addPage(page, await getJson(`${gridPath(grid.key)}/executions?from=${page * PAGE}`), stamp);
}
