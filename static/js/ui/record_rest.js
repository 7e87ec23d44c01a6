/** A note where a partial recording could be mistaken for the whole run, with a button that records the rest. */
import { countText } from "../core/tensor/elements.js";
import { html } from "htm/preact";
import { isRecordingRest, isShort, pauseRest, recordRest } from "../core/run/rest.js";
import * as store from "../core/store.js";
import { asSentence } from "../core/messages.js";

/** Nothing for a run that is fully recorded, or waits for the user. */
export function RecordRest() {
  if (isRecordingRest.value) {
    return html`<span class="record-rest">recording the rest… <button class="plain" onClick=${pauseRest}>Pause recording</button></span>`;
  }
  if (!isShort.value) return null;
  return html`<button class="plain record-rest" title=${shortWords()} onClick=${recordRest}>Record the rest</button>`;
}

/** The progress of the recording, and why it stopped. @returns {string} */
export function shortWords() {
  const why = store.recordingState.value.reason || `${countText(store.steps.value)} steps are recorded`;
  return `${asSentence(why)} Step further to record more.`;
}
