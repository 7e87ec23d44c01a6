/** The numbers of an op's index maps, below their picture: reads, tiles, warps. Loaded when opened. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { recordingPath } from "../../../core/api.js";
import * as store from "../../../core/store.js";
import { useJson } from "../../../ui/resource.js";
import { TileForm } from "./tile.js";
import { WarpForm } from "./warp.js";
import {
  countText,
  kindText,
  overlapText,
  partText,
  reuseText,
  sharedText,
  startsText,
  integerText,
  writersText,
} from "./words.js";
import { bytesText } from "../../../core/tensor/elements.js";
/** @import {Named} from "./tile.js" */
/** @import {Names} from "./words.js" */
/** @import {MeasureInfo as Measure, MeasuresInfo as Measures} from "../../../core/types.js" */

/** @typedef {{operands: Named[], results: Named[], maps: {map: {runtimes: unknown[]}}[]}} Maps */

/** Stays open from op to op. */
const open = signal(false);

/** @param {{recording: string, op: number, maps: Maps, step: number|null}} props */
export function Numbers({ recording, op, maps, step }) {
  const toggled = (/** @type {Event} */ event) =>
    (open.value = /** @type {HTMLDetailsElement} */ (event.currentTarget).open);
  return html`<details class="index-numbers" open=${open.value} onToggle=${toggled}><summary><h3>Numbers</h3></summary>
    ${open.value && html`<${Inside} key=${`${recording} ${op}`} recording=${recording} op=${op} maps=${maps} step=${step} />`}</details>`;
}

/** @param {{recording: string, op: number, maps: Maps, step: number|null}} props */
function Inside({ recording, op, maps, step }) {
  const [anyRun, setAnyRun] = useState(false);
  const path = `${recordingPath(recording)}/maps/${op}`;
  const depends = maps.maps.some(({ map }) => map.runtimes.length > 0);
  const bound = depends && !anyRun && step !== null;
  const at = bound ? `&process=${store.process.value}&step=${step}` : "";
  const { value: answer = null, error } = useJson(`${path}/measures?${at.slice(1)}`);
  const names = {
    operand: (/** @type {number} */ k) => maps.operands[k]?.name ?? `operand ${k}`,
    result: (/** @type {number} */ k) => maps.results[k]?.name ?? `result ${k}`,
  };
  const choice = (/** @type {boolean} */ any, /** @type {string} */ name, /** @type {string} */ title) =>
    html`<button aria-pressed=${anyRun === any} title=${title} onClick=${() => setAnyRun(any)}>${name}</button>`;
  return html`${depends && html`<div class="index-choice" role="group" aria-label="Values used">${choice(false, "this step", "With the values that the op read in this step")}${choice(true, "any run", "Facts that hold whatever the op reads")}</div>`}
    ${
      error
        ? html`<p class="number-wrong" role="alert">${error.message}</p>`
        : answer
          ? html`<${MeasureTable} measures=${answer} names=${names} results=${maps.results.length} /><${RunNotes} measures=${answer} names=${names} />`
          : html`<p class="quiet" role="status">Counting…</p>`
    }
    <${TileForm} path=${path} op=${op} operands=${maps.operands} results=${maps.results} at=${at} />
    <${WarpForm} path=${path} operands=${maps.operands} results=${maps.results} at=${at} />`;
}

/** @param {{measures: Measures, names: Names, results: number}} props */
function MeasureTable({ measures, names, results }) {
  const { operands } = measures;
  if (operands.length === 0) return html`<p class="quiet">This op reads no elements that can be counted.</p>`;
  const notes = operands.flatMap((row) =>
    [row.note, sharedText(row)].filter(Boolean).map((note) => ({ name: titleOf(row, names, results), note })),
  );
  return html`<div class="table" tabindex="0" role="region" aria-label="What is read of each operand">
      <table class="number-table"><thead><tr>
        <th scope="col">operand</th>${["elements read", "of", "used", "bytes", "reads", "reads of an element"].map((name) => html`<th scope="col" class="number">${name}</th>`)}
        <th scope="col">map</th></tr></thead>
      <tbody>${operands.map((row) => html`<${Row} row=${row} title=${titleOf(row, names, results)} />`)}</tbody></table></div>
    ${notes.length > 0 && html`<ul class="number-notes">${notes.map(({ name, note }) => html`<li><span class="name">${name}</span> ${note}</li>`)}</ul>`}`;
}

/** @param {Measure} row @param {Names} names @param {number} results @returns {string} */
const titleOf = (row, names, results) =>
  `${names.operand(row.operand)}${results > 1 ? ` for ${names.result(row.result)}` : ""}`;

/** @param {{row: Measure, title: string}} props */
function Row({ row, title }) {
  const { short, long } = kindText(row);
  return html`<tr><th scope="row" class="name">${title}</th><td class="number">${countText(row.elements)}</td><td class="number">${integerText(row.size)}</td>
    <td class="number">${partText(row.utilisation)}</td><td class="number">${countText(row.bytes, bytesText)}</td><td class="number">${countText(row.reads)}</td>
    <td class="number">${reuseText(row.reuse)}</td><td title=${long}>${short}<span class="hidden">. ${long}</span></td></tr>`;
}

/** The effects of a run's indices. @param {{measures: Measures, names: Names}} props */
function RunNotes({ measures, names }) {
  const found = [
    ...measures.overlaps.map((overlap) => ({ lines: [overlapText(overlap, names)], alarm: false })),
    ...measures.starts.map((starts) => ({ lines: startsText(starts, names), alarm: starts.below + starts.above > 0 })),
    ...measures.writers.map((writers) => ({
      lines: writersText(writers, names),
      alarm: Number(writers.several) + Number(writers.dropped) > 0,
    })),
  ];
  if (found.length === 0) return null;
  return html`<ul class="number-notes">${found.map(
    ({ lines: [first, ...examples], alarm }) => html`<li class=${alarm ? "noted" : ""}>${first}
    ${examples.length > 0 && html`<ul>${examples.map((line) => html`<li class="mono">${line}</li>`)}</ul>`}</li>`,
  )}</ul>`;
}
