/** Elements of values, one row each: their step, their number, and links to them. */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { familyClass, shortName } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { countOf } from "../../core/tensor/axes.js";
import { cutName } from "../../ui/long_name.js";
import { rectanglesOf, shareText, textOf } from "../../core/tensor/element_sets.js";
import { hopTo, visit, walkTo } from "./walk.js";
/** @import {WireSet, ProvenanceNode as Node} from "../../core/types.js" */

/** Number of rows before "Show more". */
const AT_FIRST = 100;

/** The description of an edge by its kind, unless the edge has a text. */
const KINDS = /** @type {Record<string, string>} */ ({
  index: "decides which element is read",
  chosen: "decides what is taken",
  forwarded: "forwarded",
  moved: "from another process",
  combined: "combined with others",
  inside: "given by the body",
  opaque: "cannot be told",
  data: "",
});

/** @param {{title: string, rows: {node: Node, set: WireSet, words: string|null, kind: string}[], of: WireSet, note?: string}} props  of: the elements that the rows belong to */
export function Rows({ title, rows, of, note }) {
  const [most, setMost] = useState(AT_FIRST);
  if (rows.length === 0) return null;
  return html`<section class="provenance-rows"><h3>${title}</h3>${note && html`<p class="quiet">${note}</p>`}
    <ul>${rows.slice(0, most).map(({ node, set, words, kind }, number) => html`<${Row} key=${number} node=${node} set=${set} words=${words} kind=${kind} of=${of} />`)}</ul>
    ${rows.length > most && html`<p><button onClick=${() => setMost(most * 4)}>Show more of the other ${countText(rows.length - most)}</button></p>`}
  </section>`;
}

/** @param {{node: Node, set: WireSet, words: string|null, kind: string, of: WireSet}} props */
function Row({ node, set, words, kind, of }) {
  const said = words || KINDS[kind] || "";
  const label = `${node.name} ${textOf(set)}`.trim();
  const walk = () => walkTo({ ...node, elements: set }, of);
  return html`<li class=${`provenance-row ${node.end ?? ""}`}>
    <${SetPicture} set=${set} />
    <span class="what">${
      node.address === null
        ? html`<span class="label" title=${label}>${cutName(node.name)} ${textOf(set)}</span>`
        : html`<button class="go label" onClick=${walk} title=${`Walk to ${label}`}>${cutName(node.name)} <span class="elements">${textOf(set)}</span></button>`
    }
      ${set.shape.length > 0 && html`<span class="share">${shareText(set)}</span>`}
      <span class="words">${[kind === "moved" || kind === "combined" ? "" : processText(node), said, endText(node)].filter(Boolean).join("; ")}</span></span>
    <${Place} node=${node} />
  </li>`;
}

/** The op and the step, as a link. @param {{node: Node}} props */
function Place({ node }) {
  const { op, step } = node;
  const info = op === null ? null : (store.program.value?.op(op) ?? null);
  const line = info ? store.draftLine(info.line) : null;
  const text = step === null ? (node.end === "input" ? "at the start" : "argument") : `step ${countText(step)}`;
  return html`<button class=${`go place ${info ? familyClass(info) : ""}`} onClick=${() => visit(hopTo(node))}
      aria-label=${`Go to ${text}${info ? `, ${shortName(info)} on line ${line}` : ""}`}>
    ${info && html`<span class="tick"></span><span class="op">${shortName(info)}</span><span class="line">line ${line}</span>`}<span class="step-number">${text}</span></button>`;
}

/** The process, if it is not the shown one. @param {Node} node */
function processText({ process }) {
  const grid = store.grid.value;
  return grid && process !== store.process.value ? `in process ${grid.nameOf(process)}` : "";
}

/** The end of a path, and its reason. @param {Node} node @returns {string} */
export function endText({ end, reason, input, outputs, value }) {
  const begin = store.program.value?.begin;
  if (end === "input" && begin?.values.includes(value)) return `not recorded: computed by ${begin.by}`;
  if (end === "input" && begin?.constants.includes(value)) return "a constant";
  if (end === "input") return `input ${input?.number ?? ""} of the program`;
  if (end === "output") return `result ${outputs.join(" and ")} of the program`;
  if (end === "constant") return "a constant";
  return reason ?? "";
}

/** A small picture of a tensor with some elements highlighted. */

const WIDEST = 72;
const HIGHEST = 36;
const SMALLEST = 6;

/** @param {{set: WireSet}} props */
export function SetPicture({ set }) {
  const picture = pictureOf(set.shape);
  const lit = rectanglesOf(set, picture);
  return html`<svg class="set-picture" width=${picture.width} height=${picture.height} viewBox=${`0 0 ${picture.width} ${picture.height}`} aria-hidden="true">
    <rect class="whole" width=${picture.width} height=${picture.height} />
    ${lit.map(({ x, y, width, height }, number) => html`<rect key=${number} class="lit" x=${x} y=${y} width=${width} height=${height} />`)}
  </svg>`;
}

/** The proportions of the tensor, within the space of a row. @param {number[]} shape */
function pictureOf(shape) {
  const columns = Math.max(1, shape.at(-1) ?? 1);
  const rows = Math.max(1, countOf(shape.slice(0, -1)));
  const scale = Math.min(WIDEST / columns, HIGHEST / rows, 9);
  const fit = (/** @type {number} */ count, /** @type {number} */ most) =>
    Math.min(most, Math.max(SMALLEST, Math.round(count * scale)));
  return { width: fit(columns, WIDEST), height: fit(rows, HIGHEST) };
}
