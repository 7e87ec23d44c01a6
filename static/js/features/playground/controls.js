/** The basic controls: a number, a list of numbers as text, a choice of dimensions. Invalid text stays as typed. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { Choice, valueOf } from "../../ui/fields.js";

/** @typedef {{invalid: boolean, describedBy: string|undefined}} Mark what a control says of itself to assistive technology */

/** @param {Mark} mark */
export const ariaOf = ({ invalid, describedBy }) => ({
  "aria-invalid": invalid ? "true" : undefined,
  "aria-describedby": describedBy,
});

/**
 * A number; `null` for an empty field.
 *
 * @param {{value: number|null, label: string, mark: Mark, least?: number|null, change: (value: number|null) => void, fraction?: boolean, paste?: (text: string) => boolean}} props
 */
export function NumberBox({ value, label, mark, least = null, change, fraction = false, paste }) {
  const [draft, setDraft] = useState(/** @type {string|null} */ (null));
  const shown =
    draft !== null && read(draft, fraction) === value ? draft : value === null ? (draft ?? "") : String(value);
  const onInput = (/** @type {Event} */ event) => {
    const { value: text } = /** @type {HTMLInputElement} */ (event.currentTarget);
    setDraft(text);
    change(read(text, fraction));
  };
  const onPaste = (/** @type {ClipboardEvent} */ event) => {
    if (paste?.(event.clipboardData?.getData("text") ?? "")) event.preventDefault();
  };
  const box = html`<input class="number-box" type="number" value=${shown} style=${{ width: `calc(${Math.max(3, shown.length)}ch + 28px)` }} step=${fraction ? "any" : 1} min=${least ?? undefined} aria-label=${label}
    ...${ariaOf(mark)} onInput=${onInput} onPaste=${onPaste} onBlur=${() => setDraft(null)} />`;
  return fraction
    ? box
    : html`<span class="slid">${box}<${Slider} value=${value} least=${least} change=${change} /></span>`;
}

/** Minimum of the upper end of a slider. */
const SHORTEST = 8;

/** The ends of a slider: they stay while one drags, and grow in powers of two for larger numbers. @param {number} value @param {number|null} least @returns {[number, number]} */
export function endsOf(value, least) {
  let most = SHORTEST;
  while (most < Math.abs(value) && most < 2 ** 30) most *= 2;
  return [least === null ? -most : Math.min(least, value), most];
}

/** A slider for the pointer, below a field that keys and assistive technology use. @param {{value: number|null, least?: number|null, change: (value: number) => void}} props */
export function Slider({ value, least = null, change }) {
  const [from, to] = endsOf(value ?? 0, least);
  return html`<input class="slider" type="range" min=${from} max=${to} step="1" value=${value ?? 0} tabindex="-1" aria-hidden="true"
    onInput=${(/** @type {Event} */ event) => change(Number(valueOf(event)))} />`;
}

/** @param {string} text @param {boolean} fraction @returns {number|null} */
function read(text, fraction) {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) return null;
  return fraction || Number.isSafeInteger(number) ? number : null;
}

/** Numbers separated by commas or blanks. @param {{value: (number|null)[], label: string, mark: Mark, change: (value: (number|null)[]) => void, placeholder?: string}} props */
export function ListBox({ value, label, mark, change, placeholder = "none" }) {
  const [draft, setDraft] = useState(/** @type {string|null} */ (null));
  const spelled = value.map((number) => number ?? "").join(", ");
  const shown = draft !== null && same(readList(draft), value) ? draft : spelled;
  const onInput = (/** @type {Event} */ event) => {
    const { value: text } = /** @type {HTMLInputElement} */ (event.currentTarget);
    setDraft(text);
    change(readList(text));
  };
  return html`<input class="list-box" type="text" inputmode="numeric" autocomplete="off" spellcheck=${false} value=${shown} placeholder=${placeholder} aria-label=${label}
    ...${ariaOf(mark)} onInput=${onInput} onBlur=${() => setDraft(null)} />`;
}

/** Invalid numbers become gaps. @param {string} text @returns {(number|null)[]} */
export function readList(text) {
  const words = text
    .trim()
    .replace(/^\[|\]$/g, "")
    .split(/[\s,;]+/)
    .filter(Boolean);
  return words.map((word) => (/^[-+]?\d{1,15}$/.test(word.replace("−", "-")) ? Number(word.replace("−", "-")) : null));
}

/** @param {(number|null)[]} one @param {(number|null)[]} other */
const same = (one, other) => one.length === other.length && one.every((number, at) => number === other[at]);

/** A choice of dimensions, in the order in which they are chosen. @param {{value: (number|null)[], rank: number|null, label: string, change: (value: (number|null)[]) => void}} props */
export function DimensionChips({ value, rank, label, change }) {
  const count = Math.max(rank ?? 0, ...value.map((d) => Math.min(15, d ?? 0) + 1), 0);
  const toggle = (/** @type {number} */ d) =>
    change(value.includes(d) ? value.filter((other) => other !== d) : [...value, d]);
  return html`<span class="chips" role="group" aria-label=${`Dimensions of ${label}`}>${Array.from(
    { length: count },
    (_, d) => html`<button key=${d} type="button" class=${`chip${rank !== null && d >= rank ? " outside" : ""}`}
    aria-pressed=${value.includes(d)} onClick=${() => toggle(d)}>d${d}</button>`,
  )}</span>`;
}

/** One dimension. @param {{value: number|null, rank: number|null, name: string, label: string, mark: Mark, change: (value: number) => void}} props */
export function DimensionChoice({ value, rank, name, label, mark, change }) {
  const count = Math.max(rank ?? 0, Math.min(15, value ?? 0) + 1, 1);
  const negative = value !== null && value < 0;
  return html`<span class="chips" role="radiogroup" aria-label=${label} ...${ariaOf(mark)}>${[
    ...(negative ? [value] : []),
    ...Array(count).keys(),
  ].map(
    (d) => html`<label key=${d} class=${`chip radio${rank !== null && (d >= rank || d < 0) ? " outside" : ""}`}>
    <input type="radio" name=${name} checked=${d === value} onChange=${() => change(d)} />${d < 0 ? d : `d${d}`}</label>`,
  )}</span>`;
}

/** @param {{value: string, choices: readonly (string|{value: string, title: string})[], label: string, mark: Mark, change: (value: string) => void, class?: string}} props */
export function TextChoice({ value, choices, label, mark, change, class: className = "" }) {
  const options = choices.map((each) => (typeof each === "string" ? [each, each || "none"] : [each.value, each.title]));
  return html`<${Choice} class=${className} aria-label=${label} options=${options} value=${value} ...${ariaOf(mark)} choose=${change} />`;
}

/** @param {{does: string, sign: string, act: () => void, disabled?: boolean}} props */
export const Small = ({ does, sign, act, disabled = false }) =>
  html`<button type="button" class="small" aria-label=${does} title=${does} aria-disabled=${disabled} onClick=${() => !disabled && act()}>${sign}</button>`;
