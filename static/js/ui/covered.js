/** Shown in place of a value that is hidden while a lesson or a teacher asks for it. */
import { html } from "htm/preact";
import { isHiddenBy } from "../core/hidden_values.js";

/** @param {{name: string}} props */
export function Covered({ name }) {
  const [reason, action] = isHiddenBy("room")
    ? ["a poll asks the class about it", "It appears when the teacher shows the answers."]
    : ["the lesson asks about it", "Answer the question or show the answer to see it."];
  return html`<div class="tensor empty"><p><code>${name}</code> is hidden: ${reason}.</p><p>${action}</p></div>`;
}
