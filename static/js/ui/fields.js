/** Form fields: a choice among options, a button for a file, and what an event's field holds. */
import { html } from "htm/preact";
import { useRef } from "preact/hooks";

/** The text of the field that an event comes from. @param {Event} event @returns {string} */
export const valueOf = ({ currentTarget }) => /** @type {HTMLInputElement} */ (currentTarget).value;

/**
 * A choice of one option; other properties are attributes of its element.
 *
 * @template T
 * @param {{options: readonly (readonly [T, unknown])[]|Record<string, unknown>, value: T, choose: (value: T) => void}} props
 *   options: each with its title, in pairs or as an object
 */
export function Choice({ options, value, choose, ...attributes }) {
  const pairs = /** @type {readonly (readonly [T, unknown])[]} */ (
    Array.isArray(options) ? options : Object.entries(options)
  );
  const onChange = (/** @type {Event} */ event) => {
    const chosen = pairs[/** @type {HTMLSelectElement} */ (event.currentTarget).selectedIndex];
    if (chosen) choose(chosen[0]);
  };
  return html`<select ...${attributes} onChange=${onChange}>
    ${pairs.map(([id, title]) => html`<option key=${id} value=${id ?? ""} selected=${id === value}>${title}</option>`)}</select>`;
}

/**
 * A button that lets the user choose a file, also the same one again.
 *
 * @param {{label: string, accept?: string, title?: string, take: (file: File) => void, children: import("preact").ComponentChildren}} props
 */
export function FileButton({ label, accept, title, take, children }) {
  const input = useRef(/** @type {HTMLInputElement|null} */ (null));
  const onChange = (/** @type {Event} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.currentTarget);
    const file = field.files?.[0];
    field.value = "";
    if (file) take(file);
  };
  return html`<button class="plain" type="button" title=${title} onClick=${() => input.current?.click()}>${children}</button>
    <input ref=${input} type="file" class="hidden" tabindex="-1" aria-label=${label} accept=${accept} onChange=${onChange} />`;
}
