/** The run, or the file of values, that the shown run is compared with. */
import { computed } from "@preact/signals";
import { getJson, recordingPath, sessionPath } from "../api.js";
import { VALUES } from "../position_url.js";
import * as store from "../store.js";
/** @import {RunTitle} from "../types.js" */

/** Order two runs by number, independent of which one is shown, so that switching does not swap the columns. @param {number} shown @param {number} other @returns {{before: number, after: number}} */
export const inOrder = (shown, other) => ({ before: Math.min(shown, other), after: Math.max(shown, other) });

/** The runs that the shown one can be compared with, the newest first. @param {readonly Pick<RunTitle, "number">[]} runs @param {number} shown @returns {Pick<RunTitle, "number">[]} */
export const others = (runs, shown) =>
  runs.filter(({ number }) => number !== shown).sort((a, b) => b.number - a.number);

/** The number of the other run: the chosen one, else the newest of the others. */
export const otherRun = computed(() => {
  const shown = store.run.value?.number;
  if (shown === undefined) return null;
  const rest = others(store.runs.value, shown);
  return rest.find(({ number }) => number === store.comparedRun.value)?.number ?? rest[0]?.number ?? null;
});

/** "run 2", "the other values"; null if there is nothing to compare with. @returns {string|null} */
export function otherTitle() {
  if (store.comparedValues.value !== null) return "the other values";
  return otherRun.value === null ? null : `run ${otherRun.value}`;
}

/** The path of a request about the shown run and the other one, with its first parameters. @param {string} part @returns {Promise<string>} */
export async function otherPath(part) {
  const [shown, other, values] = [store.run.value, otherRun.value, store.comparedValues.value];
  if (!shown) throw new Error("no run is shown");
  const path = (/** @type {string} */ one, /** @type {string} */ two) =>
    `${recordingPath(one)}/comparison${part}?with=${encodeURIComponent(two)}`;
  if (values !== null) return path(shown.key, VALUES + values);
  if (other === null) throw new Error("the session has no other run");
  const { key } = await getJson(`${sessionPath(store.sessionId.value)}/runs/${other}?apart=true`);
  const isFirst = inOrder(shown.number, other).before === shown.number;
  return isFirst ? path(shown.key, key) : `${path(key, shown.key)}&side=after`;
}
