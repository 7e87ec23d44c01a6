/** The microscope: the terms that made one element, in the order in which they are combined, and what rounding lost. */
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { getJson, recordingPath } from "../../core/api.js";
import { isHidden, isWayHidden } from "../../core/hidden_values.js";
import { asShown } from "../../core/run/value_names.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { oneElement, queryOf } from "../../core/tensor/element_sets.js";
import { counted, countText, indexText } from "../../core/tensor/elements.js";
import { Covered } from "../../ui/covered.js";
import { useResource } from "../../ui/resource.js";
import { giveStop, keepStop, rove } from "../../ui/roving.js";
import { goToValue } from "../findings/go.js";
import { addPanel } from "../layout/panels.js";
import { aimAt } from "../tensor/cursor_target.js";
import { showTab } from "../../core/view_actions.js";
/** @import {Derivation, DerivationRow, SourceElement} from "../../core/types.js" */
/** @import {SelectedValue} from "../../core/view_types.js" */

addPanel({
  id: "microscope",
  title: "Microscope",
  dock: "stage",
  order: 4,
  help: "microscope",
  Panel: MicroscopePanel,
  exists: () => store.isSteppedIn.value && !isFile(),
});

/** Maximum rows of an answer. */
const ROWS = 256;

export function MicroscopePanel() {
  const [key, selected] = [store.recordingKey.value, store.selectedValue.value];
  const index = selected && elementAtCursor(selected);
  if (key === null || !selected)
    return html`<p class="empty">${store.nothingSelected.value || "Choose a value: click a name such as %0 in the program."}</p>`;
  if (isHidden(key, selected.address) || isWayHidden(key)) return html`<${Covered} name=${selected.name} />`;
  if (!index)
    return html`<p class="empty">Choose an element of <code>${selected.name}</code>: move to it in <button class="plain" onClick=${() => showTab("tensor")}>Tensor</button> or Index map, and press <kbd>Shift</kbd>+<kbd>Enter</kbd>.</p>`;
  return html`<${Element} key=${`${key} ${selected.address} ${index}`} recording=${key} selected=${selected} index=${index} />`;
}

/** The element at the cursor of the tensor view; of a scalar, its only one. @param {SelectedValue} selected @returns {number[]|null} */
function elementAtCursor({ address, shape }) {
  if (!shape) return null;
  if (shape.length === 0) return [];
  const standing = store.standing.value;
  return standing?.address === address ? standing.index : null;
}

/** @param {{recording: string, selected: SelectedValue, index: number[]}} props */
function Element({ recording, selected, index }) {
  const [start, setStart] = useState(0);
  const query = new URLSearchParams({
    address: selected.address,
    elements: queryOf(oneElement(index, /** @type {number[]} */ (selected.shape))),
    from: String(start),
  });
  const path = `${recordingPath(recording)}/derivation?${query}`;
  const load = async (/** @type {AbortSignal} */ signal) =>
    asShown(store.program.peek(), /** @type {Derivation} */ (await getJson(path, signal)));
  const { value, error } = useResource(path, load);
  if (error) return html`<p class="empty" role="alert">${error.message}</p>`;
  if (!value) return html`<p class="empty" role="status">Combining the terms…</p>`;
  const hidden = value.rows.flatMap(({ terms }) => terms.flat()).find(({ address }) => isHidden(recording, address));
  if (hidden) return html`<${Covered} name=${hidden.name} />`;
  return html`<${Found} found=${value} selected=${selected} setStart=${setStart} />`;
}

