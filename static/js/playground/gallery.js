/** All ops to choose from, by family, with a search; those that have no form say why. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { Dialog } from "../ui/dialog.js";
import * as play from "./play.js";

/** @typedef {{name: string, title: string, ops: {name: string, sentence: string, why?: string}[]}} Family */

/** @param {{families: Family[], close: () => void}} props */
export function Gallery({ families, close }) {
  const [wanted, setWanted] = useState("");
  const found = matching(families, wanted);
  const count = found.reduce((sum, { ops }) => sum + ops.length, 0);
  const go = (/** @type {MouseEvent} */ event, /** @type {string} */ op) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    close();
    void play.goTo(op);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const first = found.flatMap(({ ops }) => ops).find(({ why }) => !why);
    if (!first) return;
    close();
    void play.goTo(first.name);
  };
  return html`<${Dialog} title="Choose an op" close=${close}><form class="op-gallery" onSubmit=${submit}>
    <div class="filter"><label for="op-search">Find</label><input id="op-search" type="search" autocomplete="off" autofocus value=${wanted}
      onInput=${(/** @type {Event} */ event) => setWanted(/** @type {HTMLInputElement} */ (event.currentTarget).value)} /><span role="status">${wanted && `${count} ${count === 1 ? "op" : "ops"}`}</span></div>
    ${found.map(({ name, title, ops }) => html`<section key=${name} aria-labelledby=${`family-${name}`}><h3 id=${`family-${name}`}>${title}</h3>
      <ul>${ops.map(({ name: op, sentence, why }) => html`<li key=${op}>${why ? html`<span class="without" title=${why}><a href=${`/ops/${op}`}>${short(op)}</a> <span class="quiet">${why}</span></span>`
        : html`<a href=${play.pathOf(op)} title=${sentence} aria-current=${op === play.form.value?.op ? "true" : undefined} onClick=${(/** @type {MouseEvent} */ event) => go(event, op)}>${short(op)}</a>`}</li>`)}</ul></section>`)}
    ${count === 0 && html`<p class="quiet">No op has this in its name, its sentence or its family.</p>`}
  </form><//>`;
}

/** @param {string} op */
const short = (op) => op.replace(/^stablehlo\./, "");

/** Families with the ops whose words have all that is wanted. @param {Family[]} families @param {string} wanted @returns {Family[]} */
export function matching(families, wanted) {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  return families.map((family) => {
    const ops = family.ops.filter(({ name, sentence }) => words.every((word) => `${name} ${sentence} ${family.title}`.toLowerCase().includes(word)));
    // An op's name is what one types, most of the time.
    const first = words.length > 0 ? ops.toSorted((one, other) => rank(one.name, words) - rank(other.name, words)) : ops;
    return { ...family, ops: first };
  }).filter(({ ops }) => ops.length > 0);
}

/** @param {string} name @param {string[]} words */
const rank = (name, words) => (words.every((word) => short(name).startsWith(word)) ? 0 : words.every((word) => name.includes(word)) ? 1 : 2);
