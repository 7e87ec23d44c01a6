/** The queues of the run that is shown, also of one with a single process; kept up to date while it is recorded. */
import { computed, effect, signal } from "@preact/signals";
import { LatestAnswer } from "../../core/answers.js";
import { getJson } from "../../core/api.js";
import { gridPath } from "../../core/grid/loading.js";
import { afterPause } from "../../core/idle.js";
import { updateRecording } from "../../core/run/recording.js";
import * as store from "../../core/store.js";
import { openDialog } from "../../core/view_actions.js";
import { isFed, addUntouched } from "./model.js";
/** @import {Queue} from "./model.js" */

/** While a run is recorded, its queues are asked about no more often. */
const REFRESH_AFTER_MS = 200;
const TRANSFERS = /(^|\.)(infeed|outfeed|send|recv)$/;

/** Whether the program sends or takes anything in another way than by its arguments and its results. */
export const hasTransfers = computed(
  () => store.program.value?.ops.some(({ name, opcode }) => TRANSFERS.test(name) || TRANSFERS.test(opcode)) ?? false,
);

/** Those of a run of one process. */
const alone = signal(/** @type {Queue[]} */ ([]));

const takersPath = computed(() => {
  const key = store.recordingKey.value;
  return key === null || !hasTransfers.value ? null : `${gridPath(key)}/takers`;
});
/** @type {LatestAnswer<import("./model.js").Taker[]>} */
const latestTakers = new LatestAnswer();

/** What the program takes from queues. */
export const takers = computed(() => {
  const { question, value } = latestTakers.outcome.value;
  return (question === takersPath.value && value) || [];
});

const known = computed(() => {
  store.gridVersion.value;
  return /** @type {Queue[]} */ (/** @type {unknown} */ (store.grid.value?.info.queues ?? alone.value));
});

/** What was known when an item was put in: until there is news, nobody knows what is waited for. @type {import("@preact/signals").Signal<Queue[]|null>} */
const outdated = signal(null);

export const queues = computed(() => addUntouched(known.value, takers.value));

/** The queue for whose next item the run waits; null where it waits for none. */
export const awaitedQueue = computed(() => {
  if (store.recordingState.value.kind !== "paused" || known.value === outdated.value) return null;
  return queues.value.find((queue) => isFed(queue) && queue.awaited.length > 0) ?? null;
});

/** The queue that an item is put into by the dialog. */
export const feedQueue = signal(/** @type {Queue|null} */ (null));

/** Open the dialog in which an item is made. @param {Queue} queue */
export function putInto(queue) {
  feedQueue.value = queue;
  openDialog("feed");
}

/** An item was put into a queue, and the run continues. @param {import("../../core/types.js").RunInfo} run */
export function resume(run) {
  outdated.value = known.peek();
  // News by the open line may have been faster.
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
