/** What an op reads, as a table: elements, bytes, how often, how much of each operand. */
import { html } from "htm/preact";
import { bytesText, countText, kindText, overlapText, partText, reuseText, sharedText, startsText, whole, writersText } from "./words.js";

/** @typedef {import("./words.js").Measures} Measures */
/** @typedef {import("./words.js").Measure} Measure */
/** @typedef {import("./words.js").Names} Names */

/** @param {{measures: Measures, names: Names, results: number}} props */
export function MeasureTable({ measures, names, results }) {
  const { operands } = measures;
  if (operands.length === 0) return html`<p class="quiet">The op reads no elements that could be counted.</p>`;
  const notes = operands.flatMap((row) => [row.note, sharedText(row)].filter(Boolean).map((note) => ({ name: titleOf(row, names, results), note })));
  return html`<div class="table" tabindex="0" role="region" aria-label="What is read of each operand">
      <table class="number-table"><thead><tr>
        <th scope="col">operand</th>${["elements read", "of", "used", "bytes", "reads", "reads of an element"].map((name) => html`<th scope="col" class="number">${name}</th>`)}
        <th scope="col">map</th></tr></thead>
      <tbody>${operands.map((row) => html`<${Row} row=${row} title=${titleOf(row, names, results)} />`)}</tbody></table></div>
    ${notes.length > 0 && html`<ul class="number-notes">${notes.map(({ name, note }) => html`<li><span class="name">${name}</span> ${note}</li>`)}</ul>`}`;
}

/** @param {Measure} row @param {Names} names @param {number} results @returns {string} */
const titleOf = (row, names, results) => `${names.operand(row.operand)}${results > 1 ? ` for ${names.result(row.result)}` : ""}`;

/** @param {{row: Measure, title: string}} props */
function Row({ row, title }) {
  const { short, long } = kindText(row);
  return html`<tr><th scope="row" class="name">${title}</th><td class="number">${countText(row.elements)}</td><td class="number">${whole(row.size)}</td>
    <td class="number">${partText(row.utilisation)}</td><td class="number">${countText(row.bytes, bytesText)}</td><td class="number">${countText(row.reads)}</td>
    <td class="number">${reuseText(row.reuse)}</td><td title=${long}>${short}<span class="hidden">. ${long}</span></td></tr>`;
}

/** What a run's indices did. @param {{measures: Measures, names: Names}} props */
export function RunNotes({ measures, names }) {
  const found = [
    ...measures.overlaps.map((overlap) => ({ lines: [overlapText(overlap, names)], alarm: false })),
    ...measures.starts.map((starts) => ({ lines: startsText(starts, names), alarm: starts.below + starts.above > 0 })),
    ...measures.writers.map((writers) => ({ lines: writersText(writers, names), alarm: Number(writers.several) + Number(writers.dropped) > 0 })),
  ];
  if (found.length === 0) return null;
  return html`<ul class="number-notes">${found.map(({ lines: [first, ...examples], alarm }) => html`<li class=${alarm ? "noted" : ""}>${first}
    ${examples.length > 0 && html`<ul>${examples.map((line) => html`<li class="mono">${line}</li>`)}</ul>`}</li>`)}</ul>`;
}
