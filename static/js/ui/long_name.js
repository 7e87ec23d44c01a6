/** Names are as long as whatever made them liked; two of them differ mostly at their ends. */
import { html } from "htm/preact";

/** Characters that are shown. */
const MOST = 40;

/** The beginning and, twice as much, the end. @param {string} name @param {number} [most] @returns {string} */
export function cutName(name, most = MOST) {
  const characters = Array.from(name);
  if (characters.length <= most) return name;
  const head = Math.floor((most - 1) / 3);
  return `${characters.slice(0, head).join("")}…${characters.slice(head + 1 - most).join("")}`;
}

/** A text with names in it, each cut. @param {string} text @returns {string} */
export const cutNamesIn = (text) => text.replaceAll(/[\w.$%@-]+/g, (name) => cutName(name));

/** A name that is cut, whole when one points at it. @param {{name: string}} props */
export function LongName({ name }) {
  const shown = cutName(name);
  return shown === name ? name : html`<span title=${name}>${shown}</span>`;
}
