/** What came of a program: the verdict, messages, the values of the check, and its results beside the expected ones. */
import { html } from "htm/preact";
import { withCode } from "../../ui/with_code.js";
import { problemText } from "../reference/model.js";
import { Returned } from "./returned.js";
import * as state from "./state.js";
import { language, words } from "./words.js";
/** @import {ChangeResult} from "../../core/types.js" */

/** @param {{checked: ChangeResult}} props */
export function Checked({ checked: { passed, message, diagnostics, values, returned = [] } }) {
  // What the exercise expects may be what a question of the step still asks for.
  const isAsking = (state.shownPage.value?.page.blocks ?? []).some(
    (block) => block.kind === "ask" && state.answerTo(block.id).state === "open",
  );
  const [before, after] = words("whereExpected", "|").split("|");
  return html`<p class=${passed ? "lesson-passed" : "lesson-wrong"} lang=${language.value}>${passed ? words("passes") : withCode(message)}</p>
    ${diagnostics.length > 0 && html`<ul class="problems" lang="en">${diagnostics.map((found) => html`<li>${problemText(found)}</li>`)}</ul>`}
    ${values.length > 0 && html`<dl class="lesson-values">${values.map(({ text, value, expected }) => html`<div><dt><code>${text}</code></dt><dd><code>${value}</code>${expected !== null && !isAsking && html`<span lang=${language.value}>${before}<code>${expected}</code>${after}</span>`}</dd></div>`)}</dl>`}
    ${returned.map((value, at, all) => html`<${Returned} key=${at} value=${value} name=${all.length > 1 ? ` ${at}` : ""} hidesExpected=${isAsking} />`)}`;
}
