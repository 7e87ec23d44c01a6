/** Who moves when one steps. */
import { say } from "../console.js";
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

/** The next of the three ways. */
export function nextTogether() {
  const ways = /** @type {const} */ (["all", "one", "chosen"]);
  moveTogether(ways[(ways.indexOf(whoMoves()) + 1) % ways.length] ?? "all");
  say({ kind: "info", text: TOGETHER_WORDS[whoMoves()] });
}

export const TOGETHER_WORDS = {
  all: "All processes step together, to the same tick.",
  one: "The shown process steps alone; the others stay where they are.",
  chosen: "The shown process and those that were chosen in the grid step together.",
};

/** @returns {"all"|"one"|"chosen"} */
export const whoMoves = () => (typeof store.together.value === "object" ? "chosen" : store.together.value);
