/** The life of a session: open, save, follow, run. actions.js has what panels do with it. */
import { batch, effect } from "@preact/signals";
import { ApiError, getJson, sendJson, sessionPath } from "./api.js";
import { begin } from "./idle.js";
import { fetchRun, longText } from "./long_texts.js";
import { reportError } from "./messages.js";
import { addressQuery, positionUrl, VALUES } from "./position_url.js";
import { keepFindings } from "./run/findings.js";
import { fetchChunk, keepRing, openRun, updateRecording } from "./run/recording.js";
import { keptBreakpoints, readBreakpoints } from "./run/breakpoints.js";
import { keepStops } from "./run/evaluated_stops.js";
import { framesAround } from "./run/values.js";
import { source } from "./source.js";
import * as store from "./store.js";

const SAVE_AFTER_MS = 800;
const LOOK_AFTER_MS = 5_000;
const ADDRESS_AFTER_MS = 150;

/** @type {import("./source.js").Line|null} */
let live = null;

/** `onText`: called when the program is here, which may not have run yet @param {string} id @param {() => void} [onText] @returns {Promise<{session: import("./types.js").SessionInfo, step: number|null, process: number|null}>} */
export async function openSession(id, onText = () => {}) {
  const query = new URLSearchParams(addressQuery());
  // First, so that the session keeps its position in the queue and reports it.
  const line = (live = source().follow(id, receive, (problem) => (store.lineProblem.value = problem)));
  const session = await inTurn(id, onText).catch((error) => {
    line.close();
    throw error;
  });
  const run = await runToOpen(session, query.get("run"));
  const text = textBefore;
  batch(() => {
    store.sessionId.value = session.id;
    store.sessionName.value = session.name;
    store.readOnly.value = session.read_only;
    store.runs.value = session.runs;
    // Keep what the user typed during verification.
    if (text === null || store.draft.value === text) store.draft.value = session.text;
    store.diagnostics.value = session.diagnostics;
    store.breakpoints.value = readBreakpoints(session.breakpoints ?? []);
  });
  keepRing();
  keepFindings();
  keepStops();
  keepIdleTrue();
  const step = stepToOpen(query.get("step"), session, run);
  if (run) await openRun(run, !step);
  openComparison(query.get("compare"));
  if (run) await fetchChunk("steps", 0).catch(reportError);
  return { session, step, process: processToOpen(query.get("process")) };
}

/** The text shown during verification, or the part of it that is here. @type {string|null} */
let textBefore = null;

/** The session after its turn in the queue and its verification. @param {string} id @param {() => void} onText @returns {Promise<import("./types.js").SessionInfo>} */
async function inTurn(id, onText) {
  for (;;) {
    // First, because a message may overtake the answer.
    const ended = news(({ verifying, turn }) => verifying === null || turn === null);
    /** @type {import("./types.js").SessionInfo} */
    const session = await getJson(`${sessionPath(id)}?wait=false&once=true&apart=true`);
    const texts = fetchTexts(session, onText);
    store.waiting.value = session.waiting;
    store.verifying.value = session.verifying;
    store.sessionName.value = session.name;
    if (session.verifying) {
      const end = begin();
      if (session.text) showText(session.id, session.text, onText);
      if (session.long_text) texts.catch(() => undefined); // the next answer has the same text, and its error
      await (session.long_text ? ended : Promise.all([ended, texts])).finally(end);
    } else if (store.waiting.value === null) {
      // What is not about a place, such as that the user cancelled, does not wait for the rest of the text.
      if (!session.run) store.diagnostics.value = session.diagnostics.filter(({ to }) => to === 0);
      await texts;
      return session;
    } else await ended;
  }
}

/** Complete the session with its long texts; what is here of them is shown. @param {import("./types.js").SessionInfo} session @param {() => void} onText */
async function fetchTexts(session, onText) {
  const { id, run, long_text: long } = session;
  if (long) {
    const show = (/** @type {string} */ start) => {
      store.textComes.value = true;
      showText(id, start, onText);
    };
    session.text = await (wholeText = longText(id, long, show));
    if (store.textComes.peek()) showRest(session.text);
  }
  if (run?.long_text) run.text = await longText(id, run.long_text);
  if (run) run.text ||= session.text;
}

