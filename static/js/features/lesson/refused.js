/**
 * What the server refuses, in the language of the page: app/lessons/words/ has a sentence for each kind of error that a
 * class meets. The words of other errors, and all words in English, are the server's.
 *
 * @typedef {{message: string, kind?: string, hint?: string, parts?: string[]}} Refusal
 */
import { html } from "htm/preact";
import { filled, labelled, language } from "./words.js";

/** @param {Refusal} error @returns {{text: string, lang: string}} */
export function refusal({ message, kind, hint, parts = [] }) {
  const sentence = labelled.value?.labels?.[`refused_${kind}`];
  if (sentence !== undefined) return { text: filled(sentence, parts), lang: language.value };
  return { text: [message, hint].filter(Boolean).join(" "), lang: "en" };
}

/** @param {{error: Refusal}} props */
export function Refused({ error }) {
  const { text, lang } = refusal(error);
  return html`<span lang=${lang}>${text}</span>`;
}
