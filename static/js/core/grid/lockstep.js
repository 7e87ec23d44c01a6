/** The processes that step. */
import { say } from "../messages.js";
import { isNowhere, isStop, nextStop, stopsOf } from "../run/stops.js";
import * as store from "../store.js";
/** @import {GridRecord} from "./record.js" */

/** Add a process to those that step with the shown one, or remove it. @param {number} process */
export function toggleLockstep(process) {
  const before = store.lockstep.value;
  const set = new Set(typeof before === "object" ? before : []);
  if (!set.delete(process)) set.add(process);
  store.lockstep.value = set.size > 0 ? set : "one";
}

/** All processes, the shown one, or the chosen ones. @param {"all"|"one"|"chosen"} who */
export function chooseLockstep(who) {
  const before = store.lockstep.value;
  store.lockstep.value =
    who === "chosen" ? (typeof before === "object" ? before : new Set([store.process.value])) : who;
}

/** Switch to the next of the three. */
export function nextLockstep() {
  const ways = /** @type {const} */ (["all", "one", "chosen"]);
  chooseLockstep(ways[(ways.indexOf(lockstepMode()) + 1) % ways.length] ?? "all");
  say({ kind: "info", text: LOCKSTEP_WORDS[lockstepMode()] });
}

export const LOCKSTEP_WORDS = {
  all: "All processes step in lockstep, to the same tick.",
  one: "The selected process steps alone; the others stay where they are.",
  chosen: "The selected process and those chosen in the grid step in lockstep.",
};

export const lockstepMode = () => (typeof store.lockstep.value === "object" ? "chosen" : store.lockstep.value);

/** Breakpoints of several processes: when all step together, the first that reaches one stops all. */

/** @typedef {{process: number, tick: number}} Spot */

/**
 * Where another process than the shown one stops before `until`: at its breakpoints that the shown one lacks, and at
 * all of them if the shown one reaches none. Null for nowhere; `undefined` where that is not recorded.
 *
 * @param {GridRecord} grid @param {import("../run/program.js").Program} program @param {number} shown @param {number} until a tick
 * @param {boolean} alone whether the shown process reaches no breakpoint @returns {Spot|null|undefined}
 */
export function firstOther(grid, program, shown, until, alone) {
  /** @type {Spot|null} */
  let found = null;
  const mine = stopsOf(shown, program);
  for (let process = 0; process < grid.processes; process++) {
    if (process === shown || !moves(process)) continue;
    const stops = stopsOf(process, program);
    const ops = alone ? stops.ops : new Set([...stops.ops].filter((op) => !mine.ops.has(op)));
    const spot = isNowhere({ ...stops, ops }) ? null : nextOf(grid, process, { ...stops, ops });
    if (spot === undefined) return undefined;
    if (spot && spot.tick < (found?.tick ?? until)) found = spot;
  }
  return found;
}

/** @param {number} process @returns {boolean} */
function moves(process) {
  const who = store.lockstep.value;
  return who === "all" || (who !== "one" && who.has(process));
}

/** @param {GridRecord} grid @param {number} process @param {import("../run/stops.js").Stops} stops @returns {Spot|null|undefined} */
function nextOf(grid, process, stops) {
  const outline = grid.outline(process);
  const tick = store.ticks.value[process] ?? 0;
  const from = grid.clock(process, { tick }).stepAt(tick, outline.last);
  const step = nextStop(stops, outline, from);
  if (step === null) return outline.waits || outline.done ? null : undefined;
  const isHit = step < outline.steps && step > from && isStop(stops, outline, step);
  return isHit ? { process, tick: grid.clock(process, { step }).tickOf(step) } : null;
}
