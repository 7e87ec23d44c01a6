/** Shown in place of a value that is hidden while a lesson or a teacher asks for it. */
import { html } from "htm/preact";
import { isHiddenBy } from "../core/hidden_values.js";

/** @param {{name: string}} props */
export function Covered({ name }) {
  const [asker, action] = isHiddenBy("room")
    ? ["a poll", "It appears when the teacher shows the answers."]
    : ["the lesson", "Answer the question or show the answer."];
  return html`<div class="tensor empty"><p><code>${name}</code> is hidden: this panel may show what ${asker} asks for.</p><p>${action}</p></div>`;
}
