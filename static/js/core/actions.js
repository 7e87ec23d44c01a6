/**
 * The actions of the page: step, continue, go to a step, run. A step inside the recorded part is immediate; a step
 * beyond it requests more recording, and the page shows that it waits.
 */
import { countText } from "./tensor/elements.js";
import { batch } from "@preact/signals";
import { firstOther } from "./grid/lockstep.js";
import { planLast, planProcess, planStep, planTick, settle } from "./grid/positions.js";
import { awaitFrame } from "./idle.js";
import { asSentence, say, reportError } from "./messages.js";
import { leave } from "./places.js";
import { Missing } from "./run/outline.js";
import { whenHere } from "./run/recording.js";
import { isRecordingRest, pauseRest } from "./run/rest.js";
import { overSourceLine } from "./run/source_lines.js";
import * as stepping from "./run/stepping.js";
import { describeStop, hitOf } from "./run/stop_reasons.js";
import { isNowhere, isStop, nextStop, previousStop, stopsOf } from "./run/stops.js";
import { logsBetween } from "./run/evaluated_stops.js";
import * as session from "./session.js";
import * as store from "./store.js";
/** @import {Plan} from "./grid/positions.js" */

/** Number of steps to record when only the next steps are needed. */
const A_WHILE = 20_000;

/** @typedef {"over"|"into"|"out"|"back"|"backOver"|"continue"|"reverseContinue"|"restart"|"goto"|"browse"|"line"|"wait"|"process"} Way */
/** Moves that keep the place that they leave; "browse" goes to a step and keeps nothing. @type {ReadonlySet<string>} */
const JUMPS = new Set(["goto", "continue", "reverseContinue", "restart", "line", "wait"]);

/** Number of answers to a move after which the page says that it waits for them. */
const LONG_AGO = 4;
const EVALUATES = "Evaluating the conditions of breakpoints.";

/** @typedef {(search?: number) => number|null} Search the target position, or null: beyond the recorded part */

/** Each new movement cancels the previous one, which may still wait for the server. */
let movement = 0;
/** The movement that waits for the server. @type {number|null} */
let waiting = null;
/** Steps requested while that movement fetches recorded data. @type {(() => void)[]} */
let turns = [];

const outline = () => store.outline.value;
const here = () => store.position.value;

/** The previous or next process in the launch group of the shown one. */
export const showNeighbour = inTurn((/** @type {number} */ by) => {
  const grid = store.grid.value;
  if (!grid) return undefined;
  const members = grid.members(grid.teamOf(store.process.value));
  const at = members.indexOf(store.process.value) + by;
  return showProcess(members[(at + members.length) % members.length] ?? 0);
});

export const stepOver = inTurn(() => move("over", bind(stepping.over), null));
/** Step over all ops of this line of the user's source. */
export const stepOverSourceLine = inTurn(() =>
  move(
    "over",
    bind((lines, from) => store.program.value && overSourceLine(lines, store.program.value, from)),
    null,
  ),
);
export const stepInto = inTurn(() => move("into", bind(stepping.into), A_WHILE));
export const stepOut = inTurn(() => move("out", bind(stepping.out), null));
export const stepBack = inTurn(() => move("back", bind(stepping.back), A_WHILE));
export const stepBackOver = inTurn(() => move("backOver", bind(stepping.backOver), A_WHILE));
export const restart = () => move("restart", () => 0, A_WHILE);

/**
 * A step starts where the previous one ends, even if that one still fetches recorded data. A step that waits for more
 * recording, which may take long, is cancelled by the next.
 *
 * @template {unknown[]} A @param {(...asked: A) => void} step @returns {(...asked: A) => void}
 */
function inTurn(step) {
  return function act(...asked) {
    if (waiting === movement && store.pending.value === null) turns.push(() => act(...asked));
    else step(...asked);
  };
}

/** @param {boolean} arrived */
function takeTurns(arrived) {
  const next = arrived ? turns : [];
  turns = [];
  for (const act of next) act();
}

