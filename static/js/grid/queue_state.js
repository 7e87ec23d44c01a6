/** The queues of the run that is shown, also of one with a single process; kept up to date while it is recorded. */
import { computed, effect, signal } from "@preact/signals";
import { getJson } from "../api.js";
import * as store from "../store.js";
import { gridPath } from "./fetching.js";
import { isFed, withUntouched } from "./queues.js";

/** @typedef {import("./queues.js").Queue} Queue */

/** While a run is recorded, its queues are asked about no more often. */
const REFRESH_AFTER_MS = 200;
const TRANSFERS = /(^|\.)(infeed|outfeed|send|recv)$/;

/** Whether the program sends or takes anything in another way than by its arguments and its results. */
export const hasTransfers = computed(() => store.program.value?.ops.some(({ name, opcode }) => TRANSFERS.test(name) || TRANSFERS.test(opcode)) ?? false);

/** Those of a run of one process. */
const alone = signal(/** @type {Queue[]} */ ([]));

/** What the program takes from queues. */
export const takers = signal(/** @type {import("./queues.js").Taker[]} */ ([]));

export const queues = computed(() => {
  store.gridVersion.value;
  const known = /** @type {Queue[]} */ (/** @type {unknown} */ (store.grid.value?.info.queues ?? alone.value));
  return withUntouched(known, takers.value);
});

/** The queue for whose next item the run waits; null where it waits for none. */
export const awaitedQueue = computed(() => {
  if (store.recordingState.value.kind !== "paused") return null;
  return queues.value.find((queue) => isFed(queue) && queue.awaited.length > 0) ?? null;
});

/** The queue that an item is put into by the dialog. */
export const feeding = signal(/** @type {Queue|null} */ (null));

/** Open the dialog in which an item is made. @param {Queue} queue */
export function putInto(queue) {
  feeding.value = queue;
  store.dialog.value = "feed";
}

effect(() => {
  const key = store.recordingKey.value;
  alone.value = [];
  takers.value = [];
  if (key === null || !hasTransfers.value) return;
  getJson(`${gridPath(key)}/takers`).then((answer) => key === store.recordingKey.value && (takers.value = answer), () => undefined);
});

/** @type {number|undefined} */
let timer;
effect(() => {
  const key = store.recordingKey.value;
  store.recordingState.value;
  store.steps.value;
  if (key === null || store.grid.value !== null || !hasTransfers.value) return;
  timer ??= window.setTimeout(() => {
    timer = undefined;
    getJson(gridPath(key)).then((info) => key === store.recordingKey.value && (alone.value = info.queues), () => undefined);
  }, REFRESH_AFTER_MS);
});
