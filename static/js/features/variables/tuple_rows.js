/** The elements of a tuple as a list: path, picture, type and numbers. */
import { html } from "htm/preact";
import { Stack } from "../../core/prefix_sums.js";
import { VirtualList } from "../../ui/virtual_list.js";
import { elementParts, turn } from "./tuples.js";
import { chooseRow, indent, valueRow } from "./value_row.js";

/** @typedef {import("./tuples.js").ElementRow|import("./tuples.js").NoteRow} AnyRow */

/** @param {{inside: Omit<import("./tuples.js").Inside, "name">, name: string}} props */
export function TupleRows({ inside, name }) {
  const tuple = { ...inside, name: name.replace(/\{.*/, "") };
  const rows = new Stack(elementParts(tuple, { level: 1, group: "" }));
  const at = (/** @type {number} */ index) => descriptorAt(rows, index);
  const choose = (/** @type {number} */ index) => {
    const row = at(index);
    if (row.kind === "element") chooseRow(row);
  };
  const turnAt = (/** @type {number} */ index, /** @type {boolean} */ open) => {
    const row = at(index);
    if (row.kind === "element" && row.open !== undefined) turn(row.value, row.path, open);
  };
  return html`<${VirtualList} class="tuple-rows" role="tree" label=${`Elements of ${name}`} count=${rows.count} row=${(/** @type {number} */ index) => elementRow(at(index))}
    choose=${choose} turn=${turnAt} />`;
}

/** @param {Stack<import("./tuples.js").Part<AnyRow>>} rows @param {number} index @returns {AnyRow} */
function descriptorAt(rows, index) {
  const { part, index: inner } = rows.at(index);
  return part.at(inner);
}

/** @param {AnyRow} row @returns {import("../../ui/virtual_list.js").Row} */
const elementRow = (row) => (row.kind === "note" ? noteRow(row) : valueRow({ ...row, level: row.level + 1 }));

/** @param {import("./tuples.js").NoteRow} row @returns {import("../../ui/virtual_list.js").Row} */
export const noteRow = ({ text, level, group }) => ({
  ...{ class: "quiet", level, group },
  content: html`${indent(level)}<span class="note">${text}</span>`,
});