/** @param {(outline: import("./run/outline.js").Outline, at: number, search?: number) => number|null} rule @returns {Search} */
function bind(rule) {
  const from = here();
  return (search) => rule(outline(), from, search);
}

/** Run to the next breakpoint or the end. The first process that reaches one stops all. */
export const continueRun = inTurn(() => {
  const from = here();
  const stops = stopsOf(store.process.value);
  const own = (/** @type {number|undefined} */ search) => nextStop(stops, outline(), from, search);
  if (!store.grid.value || store.lockstep.value === "one" || store.breakpoints.value.length === 0)
    return move("continue", own, null);
  return moveBy("continue", (search) => planLockstep(own(search), from, stops), null);
});

/** @param {number|null} target of the shown process @param {number} from @param {import("./run/stops.js").Stops} stops @returns {Plan|null} */
function planLockstep(target, from, stops) {
  const [grid, program] = [store.grid.value, store.program.value];
  if (target === null || !grid || !program) return null;
  const hit = target > from && isStop(stops, outline(), target);
  const tick = grid.clock(store.process.value, { step: target }).tickOf(target);
  const other = firstOther(grid, program, store.process.value, hit ? tick : Infinity, !hit);
  if (other === undefined) return null;
  return other ? planTick(other.process, other.tick) : planStep(target);
}

/** Run backwards to the previous breakpoint or the start. */
export const reverseContinue = inTurn(() => {
  const from = here();
  const stops = stopsOf(store.process.value);
  return move("reverseContinue", () => previousStop(stops, outline(), from), A_WHILE);
});

/** Run to a line of the editor, or to the next line on which an op starts. */
export const runToLine = inTurn((/** @type {number} */ line) => {
  const from = here();
  const runLine = store.lineMap.value.toRun(line);
  const ops = runLine === null ? new Set() : (store.program.value?.opsAt([runLine]) ?? new Set());
  if (ops.size === 0) return say({ kind: "info", text: `No op of this run starts on line ${line} or after it.` });
  return move("line", (search) => stepping.continueTo(outline(), from, ops, search), null);
});

/** @param {number} step */
export const goTo = (step) => goToStep("goto", step);
/** While the pointer is dragged over steps. @param {number} step */
export const browseTo = (step) => goToStep("browse", step);

/** @param {Way} way @param {number} step */
function goToStep(way, step) {
  const target = Math.max(0, step);
  return move(
    way,
    () => (target <= outline().last ? target : outline().complete ? outline().last : null),
    Math.max(A_WHILE, target - outline().steps + 1),
  );
}

/** Show another process at its own position. */
export const showProcess = inTurn((/** @type {number} */ process) => {
  if (process === store.process.value || !store.grid.value) return undefined;
  return moveBy("process", () => planProcess(process), A_WHILE);
});

/** Go to a tick of the common clock and show a process there. @param {number} tick @param {number} [process] @param {Way} [way] */
export function goToTick(tick, process = store.process.value, way = "goto") {
  const target = Math.max(0, Math.min(tick, store.grid.value?.lastTick ?? 0));
  return moveBy(way, () => planTick(process, target), A_WHILE);
}

/** Run the shown process until it waits for others, or to its end. */
export const runUntilItWaits = inTurn(() => {
  const grid = store.grid.value;
  const from = here();
  if (!grid) return say({ kind: "info", text: "This run has one process, so there is nothing to wait for." });
  return move(
    "wait",
    () => {
      const wait = grid.clock(store.process.value, { step: outline().steps - 1 }).nextWait(from);
      return wait ?? (outline().complete || outline().waits ? outline().last : null);
    },
    null,
  );
});

/** A step of a process, with the steps of the others up to then. @param {number} process @param {number} step @param {Way} [way] */
export function goToIn(process, step, way = "goto") {
  const grid = store.grid.value;
  if (!grid || process >= grid.processes) return goToStep(way, step);
  const target = Math.min(step, grid.outline(process).last);
  return moveBy(way, () => planTick(process, grid.clock(process, { step: target }).tickOf(target)), A_WHILE);
}

