/** Recording the rest of the run in the background, without moving the position. */
import { computed, effect, signal } from "@preact/signals";
import { asSentence } from "../messages.js";
import * as session from "../session.js";
import { isFile } from "../source.js";
import * as store from "../store.js";

/** The state of the recording when the rest was requested; null once that has ended. @type {import("@preact/signals").Signal<import("../types.js").RunState|null>} */
const asked = signal(null);

/** Whether the rest is being recorded. */
export const isRecordingRest = computed(() => asked.value !== null);

/** Whether the run can continue without waiting for a user or a process. */
export const isShort = computed(() => {
  store.outlineVersion.value;
  if (store.run.value === null || store.pending.value !== null || asked.value !== null || isFile()) return false;
  return store.recordingState.value.kind === "paused" && !store.outline.value.waits;
});

/** Record the run to its end. The position stays, and can be moved meanwhile. */
export function recordRest() {
  if (!isShort.value) return;
  asked.value = store.recordingState.value;
  session.record(null);
}

/** Why *Pause* or *Record the rest* does nothing now; empty for other commands, and if it does something. @param {string} id @returns {string} */
export function whyIdle(id) {
  const isBusy = store.pending.value !== null || asked.value !== null;
  if (id === "pause") return isBusy ? "" : "No command is in progress.";
  if (id !== "recordRest" || isShort.value) return "";
  const { kind, reason } = store.recordingState.value;
  if (isBusy || kind === "recording") return "The run is being recorded.";
  return kind === "paused" ? asSentence(reason) : "The run has ended.";
}

/** Stop recording the rest. */
export function pauseRest() {
  if (asked.value === null) return;
  asked.value = null;
  session.pauseRecording();
}

/** Another run is shown, or the recording stopped or was refused: stop tracking. */
export function keepRest() {
  effect(() => {
    store.recordingKey.value;
    asked.value = null;
  });
  effect(() => {
    const state = store.recordingState.value;
    if (state !== asked.peek() && state.kind !== "recording") asked.value = null;
  });
  // A refusal before anything was recorded sends no state.
  session.listen(({ type }) => {
    if (type === "error" && store.recordingState.peek() === asked.peek()) asked.value = null;
  });
}
