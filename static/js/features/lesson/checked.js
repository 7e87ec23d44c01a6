/** What came of a program: the verdict, messages, the values of the check, and its results beside the expected ones. */
import { html } from "htm/preact";
import { withCode } from "../../ui/with_code.js";
import { problemText } from "../reference/model.js";
import * as state from "./state.js";
import { language, words } from "./words.js";
/** @import {ChangeResult, PicturedValue, ReturnedValue} from "../../core/types.js" */

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

/** Strongest part of the accent in a cell: its number stays readable. */
const STRONGEST = 45;

/** @param {{value: ReturnedValue, name: string, hidesExpected: boolean}} props */
function Returned({ value: { given, expected, differs }, name, hidesExpected }) {
  const shown = hidesExpected ? null : expected;
  const range = rangeOf([...given.elements, ...(shown?.elements ?? [])]);
  return html`<div class="own-pictures">
    <${Picture} title=${words("yourResult") + name} value=${given} range=${range} marked=${new Set(shown ? differs : [])} />
    ${shown && html`<${Picture} title=${words("expected")} value=${shown} range=${range} marked=${new Set(differs)} />`}
    ${hidesExpected && expected && html`<p class="quiet">${words("expectedLater")}</p>`}</div>`;
}

/** @param {{title: string, value: PicturedValue, range: [number, number], marked: ReadonlySet<number>}} props */
function Picture({ title, value: { type, shape, elements }, range, marked }) {
  const across = shape.at(-1) ?? 1;
  const rows = across === 0 ? [] : Array.from({ length: elements.length / across }, (_, row) => row * across);
  return html`<figure class="own-picture"><figcaption><strong>${title}</strong> <code>${type}</code></figcaption>
    <table><tbody>${rows.map((first) => html`<tr>${elements.slice(first, first + across).map((text, column) => html`<${Cell} text=${text} range=${range} isMarked=${marked.has(first + column)} />`)}</tr>`)}</tbody></table></figure>`;
}

/** @param {{text: string, range: [number, number], isMarked: boolean}} props */
function Cell({ text, range: [low, high], isMarked }) {
  const number = Number(text);
  const share = high > low && Number.isFinite(number) ? (number - low) / (high - low) : 0;
  const style = { background: `color-mix(in srgb, var(--accent) ${Math.round(STRONGEST * share)}%, var(--surface))` };
  return html`<td class=${isMarked ? "differs" : ""} style=${style}>${text}${isMarked && html`<span class="hidden"> ${words("differs")}</span>`}</td>`;
}

/** @param {string[]} elements @returns {[number, number]} */
function rangeOf(elements) {
  const numbers = elements.map(Number).filter(Number.isFinite);
  return numbers.length === 0 ? [0, 0] : [Math.min(...numbers), Math.max(...numbers)];
}
