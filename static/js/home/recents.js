/** Sessions that this browser opened last. Only the browser knows them: the server has no list for strangers. */
import { remember, remembered } from "../ui/preferences.js";

/** @typedef {{id: string, name: string, when: number}} Recent */

const KEPT = 12;

/** @returns {Recent[]} */
export function recents() {
  try {
    const found = JSON.parse(remembered("recent") ?? "[]");
    return Array.isArray(found) ? found.filter(({ id, name }) => typeof id === "string" && typeof name === "string") : [];
  } catch {
    return [];
  }
}

/** @param {string} id @param {string} name */
export function rememberSession(id, name) {
  const others = recents().filter((recent) => recent.id !== id);
  remember("recent", JSON.stringify([{ id, name: name || "program", when: Date.now() }, ...others].slice(0, KEPT)));
}

/** @param {string} id */
export function forgetSession(id) {
  remember("recent", JSON.stringify(recents().filter((recent) => recent.id !== id)));
}
