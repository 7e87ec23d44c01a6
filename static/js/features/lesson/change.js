/** An exercise of a lesson, where a server can run it, and where none can. */
import { html } from "htm/preact";
import { isFile } from "../../core/source.js";
import { RichText } from "../../ui/rich_text.js";
import { ChangeInFile } from "./change_in_file.js";
import { Exercise } from "./exercise.js";
import * as state from "./state.js";

/** @typedef {import("../../core/types.js").ChangeBlock} ChangeBlock */

/** @param {{change: ChangeBlock}} props */
export function Change({ change }) {
  const name = `change-${change.id.replaceAll(/[^\w-]/g, "-")}`;
  return html`<section class=${`lesson-ask lesson-change ${state.answerTo(change.id).state}`} aria-labelledby=${name}>
    <div class="lesson-question" id=${name}><${RichText} text=${change.html} /></div>
    ${isFile() ? html`<${ChangeInFile} change=${change} />` : html`<${Exercise} change=${change} />`}
  </section>`;
}
