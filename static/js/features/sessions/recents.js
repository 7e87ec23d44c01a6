/**
 * Sessions opened in this browser, which alone has the list; the server does not list sessions.
 *
 * @typedef {{run: number, process: number, tab: string, value: number|null, path: number[]}} View what was shown, and
 *   of which run: the tab of the stage, and the value that was chosen by hand
 * @typedef {{id: string, name: string, when: number, kind?: "passes", pinned?: boolean, place?: string, picture?: ThumbnailInfo, view?: View}} Recent
 *   `kind`: of what is no session, a dump of XLA's passes
 */
import { signal } from "@preact/signals";
import { recallJson, remember } from "../../core/preferences.js";
/** @import {ThumbnailInfo} from "../../core/types.js" */

const NAME = "recent";
/** Maximum number of sessions that are not pinned. */
export const KEPT = 24;

/** Pinned sessions, then the others, the latest first. */
export const recents = signal(read());

function read() {
  const stored = recallJson(NAME);
  return Array.isArray(stored) ? inOrder(stored.filter(isRecent)) : [];
}

/** @param {unknown} found @returns {found is Recent} */
function isRecent(found) {
  if (typeof found !== "object" || found === null) return false;
  const { id, name, when } = /** @type {Partial<Recent>} */ (found);
  return typeof id === "string" && typeof name === "string" && typeof when === "number";
}

/** @param {Recent[]} sessions @returns {Recent[]} */
export function inOrder(sessions) {
  const latest = [...sessions].sort((a, b) => b.when - a.when);
  const pinned = latest.filter((recent) => recent.pinned);
  return [...pinned, ...latest.filter((recent) => !recent.pinned).slice(0, KEPT)];
}

/** Read the list again first: other pages change it too. @param {(sessions: Recent[]) => Recent[]} change */
function update(change) {
  recents.value = inOrder(change(read()));
  remember(NAME, JSON.stringify(recents.value));
}

/** Read the list again after another page has changed it. */
export function readAgain() {
  recents.value = read();
}

/** @param {string} id @returns {Recent|undefined} */
export const recentSession = (id) => read().find((recent) => recent.id === id);

/** The path of a session. @param {Recent} recent @returns {string} */
export const addressOf = ({ id, kind }) => `${kind === "passes" ? "/passes" : "/s"}/${id}`;

/** Record that a session is open, with changes to its entry. @param {string} id @param {Partial<Recent>} news */
export function rememberSession(id, news) {
  update((sessions) => {
    const before = sessions.find((recent) => recent.id === id);
    return [
      { name: "program", ...before, ...news, id, when: Date.now() },
      ...sessions.filter((recent) => recent !== before),
    ];
  });
}

/** Change the entry of a session without a visit. @param {string} id @param {Partial<Recent>} news */
export function describeSession(id, news) {
  update((sessions) => sessions.map((recent) => (recent.id === id ? { ...recent, ...news } : recent)));
}

/** @param {string} id */
export function forgetSession(id) {
  update((sessions) => sessions.filter((recent) => recent.id !== id));
}