/** @param {{found: Derivation, selected: SelectedValue, setStart: (start: number) => void}} props */
function Found({ found, selected, setStart }) {
  const [wanted, want] = useState(/** @type {number|null} */ (null));
  const goTo = (/** @type {number} */ row) => {
    if (row < found.start || row >= found.start + found.rows.length) setStart(Math.floor(row / ROWS) * ROWS);
    want(row);
  };
  const name = `${selected.name}${found.index.length > 0 ? indexText(found.index) : ""}`;
  return html`<article class="microscope" aria-label="Microscope">
    <header><h3><span class="name">${name}</span> = ${found.value} <span class="type">${found.type}</span></h3>
      <button class="plain" onClick=${() => backToTensor(selected, found.index)}>Show in Tensor</button></header>
    <${Verdict} found=${found} />
    <${Facts} found=${found} goTo=${goTo} />
    ${found.notes.map((note) => html`<p class="quiet" key=${note}>${note}</p>`)}
    <${Rows} found=${found} wanted=${wanted} goTo=${goTo} />
    <${Parts} found=${found} setStart=${setStart} />
  </article>`;
}

/** @param {SelectedValue} selected @param {number[]} index */
function backToTensor(selected, index) {
  aimAt(selected, index);
  showTab("tensor");
}

/** @type {Partial<Record<Derivation["kind"], string>>} */
const KINDS = {
  moved: "It is an element of an operand, bit for bit.",
  listed: "The op reads these elements; the microscope does not recompute how it combines them.",
};

/** The order, and whether it gives the recorded bits. @param {{found: Derivation}} props */
function Verdict({ found }) {
  const { agrees, agreement, order, kind } = found;
  const sentence = found.rowCount === 0 ? "The op reads no elements for it." : (KINDS[kind] ?? "");
  return html`<p class="microscope-verdict">${order || (agreement ? "" : sentence)}
    ${agreement && html` <span class=${agrees ? "agrees" : "differs"}>${agrees ? "✓" : "≠"} ${agreement}</span>`}</p>`;
}

/** @param {{found: Derivation, goTo: (row: number) => void}} props */
function Facts({ found, goTo }) {
  const { exact, exactIn, lost, lostLast, accumulator, type } = found;
  /** @type {[string, import("preact").ComponentChildren][]} */
  const facts = [];
  if (exact !== null) facts.push([exactIn ? `In ${exactIn}` : "Exact result", exact]);
  if (lost !== null) facts.push([exactIn ? `Minus ${exactIn}` : "Rounding error", signed(lost)]);
  if (lostLast !== null && accumulator !== type)
    facts.push([`Last rounding, ${accumulator} to ${type}`, signed(lostLast)]);
  const link = (/** @type {number|null} */ row, /** @type {string} */ word) =>
    row !== null &&
    facts.push([word, html`<button class="plain" onClick=${() => goTo(row)}>row ${countText(row + 1)}</button>`]);
  link(found.greatestLoss, "Greatest rounding error");
  link(found.greatestCancellation, "Greatest cancellation");
  if (facts.length === 0) return null;
  return html`<dl class="microscope-facts">${facts.map(([word, fact]) => html`<div key=${word}><dt>${word}</dt><dd>${fact}</dd></div>`)}</dl>`;
}

/** @param {string} text */
const signed = (text) => (text === "0" ? "0: exact" : text.startsWith("-") ? text : `+${text}`);

/** @param {{found: Derivation, wanted: number|null, goTo: (row: number) => void}} props */
function Rows({ found, wanted, goTo }) {
  const table = useRef(/** @type {HTMLTableElement|null} */ (null));
  useEffect(() => giveStop(table.current));
  useEffect(() => {
    if (wanted === null) return;
    const row = table.current?.querySelector(`[data-row="${wanted}"]`);
    row?.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement|null|undefined} */ (row?.querySelector("[data-rove]"))?.focus();
  }, [wanted, found.start]);
  if (found.rows.length === 0) return null;
  const has = (/** @type {(row: DerivationRow) => unknown} */ test) => found.rows.some(test);
  const columns = {
    partial: has(({ partial }) => partial !== null),
    lost: has(({ lost }) => lost !== null),
    cancelled: has(({ cancelled }) => cancelled >= 1),
    note: has(({ note }) => note !== ""),
  };
  return html`<div class="microscope-scroll"><table class="microscope-rows" ref=${table} onKeyDown=${(/** @type {KeyboardEvent} */ event) => rove(event, "vertical")} onFocusIn=${keepStop}>
    <thead><tr><th>#</th><th>Term</th>${columns.partial && html`<th title=${`Partial result in ${found.accumulator}`}>Partial result</th>`}
      ${columns.lost && html`<th title="The rounding error of this row alone">Lost</th>`}${columns.cancelled && html`<th title="Leading bits that cancelled out in this sum">Cancelled</th>`}${columns.note && html`<th>Place</th>`}</tr></thead>
    <tbody>${found.rows.map((row, at) => html`<${RowView} key=${found.start + at} row=${row} number=${found.start + at} found=${found} columns=${columns} goTo=${goTo} />`)}</tbody></table></div>`;
}

