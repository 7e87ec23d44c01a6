/** What is not recorded yet, and has not to be gone to to be recorded: the rest of the run, in the background. */
import { computed, effect, signal } from "@preact/signals";
import * as session from "../session.js";
import { isFile } from "../source.js";
import * as store from "../store.js";

/** The state of the recording when the rest was asked for; null once that has come to an end. @type {import("@preact/signals").Signal<import("../types.js").RunState|null>} */
const asked = signal(null);

/** Whether the rest is recorded, whatever one does meanwhile. */
export const isRecordingRest = computed(() => asked.value !== null);

/** Whether the run could go further, waits for nobody, and nobody has told it to. */
export const isShort = computed(() => {
  store.outlineVersion.value;
  if (store.run.value === null || store.pending.value !== null || asked.value !== null || isFile()) return false;
  return store.recordingState.value.kind === "paused" && !store.outline.value.waits;
});

/** Record the run to its end. One stays where one is, and may go anywhere meanwhile. */
export function recordRest() {
  if (!isShort.value) return;
  asked.value = store.recordingState.value;
  session.record(null);
}

/** Stop recording the rest. */
export function pauseRest() {
  if (asked.value === null) return;
  asked.value = null;
  session.pauseRecording();
}

/** Another run is shown, the recording has stopped or was refused: nothing is under way any more. */
export function keepRest() {
  effect(() => {
    store.recordingKey.value;
    asked.value = null;
  });
  effect(() => {
    const state = store.recordingState.value;
    if (state !== asked.peek() && state.kind !== "recording") asked.value = null;
  });
  // Refused before anything was recorded: no state follows.
  session.listen(({ type }) => {
    if (type === "error" && store.recordingState.peek() === asked.peek()) asked.value = null;
  });
}
