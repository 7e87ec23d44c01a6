/** An exercise of a lesson, where a server can run it and where none can. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { LONGEST_LINK, programLink } from "../../core/program_link.js";
import { isFile } from "../../core/source.js";
import { RichText } from "../../ui/rich_text.js";
import { Exercise } from "./exercise.js";
import { Hints, Result } from "./outcome.js";
import * as state from "./state.js";
/** @import {ChangeBlock} from "../../core/types.js" */

/** @param {{change: ChangeBlock}} props */
export function Change({ change }) {
  const name = `change-${change.id.replaceAll(/[^\w-]/g, "-")}`;
  return html`<section class=${`lesson-ask lesson-change ${state.answerTo(change.id).state}`} aria-labelledby=${name}>
    <div class="lesson-question" id=${name}><${RichText} text=${change.html} /></div>
    ${isFile() ? html`<${ChangeInFile} change=${change} />` : html`<${Exercise} change=${change} />`}
  </section>`;
}

/** Default address of a local hloscope. */
const USUAL = "http://127.0.0.1:8765";

/** @param {{change: ChangeBlock}} props */
function ChangeInFile({ change }) {
  const { id, text, hints, right_html: right } = change;
  const server = state.lesson.value?.server ?? null;
  const link = useLink(server ?? USUAL, change);
  const answered = state.answerTo(id);
  return html`<p>A file cannot run a program that was changed: this exercise takes a hloscope that runs${
    server === null ? html`. Start one with <code>hloscope serve</code>` : ` at ${server}`
  }${link && html`, then <a href=${link} target="_blank" rel="noopener">open the program there</a>`}.</p>
    <details><summary>The program</summary><pre class="lesson-program" tabindex="0">${text}</pre></details>
    <p>It is mended when this holds at its end: <code>${change.passes}</code></p>
    ${answered.state === "open" && html`<p class="lesson-acts"><${Hints} id=${id} hints=${hints} /><button onClick=${() => state.giveUp(id)}>I have done it</button></p>`}
    <${Result} id=${id} hints=${hints} wrong=${null} right=${right} />`;
}

/** With the inputs of the exercise, except those from a file. @param {string} origin @param {ChangeBlock} change @returns {string} "" while it is being made, and if it is too long for a link */
function useLink(origin, { text, name, entry, inputs: given, grid }) {
  const [link, setLink] = useState("");
  useEffect(() => {
    const inputs = given.map((input) => (JSON.stringify(input).includes('"kind":"file"') ? null : input));
    const place = { step: 0, process: 0, tab: "tensor", value: null, path: [], element: null };
    const program = { text, name, entry: entry ?? "main", inputs, grid: grid ?? ONE, place };
    programLink(origin, program).then(
      (made) => setLink(made.length <= LONGEST_LINK ? made : ""),
      () => setLink(""),
    );
  }, [origin, text]);
  return link;
}

const ONE = { replicas: 1, partitions: 1 };
