/** The expressions that the user watches in this session, stored in the browser. */
import { computed, signal } from "@preact/signals";
import { spelled } from "./expressions.js";
import { recallJson, remember } from "./preferences.js";
import * as store from "./store.js";

/**
 * A watched expression; `over`: what its curve runs over, null without one.
 *
 * @typedef {{text: string, over: import("./types.js").CurveRange|null}} Watch
 */

const NAME = "watches";
/** Maximum number of sessions whose expressions are stored. */
const MOST_SESSIONS = 30;
/** Maximum number of expressions of a session. */
export const MOST_WATCHES = 32;

/** By session, the oldest first. */
const kept = signal(/** @type {Record<string, Watch[]>} */ (recallJson(NAME) ?? {}));

/** @type {import("@preact/signals").ReadonlySignal<readonly Watch[]>} */
export const watches = computed(() => kept.value[store.sessionId.value] ?? []);

/** @param {readonly Watch[]} now */
function change(now) {
  const session = store.sessionId.peek();
  const others = Object.entries(kept.peek()).filter(([other]) => other !== session);
  kept.value = Object.fromEntries([...others, [session, now]].slice(-MOST_SESSIONS));
  remember(NAME, JSON.stringify(kept.peek()));
}

/** @param {string} text */
export function addWatch(text) {
  const now = watches.peek();
  if (now.length < MOST_WATCHES && !now.some((watch) => watch.text === text)) change([...now, { text, over: null }]);
}

/** Watch a value. @param {string} name as the page shows it */
export const watchValue = (name) => addWatch(spelled(name));

/** @param {Watch} watch @param {Partial<Watch>} changes */
export const changeWatch = (watch, changes) =>
  change(watches.peek().map((other) => (other.text === watch.text ? { ...other, ...changes } : other)));

/** @param {Watch} watch */
export const removeWatch = (watch) => change(watches.peek().filter(({ text }) => text !== watch.text));