/** The start of the run: the first breakpoint that it reaches, else its first op. */
export function goToStart() {
  const stops = stopsOf(store.process.value);
  if (isNowhere(stops)) return move("restart", () => 0, A_WHILE);
  const first = (/** @type {number|undefined} */ search) => nextStop(stops, outline(), -1, search);
  return move("continue", first, null);
}

/** @param {Way} way @param {Search} search @param {number|null} more */
const move = (way, search, more) =>
  moveBy(
    way,
    (from) => {
      const step = search(from);
      return step === null ? null : planStep(step);
    },
    more,
  );

/** @param {Way} way @param {(search?: number) => Plan|null} search @param {number|null} more */
function moveBy(way, search, more) {
  const mine = ++movement;
  turns = [];
  if (store.pending.value !== null) endWaiting();
  if (store.program.value === null) return say({ kind: "info", text: "Run the program first." });
  try {
    const target = search();
    if (target !== null) return arrive(way, target);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
  }
  waiting = mine;
  wait(way, search, more, mine)
    .then(
      () => true,
      (error) => (reportError(error), false),
    )
    .then((arrived) => {
      if (mine !== movement) return;
      waiting = null;
      endWaiting();
      takeTurns(arrived);
    });
}

/** @param {Way} way @param {(search?: number) => Plan|null} search @param {number|null} more @param {number} mine */
async function wait(way, search, more, mine) {
  /** @type {number|undefined} */
  let searched;
  let inVain = 0;
  while (mine === movement) {
    const [recorded, all] = [outline().steps, stepsOfAll()];
    let tries = 0;
    const target = await whenHere(() => {
      if (mine !== movement) return null;
      if (tries++ === LONG_AGO) store.pending.value ??= EVALUATES;
      return search(searched);
    });
    if (mine !== movement) return;
    if (target !== null) return arrive(way, target);
    searched = Math.max(here() + 1, recorded);
    if (stepsOfAll() > all || isOver()) continue;
    store.pending.value = `Still recording: ${countText(all)} steps so far.`;
    if (store.recordingState.value.kind !== "recording") {
      if (inVain++ === 2) return giveUp();
      hasRequested = true;
      session.record(more);
    }
    if (await waitForNews(all)) inVain = 0;
  }
}

/** Steps of all processes. @returns {number} */
const stepsOfAll = () => store.grid.value?.stepCount ?? outline().steps;

/** Whether the recording is complete. @returns {boolean} */
const isOver = () => store.grid.value?.over ?? outline().complete;

/** Whether the recording grows past `recorded` before the server stops, fails or stays silent for long. @param {number} recorded @returns {Promise<boolean>} */
function waitForNews(recorded) {
  return new Promise((resolve) => {
    // A session in the queue stays silent until its turn.
    const timer = setInterval(() => store.waiting.value === null && done(), 4000);
    const stamp = store.grid.value?.stamp;
    const look = (/** @type {boolean} */ failed) => {
      const grew = stepsOfAll() > recorded || isOver();
      if (grew || failed || store.recordingState.value.kind !== "recording") done();
    };
    const stopListening = session.listen(
      ({ type }) => (type === "error" || (type === "state" && !store.grid.value)) && look(type === "error"),
    );
    // The positions and the outcome of several processes arrive a moment after the message about them.
    const stopWatching = store.gridVersion.subscribe(
      () => store.grid.value?.stamp !== stamp && setTimeout(() => look(false)),
    );
    const done = () => {
      clearInterval(timer);
      stopListening();
      stopWatching();
      resolve(stepsOfAll() > recorded || isOver());
    };
  });
}

/** The step will not be recorded: stay at the last recorded step. */
function giveUp() {
  const reason = asSentence(store.recordingState.value.reason || "The recording goes no further.");
  actOnPlan(planLast, (plan) => {
    batch(() => {
      settle(plan);
      store.stop.value = { kind: "paused", sentence: reason };
    });
    say({ kind: "stop", text: reason });
  });
}