/**
 * @param {{row: DerivationRow, number: number, found: Derivation, columns: {partial: boolean, lost: boolean, cancelled: boolean, note: boolean},
 *   goTo: (row: number) => void}} props
 */
function RowView({ row, number, found, columns, goTo }) {
  const worst = [
    number === found.greatestLoss ? "worst-loss" : "",
    number === found.greatestCancellation ? "worst-cancellation" : "",
    row.note === "this element" ? "here" : "",
  ];
  // In a sequence each row takes the one above: only other rows are named.
  const joined = row.joined.length === 1 && row.joined[0] === number - 1 ? [] : row.joined;
  return html`<tr data-row=${number} class=${worst.join(" ").trim()}>
    <th scope="row">${countText(number + 1)}</th>
    <td class="terms">${joined.map((from) => html`<span class="term" key=${from}><button class="plain" data-rove tabindex="-1" onClick=${() => goTo(from)}>row ${countText(from + 1)}</button></span>`)}
      ${row.terms.map((term) => html`<${Term} term=${term} />`)}</td>
    ${columns.partial && html`<td title=${row.exact === null ? undefined : `Exact: ${row.exact}`}>${row.partial ?? ""}</td>`}
    ${columns.lost && html`<td class="lost">${row.lost === null || row.lost === "0" ? "" : signed(row.lost)}</td>`}
    ${columns.cancelled && html`<td class="cancelled">${row.cancelled >= 1 ? counted(Math.round(row.cancelled), "bit") : ""}</td>`}
    ${columns.note && html`<td>${row.note}</td>`}</tr>`;
}

/** A term with its number; the factors of a product have theirs on a line of their own. @param {{term: SourceElement[]}} props */
function Term({ term }) {
  const numbers = term.map(({ text }, at) => (at > 0 && text.startsWith("-") ? `(${text})` : text)).join(" × ");
  return html`<span class="term">${term.map((element, at) => html`${at > 0 && " × "}<${Source} element=${element} />`)}${term.length > 1 ? html`<span class="factors">${numbers}</span>` : ` = ${numbers}`}</span>`;
}

/** An element that is read, as a button that goes to it. @param {{element: SourceElement}} props */
function Source({ element: { name, index, address, role } }) {
  const label = `${name}${index.length > 0 ? indexText(index) : ""}`;
  return html`<button class="plain source" data-rove tabindex="-1" title=${`Go to ${label}${role ? `, ${role}` : ""}`} onClick=${() => void goToValue(address, index)}>${label}</button>`;
}

/** The other rows. @param {{found: Derivation, setStart: (start: number) => void}} props */
function Parts({ found: { start, rows, rowCount, termCount }, setStart }) {
  if (rowCount <= rows.length)
    return termCount > rows.flatMap(({ terms }) => terms).length
      ? html`<p class="quiet">The first ${countText(rows.length)} of ${counted(termCount, "term")}.</p>`
      : null;
  const end = start + rows.length;
  return html`<p class="microscope-parts">Rows ${countText(start + 1)} to ${countText(end)} of ${countText(rowCount)}
    <button disabled=${start === 0} onClick=${() => setStart(Math.max(0, start - ROWS))}>Previous</button>
    <button disabled=${end >= rowCount} onClick=${() => setStart(end)}>Next</button></p>`;
}
