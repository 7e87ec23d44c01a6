/** In the place of a value that is covered: a lesson, or a teacher, asks what it will be. */
import { html } from "htm/preact";
import { isHiddenBy } from "../core/hidden_values.js";

/** @param {{name: string}} props */
export function Covered({ name }) {
  const [who, until] = isHiddenBy("room")
    ? ["the class is asked about it", "It is here once the teacher shows the answers."]
    : ["the lesson asks about it", "Answer the question, or have the answer shown, and it is here."];
  return html`<div class="tensor empty"><p><code>${name}</code> is covered: ${who}.</p><p>${until}</p></div>`;
}
