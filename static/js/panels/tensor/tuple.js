/** A tuple in the tensor view: what is in it, each part to be looked at by itself. */
import { html } from "htm/preact";
import { elementOf, leafCount } from "../../run/tuples.js";
import { program } from "../../store.js";
import { TupleRows } from "../tuple_rows.js";

/** @param {{known: import("./use.js").Known}} props */
export function TupleValue({ known: { selected } }) {
  const whole = program.value?.values[selected.value]?.elements ?? null;
  const elements = selected.path.length > 0 ? (elementOf(whole, selected.path)?.elements ?? null) : whole;
  if (!elements) return null;
  const address = selected.address.split(".").slice(0, selected.address.split(".").length - selected.path.length).join(".");
  const inside = { value: selected.value, address, elements, path: selected.path };
  return html`<div class="tensor-tuple"><p class="quiet">${sentence(elements)} Choose one to draw it.</p>
    <${TupleRows} inside=${inside} name=${selected.name} /></div>`;
}

/** @param {import("../../types.js").TupleElement[]} elements @returns {string} */
function sentence(elements) {
  const leaves = leafCount(elements);
  const count = `A tuple of ${elements.length} ${elements.length === 1 ? "element" : "elements"}`;
  return leaves === elements.length ? `${count}.` : `${count}, ${leaves} with those of the tuples in it.`;
}

/** @param {import("./use.js").Known} known @returns {boolean} */
export function isTuple({ selected }) {
  const whole = program.value?.values[selected.value]?.elements ?? null;
  return whole !== null && (selected.path.length === 0 || elementOf(whole, selected.path)?.elements !== null);
}
