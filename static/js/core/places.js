/** Places visited: each jump keeps the place that it leaves, so that one can go back and forward. */
import { computed, signal } from "@preact/signals";
import * as store from "./store.js";

/**
 * `head`: the offset of the editor's cursor, if the user moved it there since the last step; else null.
 *
 * @typedef {{key: string|null, process: number, step: number, value: number|null, path: number[], head: number|null}} Place
 */

/** Maximum number of places kept in each direction. */
const MOST = 100;
const past = signal(/** @type {readonly Place[]} */ ([]));
const future = signal(/** @type {readonly Place[]} */ ([]));
let head = /** @type {number|null} */ (null);

/** Note where the editor's cursor is. @param {number|null} offset null: at the current op */
export const standAt = (offset) => void (head = offset);

const here = () => ({
  key: store.recordingKey.peek(),
  process: store.process.peek(),
  step: store.position.peek(),
  value: store.chosenValue.peek(),
  path: store.chosenPath.peek(),
  head,
});

const isSame = (/** @type {Place|undefined} */ a, /** @type {Place} */ b) => JSON.stringify(a) === JSON.stringify(b);

/** Keep this place before a jump, once the run has been opened. */
export function leave() {
  if (store.stop.peek().sentence === "") return;
  const place = here();
  if (!isSame(past.peek().at(-1), place)) past.value = [...past.peek(), place].slice(-MOST);
  future.value = [];
}

/** Those of the shown run. */
const ofRun = (/** @type {readonly Place[]} */ places) => places.filter(({ key }) => key === store.recordingKey.value);
export const canGoBack = computed(() => ofRun(past.value).length > 0);
export const canGoForward = computed(() => ofRun(future.value).length > 0);

/** The place to go to; this one is kept in the other direction. @param {"back"|"forward"} direction @returns {Place|null} */
export function takePlace(direction) {
  const [from, to] = direction === "back" ? [past, future] : [future, past];
  const [places, now] = [ofRun(from.peek()), here()];
  const at = places.findLastIndex((place) => !isSame(place, now));
  from.value = places.slice(0, Math.max(at, 0));
  const place = places[at];
  if (place) to.value = [...ofRun(to.peek()), now];
  return place ?? null;
}
