/** The tensor view: draws the value that is chosen. */
import { html } from "htm/preact";
import { nothingSelected, selectedValue } from "../store.js";

/** @returns {import("preact").VNode} */
export function TensorPanel() {
  const value = selectedValue.value;
  if (value === null) return html`<p class="empty">${nothingSelected.value}</p>`;
  return html`<p class="empty">${value.name} : ${value.type} at ${value.address}</p>`;
}
