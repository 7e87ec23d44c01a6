/** An exercise in a page that is a file: it takes a hloscope that runs programs, so it is shown what to do there. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { getJson, sessionPath } from "../../core/api.js";
import { LONGEST_LINK, programLink } from "../../core/program_link.js";
import * as store from "../../core/store.js";
import { Hints, Result } from "./outcome.js";
import * as state from "./state.js";

/** Where a hloscope is that somebody has started without saying where. */
const USUAL = "http://127.0.0.1:8000";

/** @param {{change: import("../../core/types.js").ChangeBlock}} props */
export function ChangeInFile({ change }) {
  const { id, text, hints, right_html: right } = change;
  const server = state.lesson.value?.server ?? null;
  const link = useLink(server ?? USUAL, change);
  const answered = state.answerTo(id);
  return html`<p>A file cannot run a program that was changed: this exercise takes a hloscope that runs${
    server === null ? html`. Start one with <code>hloscope serve --port 8000</code>` : ` at ${server}`
  }${link && html`, then <a href=${link} target="_blank" rel="noopener">open the program there</a>`}.</p>
    <details><summary>The program</summary><pre class="lesson-program" tabindex="0">${text}</pre></details>
    <p>It is mended when this holds at its end: <code>${change.passes}</code></p>
    ${answered.state === "open" && html`<p class="lesson-acts"><${Hints} id=${id} hints=${hints} /><button onClick=${() => state.giveUp(id)}>I have done it</button></p>`}
    <${Result} id=${id} hints=${hints} wrong=${null} right=${right} />`;
}

/** @param {string} origin @param {import("../../core/types.js").ChangeBlock} change @returns {string} "" while it is made, and for what is too long for a link */
function useLink(origin, { run, text }) {
  const [link, setLink] = useState("");
  useEffect(() => {
    linkTo(origin, run, text).then(
      (made) => setLink(made.length <= LONGEST_LINK ? made : ""),
      () => setLink(""),
    );
  }, [origin, text]);
  return link;
}

/** With the inputs of the lesson's run, but for those that come from a file. @param {string} origin @param {number} number @param {string} text */
async function linkTo(origin, number, text) {
  /** @type {import("../../core/types.js").RunInfo} */
  const { entry, grid, arguments: given } = await getJson(`${sessionPath(store.sessionId.peek())}/runs/${number}`);
  const inputs = given.map(({ input }) => (JSON.stringify(input).includes('"kind":"file"') ? null : input));
  const place = { step: 0, process: 0, tab: "tensor", value: null, path: [], element: null };
  return programLink(origin, { text, name: state.lesson.peek()?.title ?? "lesson", entry, inputs, grid, place });
}
