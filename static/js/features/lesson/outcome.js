/** The feedback for an answer, and its hints. */
import { html } from "htm/preact";
import { RichText } from "../../ui/rich_text.js";
import * as state from "./state.js";
import { language, words } from "./words.js";

/** @typedef {{problem?: import("./answers.js").Problem, html?: string, times?: number}|null} Wrong problem: the text is not an answer of its kind */

/** One hint at a time. @param {{id: string, hints: readonly string[]}} props */
export function Hints({ id, hints }) {
  const { hints: taken } = state.answerTo(id);
  if (taken >= hints.length) return null;
  const name = hints.length > 1 ? words("hintOf", taken + 1, hints.length) : words("hint");
  return html`<button type="button" lang=${language.value} onClick=${() => state.keepAnswer(id, { hints: taken + 1 })}>${name}</button>`;
}

/**
 * Announced politely when it changes.
 *
 * @param {{id: string, hints: readonly string[], wrong: Wrong, right: string, truth?: import("preact").ComponentChild, says?: string}} props
 */
export function Result({ id, hints, wrong, right, truth = null, says = "" }) {
  const { state: became, hints: taken } = state.answerTo(id);
  const isOver = became !== "open";
  return html`<div class="lesson-result" role="status">
    ${!isOver && hints.slice(0, taken).map((hint, at) => html`<div class="lesson-hint" key=${at}><${RichText} text=${hint} /></div>`)}
    ${!isOver && wrong && html`<div class="lesson-wrong" key=${`wrong ${wrong.times}`}>${wordsOf(wrong)}</div>`}
    ${became === "right" && html`<div class="lesson-right"><p><strong lang=${language.value}>${words("right")}</strong></p>${says && html`<p><${RichText} text=${says} /></p>`}<${RichText} text=${right} /></div>`}
    ${became === "shown" && html`<div class="lesson-shown">${truth && html`<p><strong lang=${language.value}>${words("theAnswer")}</strong> ${truth}</p>`}<${RichText} text=${right} /></div>`}
  </div>`;
}

/** @param {NonNullable<Wrong>} wrong */
function wordsOf({ problem, html: said }) {
  if (problem !== undefined) return html`<p lang=${language.value}>${words(problem)}</p>`;
  return html`<p><strong lang=${language.value}>${words("wrong")}</strong></p>${said ? html`<${RichText} text=${said} />` : html`<p lang=${language.value}>${words("lookAgain")}</p>`}`;
}
