/** The numbers of an op's index maps, below their picture: what is read and how often, tiles, warps. Asked when opened. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { recordingPath } from "../api.js";
import * as store from "../store.js";
import { useAnswer } from "./index_numbers/ask.js";
import { MeasureTable, RunNotes } from "./index_numbers/measures.js";
import { TileForm } from "./index_numbers/tile.js";
import { WarpForm } from "./index_numbers/warp.js";

/** @typedef {import("./index_numbers/tile.js").Named} Named */
/** @typedef {{operands: Named[], results: Named[], maps: {map: {runtimes: unknown[]}}[]}} Maps */

/** Stays so from op to op. */
const open = signal(false);

/** @param {{recording: string, op: number, maps: Maps, step: number|null}} props */
export function Numbers({ recording, op, maps, step }) {
  const toggled = (/** @type {Event} */ event) => (open.value = /** @type {HTMLDetailsElement} */ (event.currentTarget).open);
  return html`<details class="index-numbers" open=${open.value} onToggle=${toggled}><summary><h3>Numbers</h3></summary>
    ${open.value && html`<${Inside} key=${`${recording} ${op}`} recording=${recording} op=${op} maps=${maps} step=${step} />`}</details>`;
}

/** @param {{recording: string, op: number, maps: Maps, step: number|null}} props */
function Inside({ recording, op, maps, step }) {
  const [anyRun, setAnyRun] = useState(false);
  const path = `${recordingPath(recording)}/maps/${op}`;
  const hangs = maps.maps.some(({ map }) => map.runtimes.length > 0);
  const bound = hangs && !anyRun && step !== null;
  const at = bound ? `&process=${store.process.value}&step=${step}` : "";
  const { answer, error } = useAnswer(/** @type {string|null} */ (`${path}/measures?${at.slice(1)}`));
  const names = { operand: (/** @type {number} */ k) => maps.operands[k]?.name ?? `operand ${k}`, result: (/** @type {number} */ k) => maps.results[k]?.name ?? `result ${k}` };
  const choice = (/** @type {boolean} */ any, /** @type {string} */ name, /** @type {string} */ title) => html`<button aria-pressed=${anyRun === any} title=${title} onClick=${() => setAnyRun(any)}>${name}</button>`;
  return html`${hangs && html`<div class="index-choice" role="group" aria-label="Whose numbers">${choice(false, "this step", "With the values that the op read here")}${choice(true, "any run", "What holds whatever the op reads")}</div>`}
    ${error ? html`<p class="number-wrong" role="alert">${error}</p>` : answer ? html`<${MeasureTable} measures=${answer} names=${names} results=${maps.results.length} /><${RunNotes} measures=${answer} names=${names} />`
      : html`<p class="quiet" role="status">Counting …</p>`}
    <${TileForm} path=${path} operands=${maps.operands} results=${maps.results} at=${at} />
    <${WarpForm} path=${path} operands=${maps.operands} results=${maps.results} at=${at} />`;
}
