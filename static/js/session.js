/** A session's life: opened, saved, followed, run. What the panels do to it is in actions.js. */
import { batch, effect } from "@preact/signals";
import { ApiError, getJson, sendJson, sessionPath } from "./api.js";
import { Live } from "./live.js";
import { keptBreakpoints, readBreakpoints } from "./run/breakpoints.js";
import { fetchChunk, keepRing, openRun, recorded } from "./run/recording.js";
import { framesAround } from "./run/values.js";
import * as store from "./store.js";
import { tell } from "./console.js";

const SAVE_AFTER_MS = 800;
const LOOK_AFTER_MS = 5_000;
const ADDRESS_AFTER_MS = 150;

/** @type {Live|null} */
let live = null;

/** @param {string} id @returns {Promise<{session: import("./types.js").SessionInfo, step: number|null, process: number}>} */
export async function openSession(id) {
  const query = new URLSearchParams(location.search);
  // First of all: it keeps the session's place where others wait too, and tells which.
  const line = (live = new Live(id, heard, (problem) => (store.lineProblem.value = problem)));
  const session = await inTurn(id).catch((error) => {
    line.close();
    throw error;
  });
  const run = await runToOpen(session, query.get("run"));
  batch(() => {
    store.sessionId.value = session.id;
    store.sessionName.value = session.name;
    store.runs.value = session.runs;
    store.draft.value = session.text;
    store.diagnostics.value = session.diagnostics;
    const { lines, limits } = readBreakpoints(session.breakpoints ?? []);
    store.breakpoints.value = lines;
    store.breakpointLimits.value = limits;
  });
  keepRing();
  if (run) await openRun(run);
  if (run) await fetchChunk("steps", 0).catch(tell);
  return { session, step: stepToOpen(query.get("step"), session, run), process: Number(query.get("process")) || 0 };
}

/** The session as soon as it is its turn to have a worker. @param {string} id @returns {Promise<import("./types.js").SessionInfo>} */
async function inTurn(id) {
  for (;;) {
    /** @type {import("./types.js").SessionInfo} */
    const session = await getJson(`${sessionPath(id)}?wait=false`);
    store.waiting.value = session.waiting?.before ?? null;
    if (store.waiting.value === null) return session;
    store.sessionName.value = session.name;
    await turn();
  }
}

/** Until the live line says that a worker is there; where it is silent, one looks now and then. @returns {Promise<void>} */
function turn() {
  return new Promise((resolve) => {
    const stop = listen(({ type, before }) => type === "waiting" && before === null && goOn());
    const timer = setTimeout(goOn, LOOK_AFTER_MS);
    function goOn() {
      clearTimeout(timer);
      stop();
      resolve();
    }
  });
}

/** @param {import("./types.js").SessionInfo} session @param {string|null} number */
async function runToOpen(session, number) {
  if (number === null || Number(number) === session.run?.number) return session.run;
  try {
    return await getJson(`${sessionPath(session.id)}/runs/${Number(number)}`);
  } catch (error) {
    tell(error);
    return session.run;
  }
}

/** A link says where to open, else where one was. @param {string|null} asked @param {import("./types.js").SessionInfo} session @param {import("./types.js").RunInfo|null} run */
function stepToOpen(asked, session, run) {
  if (asked !== null && /^\d+$/.test(asked)) return Number(asked);
  return run === session.run ? (session.position?.step ?? null) : null;
}

/** @type {Set<(message: import("./live.js").Message) => void>} */
const listeners = new Set();

/** Be told what the live line says. @param {(message: import("./live.js").Message) => void} listener @returns {() => void} */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param {import("./live.js").Message} message */
function heard(message) {
  if (message.type === "state") recorded(/** @type {any} */ (message));
  if (message.type === "waiting") store.waiting.value = message.before;
  if (message.type === "error") tell(new ApiError(0, { message: message.message }));
  for (const listener of [...listeners]) listener(message);
}

/** Ask for so many steps more, or null for all that come. @param {number|null} steps */
export function record(steps) {
  live?.send({ type: "record", run: store.run.value?.number, steps });
}

export function pauseRecording() {
  live?.send({ type: "pause", run: store.run.value?.number });
}

/** Fetch another run of this session and show it. @param {number} number */
export async function showRun(number) {
  await openRun(await getJson(`${sessionPath(store.sessionId.value)}/runs/${number}`));
}

/**
 * Start a run of the text in the editor. With errors there is none, and the old one stays.
 *
 * @param {import("./types.js").InputSpec[]|null} inputs null: those of the run before, where their types still fit
 * @param {import("./types.js").GridSize|null} [grid] null: that of the run before, or what the program says where inputs are given
 */
export async function startRun(inputs, grid = null) {
  const body = { text: store.draft.value, entry: store.run.value?.entry, inputs, grid, breakpoints: breakpointsToKeep() };
  const answer = await sendJson(`${sessionPath(store.sessionId.value)}/runs`, body);
  store.diagnostics.value = answer.diagnostics ?? [];
  if (answer.run === null) return answer;
  const title = { number: answer.run.number, created: "", title: answer.run.entry };
  store.runs.value = [...store.runs.value.filter(({ number }) => number !== title.number), title];
  await openRun(answer.run);
  return answer;
}

const breakpointsToKeep = () => keptBreakpoints(store.breakpoints.value, store.breakpointLimits.value);

/** Keep the address bar and the server up to date, a moment after the last change. */
export function keepSaved() {
  later(ADDRESS_AFTER_MS, () => [store.position.value, store.process.value, store.run.value?.number], writeAddress);
  later(SAVE_AFTER_MS, () => [store.position.value, store.breakpoints.value, store.breakpointLimits.value], savePosition);
  later(SAVE_AFTER_MS, () => [store.draft.value], saveDraft);
}

/** @param {number} pause @param {() => unknown} watched @param {() => void} act */
function later(pause, watched, act) {
  let timer = 0;
  let first = true;
  effect(() => {
    watched();
    if (!first) {
      clearTimeout(timer);
      timer = window.setTimeout(act, pause);
    }
    first = false;
  });
}

/** The address of this moment. @returns {URL} */
export function momentAddress() {
  const url = new URL(location.href);
  url.searchParams.delete("token");
  const run = store.run.value;
  if (run === null) return url;
  url.searchParams.set("run", String(run.number));
  url.searchParams.set("step", String(store.position.value));
  if (store.process.value > 0) url.searchParams.set("process", String(store.process.value));
  else url.searchParams.delete("process");
  return url;
}

function writeAddress() {
  history.replaceState(history.state, "", momentAddress());
}

function savePosition() {
  const run = store.run.value?.number;
  if (run === undefined) return;
  const breakpoints = breakpointsToKeep();
  live?.send({ type: "position", run, step: store.position.value, path: path() ?? [], breakpoints });
}

/** The frames around the position as (op, iteration), outermost first: they survive when step numbers do not. */
function path() {
  return store.atPosition((outline, at) =>
    framesAround(outline, at).slice(0, -1).reverse()
      .map((frame) => [outline.op(outline.opener(frame)), outline.iteration(frame)]));
}

function saveDraft() {
  sendJson(`${sessionPath(store.sessionId.value)}/draft`, { text: store.draft.value }, { method: "PUT" }).catch(tell);
}