/** The text whose beginning is shown. @type {Promise<unknown>} */
let wholeText = Promise.resolve();

/** Show the rest of a text behind the lines that may have been edited meanwhile. @param {string} text */
function showRest(text) {
  const [start, draft] = [textBefore ?? "", store.draft.peek()];
  textBefore = text;
  store.draft.value = draft === start ? text : draft + text.slice(start.length);
  store.textComes.value = false;
}

/** Show the program before it is verified. @param {string} id @param {string} text @param {() => void} onText */
function showText(id, text, onText) {
  if (textBefore !== null) return;
  textBefore = text;
  batch(() => {
    store.sessionId.value = id;
    store.draft.value = text;
  });
  onText();
}

/** Wait for a matching live message; poll where the line stays silent. @param {(message: import("./live.js").Message) => boolean} isSo @returns {Promise<void>} */
const news = (isSo) =>
  new Promise((resolve) => {
    let timer = setTimeout(goOn, LOOK_AFTER_MS);
    const stop = listen((message) => {
      clearTimeout(timer);
      if (isSo(message)) goOn();
      else timer = setTimeout(goOn, LOOK_AFTER_MS);
    });
    function goOn() {
      clearTimeout(timer);
      stop();
      resolve();
    }
  });

/** @param {import("./types.js").SessionInfo} session @param {string|null} number */
async function runToOpen(session, number) {
  if (number === null || Number(number) === session.run?.number) return session.run;
  try {
    return await fetchRun(session.id, Number(number));
  } catch (error) {
    reportError(error);
    return session.run;
  }
}

/** A link states where to open, else the stored position does. @param {string|null} asked @param {import("./types.js").SessionInfo} session @param {import("./types.js").RunInfo|null} run */
function stepToOpen(asked, session, run) {
  if (asked !== null && /^\d+$/.test(asked)) return Number(asked);
  return run === session.run ? (session.position?.step ?? null) : null;
}

/** A link may name the run to compare with. @param {string|null} asked */
function openComparison(asked) {
  if (asked?.startsWith(VALUES)) {
    store.comparedValues.value = asked.slice(VALUES.length);
    store.askedPanel.value = { id: "compare" };
    return;
  }
  if (asked === null || !store.runs.value.some(({ number }) => String(number) === asked)) return;
  store.comparedRun.value = Number(asked);
  store.askedPanel.value = { id: "compare" };
}

/** @param {string|null} asked */
const processToOpen = (asked) => (asked !== null && /^\d+$/.test(asked) ? Number(asked) : null);

/** While a recording grows or a session queues, the page waits for live messages. */
function keepIdleTrue() {
  let end = () => {};
  effect(() => {
    const waits = store.pending.value !== null || store.waiting.value !== null || store.verifying.value !== null;
    end();
    end = waits || store.recordingState.value.kind === "recording" ? begin() : () => {};
  });
}

/** @type {Set<(message: import("./live.js").Message) => void>} */
const listeners = new Set();

/** Listen to live messages. @param {(message: import("./live.js").Message) => void} listener @returns {() => void} */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Handle a live message. @param {import("./live.js").Message} message */
export function receive(message) {
  if (message.type === "state") updateRecording(/** @type {any} */ (message));
  if (message.type === "waiting") store.waiting.value = message.turn;
  if (message.type === "verifying") hearVerifying(message.verifying);
  if (message.type === "error") reportError(new ApiError(0, { message: message.message }));
  for (const listener of [...listeners]) listener(message);
}

/** A worker that resumes a run verifies it again; the page does not wait for it. @param {import("./types.js").Verifying|null} verifying */
function hearVerifying(verifying) {
  if (store.run.value === null || verifying === null) store.verifying.value = verifying;
}

/** Stop the verification of a program that has no run yet. */
export function cancelVerification() {
  live?.send({ type: "pause" });
}

