/** Sentences of the server that mark code by backticks. */
import { html } from "htm/preact";

/** A sentence whose parts in backticks are code. @param {string} sentence */
export const codeWords = (sentence) =>
  sentence.split(/`([^`]*)`/).map((part, at) => (at % 2 ? html`<code>${part}</code>` : part));
