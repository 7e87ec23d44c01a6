/** Variables: operands and results of the current op, and the other values of its frame. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { recall, remember } from "../../core/preferences.js";
import { scopes, shortTitle } from "../../core/run/scopes.js";
import * as store from "../../core/store.js";
import { countText } from "../../core/tensor/elements.js";
import { ListFilter } from "../../ui/list_filter.js";
import { VirtualList } from "../../ui/virtual_list.js";
import { parseFilter } from "../../core/search/filter.js";
import { nonfiniteProgress } from "../../core/search/nonfinite.js";
import { variableRows } from "./model.js";
import { noteRow } from "./tuple_rows.js";
import { turn } from "./tuples.js";
import { chooseRow, valueRow } from "./value_row.js";
import { addPanel } from "../layout/panels.js";
/** @import {VariableRow} from "./model.js" */

addPanel({
  id: "variables",
  title: "Variables",
  dock: "inspector",
  order: 1,
  help: "variables",
  Panel: VariablesPanel,
});

/** Folded groups. */
const folded = signal(/** @type {ReadonlySet<string>} */ (new Set()));

const filterText = signal("");
const groupBy = signal(recall("variables-grouped-by") ?? "none");

const GROUPS = /** @type {const} */ ([
  ["none", "no groups"],
  ["scope", "by scope"],
  ["function", "by function"],
]);

export function VariablesPanel() {
  const filter = parseFilter(filterText.value);
  const rows = variableRows({ filter, by: groupBy.value }, (group) => folded.value.has(group));
  return html`<div class="section">
    ${store.program.value && html`<${Filter} />`}
    ${rows.count === 0 ? html`<p class="empty">${nothingText()}</p>` : html`<${List} rows=${rows} />`}
  </div>`;
}

const nothingText = () =>
  filterText.value.trim() === ""
    ? store.whyNoRun.value || "Run the program: the operands and results of the current op appear here."
    : "No matches.";

/** @param {{rows: import("../../core/prefix_sums.js").Stack<import("./tuples.js").Part<VariableRow>>}} props */
function List({ rows }) {
  const at = (/** @type {number} */ index) => {
    const { part, index: inner } = rows.at(index);
    return part.at(inner);
  };
  return html`<${VirtualList} role="tree" label="Variables" keeps count=${rows.count} row=${(/** @type {number} */ index) => rowOf(at(index))}
    choose=${(/** @type {number} */ index) => choose(at(index))} turn=${(/** @type {number} */ index, /** @type {boolean} */ open) => turnRow(at(index), open)} />`;
}

function Filter() {
  const choose = (/** @type {string} */ id) => {
    groupBy.value = id;
    remember("variables-grouped-by", id);
  };
  const bad = parseFilter(filterText.value).nonfinite ? nonfiniteProgress() : "";
  const none = groupBy.value === "scope" && scopes()?.titles.length === 0;
  const note = [none && "No scopes in this program: its ops have no op_name and no named location.", bad]
    .filter(Boolean)
    .join(" · ");
  return html`<${ListFilter} label="Filter variables" by="name, op, type, scope, nan" text=${filterText.value} setText=${(/** @type {string} */ text) => (filterText.value = text)}
    note=${note} grouping=${{ chosen: groupBy.value, options: GROUPS, choose }} />`;
}

/** @param {VariableRow} row @returns {import("../../ui/virtual_list.js").Row} */
function rowOf(row) {
  if (row.kind === "title") return titleRow(row);
  return row.kind === "note" ? noteRow(row) : valueRow(row);
}

/** @param {import("./model.js").TitleRow} row @returns {import("../../ui/virtual_list.js").Row} */
const titleRow = ({ title, open, values, level, position, of }) => ({
  ...{ key: title, class: "group-title", level, open, position, of, title, label: `${title}, ${countText(values)}` },
  content: html`<span class="disclose" aria-hidden="true">${open ? "▾" : "▸"}</span><span class="title">${groupBy.value === "scope" ? shortTitle(title, scopes()?.titles ?? []) : title}</span><span class="many">${countText(values)}</span>${title === "Results" && html`<span class="ahead-word" title="The current op is about to run">ahead</span>`}`,
});

/** @param {VariableRow} row */
function choose(row) {
  if (row.kind === "title") turnRow(row, !row.open);
  else if (row.kind !== "note") chooseRow(row);
}

/** @param {VariableRow} row @param {boolean} open */
function turnRow(row, open) {
  if (row.kind === "title") {
    const rest = [...folded.value].filter((title) => title !== row.title);
    folded.value = new Set(open ? rest : [...rest, row.title]);
  } else if (row.kind !== "note" && row.open !== undefined) turn(row.value, row.path, open);
}
