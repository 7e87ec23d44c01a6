/** Search the values of the recording: a number, a range, non-finite or equal elements, a shape. */
import { countText } from "../../core/tensor/elements.js";
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isHidden } from "../../core/hidden_values.js";
import * as store from "../../core/store.js";
import { closeDialog } from "../../core/view_actions.js";
import { HelpLink } from "../../ui/help_link.js";
import { Icon } from "../../ui/icons.js";
import { arrivals, thumbnail } from "../../ui/thumbnails.js";
import { VirtualList } from "../../ui/virtual_list.js";
import { goToHit } from "./go.js";
import { progressText, ValueSearch } from "../../core/search/value_search.js";
import { Choice, valueOf } from "../../ui/fields.js";
/** @import {Hit} from "../../core/search/value_search.js" */
/** @import {SearchKind} from "../../core/types.js" */

const KINDS = /** @type {[SearchKind, string][]} */ ([
  ["number", "this number"],
  ["range", "a number in a range"],
  ["nan", "NaN"],
  ["inf", "+Inf or -Inf"],
  ["nonfinite", "NaN or Inf"],
  ["equal", "all elements equal"],
  ["zero", "all elements zero"],
  ["any", "any values, of a shape"],
]);

/** The last query and its results stay when the box is closed. */
const search = new ValueSearch();
const asked = signal({
  find: /** @type {SearchKind} */ ("number"),
  number: "",
  tolerance: "",
  low: "",
  high: "",
  shape: "",
});
/** The recording that was searched. */
let searched = "";

export function ValuesBox() {
  const dialog = useRef(/** @type {HTMLDialogElement|null} */ (null));
  useLayoutEffect(() => {
    if (searched !== store.recordingKey.value) search.forget();
    dialog.current?.showModal();
    return () => search.stop();
  }, []);
  const onSubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    searched = store.recordingKey.value ?? "";
    void search.start(question());
  };
  // A search for numbers would reveal those that a question hides.
  const hits = search.hits.value.filter(({ address }) => !isHidden(store.recordingKey.value ?? "", address));
  const choose = (/** @type {number} */ index) => {
    const hit = hits[index];
    if (!hit) return;
    dialog.current?.close();
    goToHit(hit);
  };
  return html`<dialog class="finder values" ref=${dialog} aria-labelledby="values-title" onClose=${closeIfOpen}>
    <header><h2 id="values-title">Search recorded values</h2><span class="spring"></span><${HelpLink} about="search-values" title="Search values" /><button onClick=${() => dialog.current?.close()}><${Icon} name="close" /><span class="hidden">Close</span></button></header>
    <form onSubmit=${onSubmit}><${Fields} /><button class="primary">Search</button></form>
    <${Progress} hits=${hits.length} />
    <div class="found">${hits.length > 0 && html`<${VirtualList} class="results" role="listbox" label="Values found" scrolls count=${hits.length} row=${(/** @type {number} */ index) => hitRow(/** @type {Hit} */ (hits[index]))} choose=${choose} />`}</div>
  </dialog>`;
}

function closeIfOpen() {
  if (store.dialog.value === "values") closeDialog();
}

/** The request: the fields that its kind uses. @returns {import("../../core/search/value_search.js").Question} */
function question() {
  const { find, number, tolerance, low, high, shape } = asked.value;
  const fields = { number: { number, tolerance }, range: { low, high } }[/** @type {"number"|"range"} */ (find)] ?? {};
  const told = Object.entries({ ...fields, shape }).filter(([, text]) => text.trim() !== "");
  return { find, ...Object.fromEntries(told) };
}

function Fields() {
  const { find } = asked.value;
  /** @param {"find"|"number"|"tolerance"|"low"|"high"|"shape"} name @param {string} value */
  const set = (name, value) => (asked.value = { ...asked.value, [name]: value });
  /** @param {"number"|"tolerance"|"low"|"high"|"shape"} name @param {string} label @param {string} placeholder */
  const field = (name, label, placeholder) =>
    html`<label>${label}<input name=${name} autofocus=${name === "number"} value=${asked.value[name]} onInput=${(/** @type {Event} */ event) => set(name, valueOf(event))} placeholder=${placeholder} autocomplete="off" spellcheck=${false} maxlength="80" /></label>`;
  return html`<label>Values with<${Choice} name="find" options=${KINDS} value=${find} choose=${(/** @type {string} */ kind) => set("find", kind)} /></label>
    ${find === "number" && html`${field("number", "Number", "0.5")}${field("tolerance", "Tolerance", "exactly")}`}
    ${find === "range" && html`${field("low", "From", "-∞")}${field("high", "To", "∞")}`}
    ${field("shape", "Shape", "any, or f32[64,?]")}`;
}

/** The progress of the search, with buttons that stop and continue it. @param {{hits: number}} props those that are shown */
function Progress({ hits }) {
  const state = search.state.value;
  const [looked, all] = [search.looked.value, Math.max(1, search.all.value)];
  return html`<div class="find-status">
    ${state === "searching" && html`<progress aria-label="Searched" max=${all} value=${Math.min(looked, all)}></progress>`}
    <span role="status">${search.error.value || progressText(search, hits)}</span><span class="spring"></span>
    ${state === "searching" && html`<button class="plain" onClick=${() => search.stop()}>Stop</button>`}
    ${state === "stopped" && !search.error.value && html`<button class="plain" onClick=${() => void search.goOn()}>Go on</button>`}
  </div>`;
}

/** @param {Hit} hit @returns {import("../../ui/virtual_list.js").Row} */
function hitRow(hit) {
  arrivals.value;
  const grid = store.grid.value;
  const when = hit.step === null ? "input" : `step ${countText(hit.step)}`;
  const where = grid ? `${grid.nameOf(hit.process)} ${when}` : when;
  const line = countText(store.draftLine(hit.line));
  const count =
    hit.count === hit.size ? `all ${countText(hit.size)}` : `${countText(hit.count)} of ${countText(hit.size)}`;
  const first = hit.size === 0 ? "" : `[${hit.index.join(", ")}] = ${hit.element}`;
  return {
    ...{ class: "result", picture: thumbnail(store.recordingKey.value ?? "", hit.address) ?? null },
    label: `${hit.name}, ${where}, line ${line}, ${count}, first ${first}`,
    title: `${hit.name} : ${hit.type}`,
    content: html`<span class="result-name">${hit.name}</span><span class="result-detail">${hit.type}</span>
      <span class="result-element">${first}</span><span class="result-count">${count}</span><span class="line">${where} · line ${line}</span>`,
  };
}
