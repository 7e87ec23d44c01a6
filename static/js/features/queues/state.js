/** The queues of the shown run, of one or several processes, kept up to date during recording. */
import { computed, effect, signal } from "@preact/signals";
import { LatestAnswer } from "../../core/answers.js";
import { getJson } from "../../core/api.js";
import { gridPath } from "../../core/grid/loading.js";
import { afterPause } from "../../core/idle.js";
import { updateRecording } from "../../core/run/recording.js";
import * as store from "../../core/store.js";
import { openDialog } from "../../core/view_actions.js";
import { isFed, addUntouched } from "./model.js";
/** @import {QueueInfo as Queue} from "../../core/types.js" */

/** Minimum interval between requests while a run is recorded. */
const REFRESH_AFTER_MS = 200;
const TRANSFERS = /(^|\.)(infeed|outfeed|send|recv)$/;

/** Whether the program transfers data besides its arguments and results. */
export const hasTransfers = computed(
  () => store.program.value?.ops.some(({ name, opcode }) => TRANSFERS.test(name) || TRANSFERS.test(opcode)) ?? false,
);

/** The queues of a run of one process. */
const alone = signal(/** @type {Queue[]} */ ([]));

const takersPath = computed(() => {
  const key = store.recordingKey.value;
  return key === null || !hasTransfers.value ? null : `${gridPath(key)}/takers`;
});
/** @type {LatestAnswer<import("./model.js").Taker[]>} */
const latestTakers = new LatestAnswer();

/** The queues that the program reads. */
export const takers = computed(() => {
  const { question, value } = latestTakers.outcome.value;
  return (question === takersPath.value && value) || [];
});

const known = computed(() => {
  store.gridVersion.value;
  return /** @type {Queue[]} */ (/** @type {unknown} */ (store.grid.value?.info.queues ?? alone.value));
});

/** The data from when an item was added: until news arrives, it is unknown what the run waits for. @type {import("@preact/signals").Signal<Queue[]|null>} */
const outdated = signal(null);

export const queues = computed(() => addUntouched(known.value, takers.value));

/** The queue whose next item the run waits for; null for none. */
export const awaitedQueue = computed(() => {
  if (store.recordingState.value.kind !== "paused" || known.value === outdated.value) return null;
  return queues.value.find((queue) => isFed(queue) && queue.awaited.length > 0) ?? null;
});

/** The queue of the dialog. */
export const feedQueue = signal(/** @type {Queue|null} */ (null));

/** Open the dialog that adds an item. @param {Queue} queue */
export function putInto(queue) {
  feedQueue.value = queue;
  openDialog("feed");
}

/** An item was added, and the run continues. @param {import("../../core/types.js").RunInfo} run */
export function resume(run) {
  outdated.value = known.peek();
  // News by WebSocket may have arrived earlier.
  if (store.recordingState.value.kind === "paused" && store.outline.value.steps <= run.steps) updateRecording(run);
}

effect(() => {
  const path = takersPath.value;
  alone.value = [];
  if (path === null) latestTakers.stop();
  else latestTakers.ask(path, (stop) => getJson(path, stop));
});

let isPlanned = false;
effect(() => {
  const key = store.recordingKey.value;
  store.recordingState.value;
  store.steps.value;
  if (key === null || store.grid.value !== null || !hasTransfers.value) return;
  if (isPlanned) return;
  isPlanned = true;
  afterPause(() => {
    isPlanned = false;
    getJson(gridPath(key)).then(
      (info) => key === store.recordingKey.value && (alone.value = info.queues),
      () => undefined,
    );
  }, REFRESH_AFTER_MS);
});
