/** In the place of a value that is covered: a lesson asks what it will be. */
import { html } from "htm/preact";

/** @param {{name: string}} props */
export const Covered = ({ name }) =>
  html`<div class="tensor empty"><p><code>${name}</code> is covered: the lesson asks about it.</p>
    <p>Answer the question, or have the answer shown, and it is here.</p></div>`;
