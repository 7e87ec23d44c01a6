/** What a page waits for: a worker, the verification of a program, and the rest of a run. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { pause } from "../../core/actions.js";
import { cancelVerification } from "../../core/session.js";
import * as store from "../../core/store.js";
import { countText, ordinal } from "../../core/tensor/elements.js";

/** What the page waits for of a run. */
export function Busy() {
  return html`<div class="busy" role="status"><progress aria-label="In progress"></progress><span>${store.pending.value}</span>
    <button class="plain" onClick=${pause}>Pause</button></div>`;
}

/** What is made of a program's text, in this order. */
const PHASES = {
  reading: "Reading",
  building: "Resolving names",
  verifying: "Verifying",
  preparing: "Preparing the run",
};

/** The progress of reading and verifying a large program, whose text is shown already. */
export function Verifying() {
  const { phase, line, lines } = store.verifying.value ?? { phase: "reading", line: 0, lines: 1 };
  const [isEnding, setEnding] = useState(false);
  const cancel = () => (setEnding(true), cancelVerification());
  const of = `${countText(lines)} lines`;
  const before = Object.keys(PHASES).indexOf(phase);
  return html`<div class="busy"><progress aria-label="Verification" max="3" value=${line ? Math.min(3, before + line / lines) : undefined}></progress>
    <span>${PHASES[phase]}: ${Math.floor((100 * line) / lines)} % of ${of}</span><span class="hidden" role="status">Verifying the program: ${of}</span>
    <button class="plain" disabled=${isEnding} onClick=${cancel}>${isEnding ? "Cancelling…" : "Cancel"}</button></div>`;
}

/** The position in the queue for a worker and the waiting time, which is not announced again at each change. */
export function InTurn() {
  if (store.waiting.value === null) return null;
  const { place, time, rest } = turnTexts(store.waiting.value);
  return html`<div class="busy in-turn"><progress aria-label="Waiting for a worker"></progress>
    <span><strong>${place}</strong>${time}${rest} All workers of this server are busy.</span>
    <span class="hidden" role="status">${place}${rest}</span></div>`;
}

/** The position in the queue, the approximate waiting time, and what happens then. @param {import("../../core/types.js").Turn} turn */
export function turnTexts({ before, of, seconds }) {
  const time = seconds === null ? "" : `, about ${spokenTime(seconds)}`;
  if (before === 0) return { place: "Your run is next", time, rest: "; it continues automatically." };
  const place = `${ordinal(before + 1)} of ${countText(of)} runs waiting`;
  return { place, time, rest: "; your run continues automatically." };
}

/** @param {number} seconds */
const spokenTime = (seconds) => (seconds < 120 ? `${seconds} s` : `${countText(Math.round(seconds / 60))} min`);
