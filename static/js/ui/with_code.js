/** Sentences with code between backquotes. */
import { html } from "htm/preact";

/** A text whose parts between backquotes are code. @param {string} text @returns {unknown[]} */
export const withCode = (text) => text.split("`").map((part, at) => (at % 2 ? html`<code>${part}</code>` : part));
