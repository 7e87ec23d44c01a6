/** The op tab: what the current op is, which rules it keeps, which elements it reads, what it costs. */
import { effect, signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { getJson, recordingPath } from "../api.js";
import { familyClass, spelled } from "../run/families.js";
import * as store from "../store.js";

/** @typedef {import("../types.js").OpDetails} OpDetails */

/** Kept by recording and op; "failed" is not asked for again. @type {Map<string, OpDetails|"failed">} */
const known = new Map();
const arrivals = signal(0);

/** The op whose result is looked at, else the current one. */
function opShown() {
  const chosen = store.chosenValue.value;
  const definer = chosen === null ? null : store.program.value?.definition(chosen).op;
  return definer ?? store.currentOp.value;
}

export function OpPanel() {
  useEffect(() => effect(() => void fetchShown()), []);
  arrivals.value;
  const op = opShown();
  const program = store.program.value;
  if (op === null || program === null) return html`<p class="empty">At an op of the program, this tab tells what the op does and which rules it keeps.</p>`;
  const info = program.op(op);
  const details = known.get(`${store.recordingKey.value} ${op}`);
  return html`<article class=${`op-panel ${familyClass(info)}`}>
    <div class="title"><span class="tick"></span><span>${spelled(info)}</span></div>
    ${details === "failed" && html`<p>What this op does could not be fetched.</p>`}
    ${details && details !== "failed" ? html`<${Details} details=${details} info=${info} />` : html`<${Signature} info=${info} />`}
  </article>`;
}

async function fetchShown() {
  const [op, key] = [opShown(), store.recordingKey.value];
  const name = `${key} ${op}`;
  if (op === null || key === null || known.has(name)) return;
  try {
    known.set(name, await getJson(`${recordingPath(key)}/ops/${op}`));
  } catch {
    known.set(name, "failed");
  }
  arrivals.value++;
}

/** @param {{info: import("../types.js").OpInfo}} props */
function Signature({ info }) {
  const program = /** @type {import("../run/program.js").Program} */ (store.program.value);
  const line = (/** @type {number} */ value) => html`<dt>${program.value(value).name}</dt><dd>${program.value(value).type}</dd>`;
  return html`${info.operands.length > 0 && html`<section><h3>Operands</h3><dl class="facts">${info.operands.map(line)}</dl></section>`}
    ${info.results.length > 0 && html`<section><h3>Results</h3><dl class="facts">${info.results.map(line)}</dl></section>`}`;
}

/** @param {{details: OpDetails, info: import("../types.js").OpInfo}} props */
function Details({ details, info }) {
  const { documentation, attributes, constraints, maps, inverse, cost, opName, location, url } = details;
  return html`
    ${documentation && html`<p>${withCode(documentation)} <a href=${url}>${spelled(info)} in the op reference</a></p>`}
    <${Signature} info=${info} />
    ${attributes?.length > 0 && html`<section><h3>Attributes</h3><dl class="facts">
      ${attributes.map(({ name, text }) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl></section>`}
    ${constraints?.length > 0 && html`<section><h3>Constraints</h3><ul class="checks">${constraints.map(Check)}</ul></section>`}
    <${Maps} title="Which operand elements a result element reads" maps=${maps} info=${info} />
    <${Maps} title="Which result elements read an operand element" maps=${inverse} info=${info} />
    ${cost && html`<section><h3>Cost</h3><dl class="facts"><dt>floating-point operations</dt><dd>${number(cost.flops)}</dd><dt>bytes of results</dt><dd>${number(cost.bytes)}</dd></dl></section>`}
    <${Location} opName=${opName} location=${location} line=${store.draftLine(info.line)} />`;
}

/** Words between backticks are code. @param {string} text */
function withCode(text) {
  return text.split("`").map((part, i) => (i % 2 ? html`<code>${part}</code>` : part));
}

/** The sentence of a constraint says how it is broken; what holds needs none. @param {{label: string, holds: boolean, message: string}} constraint */
function Check({ label, holds, message }) {
  return html`<li class=${holds ? "" : "broken"}><span class="mark">${holds ? "✓" : "✗"}<span class="hidden">${holds ? "holds" : "is broken"}</span></span>
    <span class="label">${label}</span>${!holds && html`<span>${message}</span>`}</li>`;
}

/** @param {{title: string, maps: OpDetails["maps"]|null, info: import("../types.js").OpInfo}} props */
function Maps({ title, maps, info }) {
  if (maps === null) return html`<section class="maps"><h3>${title}</h3><p class="quiet">There are too many to list. The index map panel has those of one operand and one result.</p></section>`;
  if (!maps?.length) return null;
  const program = /** @type {import("../run/program.js").Program} */ (store.program.value);
  const name = (/** @type {number|string} */ operand) => {
    const value = info.operands[Number(operand)];
    return value === undefined ? String(operand) : program.value(value).name;
  };
  const several = new Set(maps.map(({ result }) => result)).size > 1;
  return html`<section class="maps"><h3>${title}</h3><dl class="facts">
    ${maps.map(({ operand, result, text }) => html`<dt>${name(operand)}${several && ` for ${resultName(program, info, result)}`}</dt><dd><pre>${text}</pre></dd>`)}</dl></section>`;
}

/** Of HLO text, results are elements of one tuple. @param {import("../run/program.js").Program} program @param {import("../types.js").OpInfo} info @param {number} result @returns {string} */
function resultName(program, { results }, result) {
  const own = results.length > 1 ? results[result] : undefined;
  return own === undefined ? `{${result}}` : program.value(own).name;
}

/** Where the op comes from: the framework's name for it, and the calls that led to it. @param {{opName: string|null, location: import("../types.js").Frame[], line: number}} props */
function Location({ opName, location, line }) {
  return html`<section><h3>Source</h3><dl class="facts"><dt>line</dt><dd>${line}</dd>
    ${opName && html`<dt>op name</dt><dd>${opName}</dd>`}
    ${location.map(({ function: name, place }, at) => html`<dt>${at === 0 ? "written in" : "called from"}</dt><dd>${place}${name && html` <span class="quiet">in ${name}</span>`}</dd>`)}</dl></section>`;
}

/** @param {number|string} value */
const number = (value) => (typeof value === "number" ? value.toLocaleString("en") : value);
