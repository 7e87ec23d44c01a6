/** The list of ops, filtered by words of names, sentences, HLO opcodes and XLA's names. */
import { html, render } from "htm/preact";
import "./common.js";
import { counted } from "../core/tensor/elements.js";
import { valueOf } from "../ui/fields.js";

const root = document.getElementById("op-filter");
if (root)
  render(
    html`<div class="filter"><label for="filter">Find</label><input id="filter" type="search" autocomplete="off" onInput=${onInput} /><span role="status" id="found"></span></div>`,
    root,
  );

/** @param {Event} event */
function onInput(event) {
  const wanted = valueOf(event).toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const section of document.querySelectorAll("section.family"))
    found += narrow(/** @type {HTMLElement} */ (section), wanted);
  const said = document.getElementById("found");
  const ops = document.querySelectorAll("section.family dt:not([hidden]) a").length; // opcodes without an op have no page
  if (said) said.textContent = wanted.length > 0 ? `${counted(ops, "op")}` : "";
  const nothing = document.getElementById("none-found");
  if (nothing) nothing.hidden = found > 0;
}

/** @param {HTMLElement} section @param {string[]} wanted @returns {number} how many are left */
function narrow(section, wanted) {
  let found = 0;
  for (const name of section.querySelectorAll("dt")) {
    const text = /** @type {HTMLElement|null} */ (name.nextElementSibling);
    const words = `${name.textContent} ${name.dataset.words} ${text?.textContent}`.toLowerCase();
    const hidden = !wanted.every((word) => words.includes(word));
    name.hidden = hidden;
    if (text) text.hidden = hidden;
    if (!hidden) found++;
  }
  section.hidden = found === 0;
  return found;
}
