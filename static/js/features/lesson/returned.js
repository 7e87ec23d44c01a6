/** A result of the student's program as a small heat map, beside the expected one with the same colours. */
import { html } from "htm/preact";
import { words } from "./words.js";
/** @import {PicturedValue, ReturnedValue} from "../../core/types.js" */

/** Strongest part of the accent in a cell: its number stays readable. */
const STRONGEST = 45;

/** @param {{value: ReturnedValue, name: string, hidesExpected: boolean}} props */
export function Returned({ value: { given, expected, differs }, name, hidesExpected }) {
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
