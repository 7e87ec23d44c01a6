/** The queues of the run that is shown, also of one with a single process; kept up to date while it is recorded. */
import { computed, effect, signal } from "@preact/signals";
import { getJson } from "../api.js";
import { recorded } from "../run/recording.js";
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

const known = computed(() => {
  store.gridVersion.value;
  return /** @type {Queue[]} */ (/** @type {unknown} */ (store.grid.value?.info.queues ?? alone.value));
});

/** What was known when an item was put in: until there is news, nobody knows what is waited for. @type {import("@preact/signals").Signal<Queue[]|null>} */
const outdated = signal(null);

export const queues = computed(() => withUntouched(known.value, takers.value));

/** The queue for whose next item the run waits; null where it waits for none. */
export const awaitedQueue = computed(() => {
  if (store.recordingState.value.kind !== "paused" || known.value === outdated.value) return null;
  return queues.value.find((queue) => isFed(queue) && queue.awaited.length > 0) ?? null;
});

/** The queue that an item is put into by the dialog. */
export const feeding = signal(/** @type {Queue|null} */ (null));

/** Open the dialog in which an item is made. @param {Queue} queue */
export function putInto(queue) {
  feeding.value = queue;
  store.dialog.value = "feed";
}

/** An item was put into a queue, and the run goes on. @param {import("../types.js").RunInfo} run */
export function wentOn(run) {
  outdated.value = known.peek();
  // News by the open line may have been faster.
  if (store.recordingState.value.kind === "paused" && store.outline.value.steps <= run.steps) recorded(run);
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