/** Run a plan as soon as the data it needs is here. @param {() => Plan} plan @param {(plan: Plan) => void} act */
function actOnPlan(plan, act) {
  const mine = movement;
  whenHere(plan)
    .then((found) => mine === movement && act(found))
    .catch(reportError);
}

/** Whether the step that waits requested the recording, which also runs on its own after a run begins. */
let hasRequested = false;

function endWaiting() {
  const requested = hasRequested;
  hasRequested = false;
  if (store.pending.value === null) return;
  store.pending.value = null;
  if (requested && !isRecordingRest.value) session.pauseRecording();
}

/** Stop waiting, at the last recorded step; also stop recording the rest. */
export function pause() {
  pauseRest();
  if (store.pending.value === null) return;
  movement++;
  hasRequested = true; // the user pauses whatever is being recorded
  endWaiting();
  actOnPlan(planLast, (plan) => arrive("pause", plan));
}

/** @param {Way|"pause"|"entry"|"open"} way @param {Plan} plan */
function arrive(way, plan) {
  const isNear = plan.process === store.process.value && Math.abs(plan.step - store.position.value) <= 1;
  if (JUMPS.has(way) && !isNear) leave();
  const from = here();
  const hasMoved = plan.process !== store.process.value || plan.step !== from;
  batch(() => {
    settle(plan);
    const [hit, { execution }] = [hitOf(way, plan.step, hasMoved), plan];
    store.stop.value = { ...describeStop(way, plan.step, hit, execution), way, execution, hit };
  });
  queueMicrotask(awaitFrame); // behind the drawing of this step
  const { kind, sentence } = store.stop.value;
  /** @type {import("./store.js").ConsoleLine} */
  const text = { kind: kind === "failed" ? "error" : "stop", text: sentence };
  const isSaid = !["step", "goto", "waiting"].includes(kind);
  if (!RUNNING.has(way) || plan.step <= from || !store.breakpoints.value.some(({ log }) => log)) {
    if (isSaid) say(text);
  } else
    sayLogs(from, plan.step)
      .then(() => isSaid && say(text))
      .catch(reportError);
}

/** The ways that run ops, whose log messages appear. */
const RUNNING = new Set(["over", "into", "out", "continue", "line", "wait"]);

/** Show the log messages of the steps that were run. @param {number} from @param {number} to */
async function sayLogs(from, to) {
  const [process, recording] = [store.process.value, store.recordingKey.value ?? ""];
  for (const { step, text } of (await logsBetween(from, to)) ?? [])
    say({ kind: "log", text, place: { process, step }, recording });
}

/** Another run was opened. */
export const arriveInRun = () =>
  arrive("open", { step: 0, process: 0, ticks: store.ticks.value, held: new Map(), execution: null });

/** Run the program in the editor. @param {import("./types.js").InputSpec[]|null} [inputs] @param {import("./types.js").GridSize|null} [grid] null: as before, or as the program states where inputs are given @param {string|null} [start] as `startRun` takes it @returns {Promise<boolean>} whether it runs */
export async function runProgram(inputs = null, grid = null, start = null) {
  movement++;
  hasRequested = false;
  store.pending.value = "Checking the program and starting it.";
  try {
    const answer = await session.startRun(inputs, grid, start);
    store.pending.value = null;
    for (const { name, reason } of answer.dropped_inputs ?? []) {
      say({ kind: "info", text: `The input ${name} was not kept: ${reason}` });
    }
    if (answer.run === null)
      say({ kind: "error", text: "The program has errors, so it was not run. The previous run is still shown." });
    else if (start) await restart();
    else await goToStart();
    return answer.run !== null;
  } catch (error) {
    reportError(error);
    return false;
  } finally {
    if (store.pending.value?.startsWith("Checking")) store.pending.value = null;
  }
}
