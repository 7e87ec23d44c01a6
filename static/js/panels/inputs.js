/** The dialog in which the inputs of the next run are chosen. */
import { html } from "htm/preact";

/** @returns {import("preact").VNode} */
export function InputsDialog() {
  return html`<div></div>`;
}
