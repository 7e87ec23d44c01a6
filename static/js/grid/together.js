/** Who moves when one steps. */
import * as store from "../store.js";

/** A process joins those that move with the shown one, or leaves them. @param {number} process */
export function toggleTogether(process) {
  const before = store.together.value;
  const set = new Set(typeof before === "object" ? before : []);
  if (!set.delete(process)) set.add(process);
  store.together.value = set.size > 0 ? set : "one";
}

/** All, the shown one, or those that were chosen. @param {"all"|"one"|"chosen"} who */
export function moveTogether(who) {
  const before = store.together.value;
  store.together.value = who === "chosen" ? (typeof before === "object" ? before : new Set([store.process.value])) : who;
}

/** @returns {"all"|"one"|"chosen"} */
export const whoMoves = () => (typeof store.together.value === "object" ? "chosen" : store.together.value);
