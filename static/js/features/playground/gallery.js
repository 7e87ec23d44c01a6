/** All ops by family, with a search; ops without a form state the reason. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { Dialog } from "../../ui/dialog.js";
import * as play from "./state.js";
import { counted } from "../../core/tensor/elements.js";
import { valueOf } from "../../ui/fields.js";
import { wordsOf } from "../../core/search/query.js";
/** @import {FormFamily as Family} from "../../core/types.js" */

/** @param {{families: Family[], close: () => void}} props */
export function Gallery({ families, close }) {
  const [wanted, setWanted] = useState("");
  const found = matchFamilies(families, wanted);
  const count = found.reduce((sum, { ops }) => sum + ops.length, 0);
  const choose = (/** @type {string} */ op) => {
    close();
    void play.goTo(op);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const first = found.flatMap(({ ops }) => ops).find(({ why }) => !why);
    if (first) choose(first.name);
  };
  return html`<${Dialog} title="Choose an op" close=${close}><form class="op-gallery" onSubmit=${submit}>
    <div class="filter"><label for="op-search">Find</label><input id="op-search" type="search" autocomplete="off" autofocus value=${wanted}
      onInput=${(/** @type {Event} */ event) => setWanted(valueOf(event))} /><span role="status">${wanted && `${counted(count, "op")}`}</span></div>
    ${found.map((family) => html`<${FamilyOps} key=${family.name} family=${family} choose=${choose} />`)}
    ${count === 0 && html`<p class="quiet">No matches in names, descriptions and families.</p>`}
  </form><//>`;
}

/** @param {{family: Family, choose: (op: string) => void}} props */
function FamilyOps({ family: { name, title, ops }, choose }) {
  const go = (/** @type {string} */ op) => (/** @type {MouseEvent} */ event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    choose(op);
  };
  const entry = (/** @type {Family["ops"][number]} */ { name: op, sentence, why }) =>
    why
      ? html`<span class="without" title=${why}><a href=${`/ops/${op}`}>${short(op)}</a> <span class="quiet">${why}</span></span>`
      : html`<a href=${play.pathOf(op)} title=${sentence} aria-current=${op === play.form.value?.op ? "true" : undefined} onClick=${go(op)}>${short(op)}</a>`;
  return html`<section aria-labelledby=${`family-${name}`}><h3 id=${`family-${name}`}>${title}</h3>
      <ul>${ops.map((op) => html`<li key=${op.name}>${entry(op)}</li>`)}</ul></section>`;
}

/** @param {string} op */
const short = (op) => op.replace(/^stablehlo\./, "");

/** Families with the ops that match all words. @param {Family[]} families @param {string} wanted @returns {Family[]} */
export function matchFamilies(families, wanted) {
  const words = wordsOf(wanted);
  return families
    .map((family) => {
      const ops = family.ops.filter(({ name, sentence }) =>
        words.every((word) => `${name} ${sentence} ${family.title}`.toLowerCase().includes(word)),
      );
      // Names come first: most queries are names.
      const first =
        words.length > 0 ? ops.toSorted((one, other) => rank(one.name, words) - rank(other.name, words)) : ops;
      return { ...family, ops: first };
    })
    .filter(({ ops }) => ops.length > 0);
}

/** @param {string} name @param {string[]} words */
const rank = (name, words) =>
  words.every((word) => short(name).startsWith(word)) ? 0 : words.every((word) => name.includes(word)) ? 1 : 2;