/** Request this many more steps, or null for all. @param {number|null} steps */
export function record(steps) {
  live?.send({ type: "record", run: store.run.value?.number, steps });
}

export function pauseRecording() {
  live?.send({ type: "pause", run: store.run.value?.number });
}

/** Load another run of this session and show it. @param {number} number */
export async function showRun(number) {
  // Keep edits that have not run.
  const isWritten = store.changed.value;
  const run = await fetchRun(store.sessionId.value, number);
  // First, so that lines of the run are mapped to the shown text.
  if (!isWritten) store.draft.value = run.text;
  await openRun(run);
}

/**
 * Start a run of the program in the editor. With errors there is none, and the old run stays.
 *
 * @param {import("./types.js").InputSpec[]|null} inputs null: those of the previous run, if their types still fit
 * @param {import("./types.js").GridSize|null} [grid] null: that of the previous run, or what the program states
 * @param {string|null} [start] the job that computed the values before the start line; null: the run starts at its first op
 */
export async function startRun(inputs, grid = null, start = null) {
  await wholeText;
  const body = {
    text: store.draft.value,
    entry: store.run.value?.entry,
    inputs,
    grid,
    start,
    breakpoints: breakpointsToKeep(),
  };
  const answer = await sendJson(`${sessionPath(store.sessionId.value)}/runs?once=true`, body);
  store.diagnostics.value = answer.diagnostics ?? [];
  if (answer.run === null) return answer;
  answer.run.text ||= body.text;
  const title = { number: answer.run.number, created: "", title: answer.run.entry };
  store.runs.value = [...store.runs.value.filter(({ number }) => number !== title.number), title];
  await openRun(answer.run);
  return answer;
}

const breakpointsToKeep = () => keptBreakpoints(store.breakpoints.value);

/** Keep the address bar and the server up to date, shortly after the last change. */
export function keepSaved() {
  afterChange(
    ADDRESS_AFTER_MS,
    () => [
      store.position.value,
      store.process.value,
      store.run.value?.number,
      store.comparedRun.value,
      store.comparedValues.value,
      store.stageTab.value,
      store.chosenValue.value,
      store.standing.value,
    ],
    writeAddress,
  );
  if (store.readOnly.peek()) return;
  afterChange(SAVE_AFTER_MS, () => [store.position.value, store.breakpoints.value], savePosition);
  afterChange(SAVE_AFTER_MS, () => [store.draft.value], saveDraft);
}

/** Act shortly after the last change, or before the page is left. @param {number} pause @param {() => unknown} watched @param {(isLeaving: boolean) => void} act */
function afterChange(pause, watched, act) {
  let timer = 0;
  let first = true;
  const end = (/** @type {boolean} */ isLeaving) => {
    clearTimeout(timer);
    timer = 0;
    act(isLeaving);
  };
  effect(() => {
    watched();
    clearTimeout(timer);
    if (!first) timer = window.setTimeout(end, pause, false);
    first = false;
  });
  window.addEventListener("pagehide", () => timer !== 0 && end(true));
}

function writeAddress() {
  history.replaceState(history.state, "", positionUrl());
}

/** The WebSocket closes with the page; a keepalive request does not. @param {boolean} isLeaving */
function savePosition(isLeaving) {
  const run = store.run.value?.number;
  if (run === undefined) return;
  const position = { run, step: store.position.value, path: path() ?? [], breakpoints: breakpointsToKeep() };
  if (!isLeaving) return live?.send({ type: "position", ...position });
  const sent = sendJson(`${sessionPath(store.sessionId.value)}/position`, position, { method: "PUT", keepalive: true });
  sent.catch(() => undefined);
}

/** The frames around the position as (op, iteration), outermost first: they stay valid when step numbers change. */
const path = () =>
  store.atPosition((outline, at) =>
    framesAround(outline, at)
      .slice(0, -1)
      .reverse()
      .map((frame) => [outline.op(outline.opener(frame)), outline.iteration(frame)]),
  );

function saveDraft() {
  sendJson(`${sessionPath(store.sessionId.value)}/draft`, { text: store.draft.value }, { method: "PUT" }).catch(
    reportError,
  );
}
