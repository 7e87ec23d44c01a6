/** The op tab: the current op, its constraints, the elements that it reads, and its cost. */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { AnswerCache } from "../../core/answers.js";
import { getJson, recordingPath } from "../../core/api.js";
import { pageHere } from "../../core/reference_paths.js";
import { familyClass, shortName } from "../../core/run/op_names.js";
import { asShown, shownName } from "../../core/run/value_names.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { LongType } from "../../ui/long_name.js";
import { useResource } from "../../ui/resource.js";
import { addPanel } from "../layout/panels.js";
import { withCode } from "../../ui/with_code.js";
/** @import {OpDetails} from "../../core/types.js" */

addPanel({
  id: "op",
  title: "Op",
  dock: "stage",
  order: 8,
  isExtra: true,
  about: "what it computes",
  help: helpOfOp,
  Panel: OpPanel,
});

const KEPT = 1_000;
/** Cached by recording and op. @type {AnswerCache<OpDetails>} */
const known = new AnswerCache(KEPT);

/** The op of the chosen value, else the current one. */
function opShown() {
  const chosen = store.chosenValue.value;
  const definer = chosen === null ? null : store.program.value?.definition(chosen).op;
  return definer ?? store.currentOp.value;
}

export function OpPanel() {
  const op = opShown();
  const { value, error, isLoading } = useDetails(store.recordingKey.value, op);
  const program = store.program.value;
  if (op === null || program === null)
    return html`<p class="empty">At an op, this tab describes what the op does and which constraints it satisfies.</p>`;
  const info = program.op(op);
  const details = isLoading || error ? null : value;
  return html`<article class=${`op-panel ${familyClass(info)}`}>
    <div class="title"><span class="tick"></span><span>${shortName(info)}</span></div>
    ${error && !isLoading && html`<p>The description of this op could not be loaded.</p>`}
    ${details ? html`<${Details} details=${details} info=${info} />` : html`<${Signature} info=${info} />`}
  </article>`;
}

/** @param {string|null} key @param {number|null} op @returns {import("../../ui/resource.js").Resource<OpDetails>} */
function useDetails(key, op) {
  const name = key === null || op === null ? null : `${key} ${op}`;
  return useResource(
    name,
    async (signal) => {
      const found = await getJson(`${recordingPath(/** @type {string} */ (key))}/ops/${op}`, signal);
      const details = asShown(store.program.peek(), found, op ?? undefined);
      known.keep(`${key} ${op}`, details);
      return details;
    },
    { known },
  );
}

/** @param {{info: import("../../core/types.js").OpInfo}} props */
function Signature({ info }) {
  const program = /** @type {import("../../core/run/program.js").Program} */ (store.program.value);
  const line = (/** @type {number} */ value) =>
    html`<dt>${shownName(program, value)}</dt><dd><${LongType} type=${program.value(value).type} /></dd>`;
  return html`${info.operands.length > 0 && html`<section><h3>Operands</h3><dl class="facts">${info.operands.map(line)}</dl></section>`}
    ${info.results.length > 0 && html`<section><h3>Results</h3><dl class="facts">${info.results.map(line)}</dl></section>`}`;
}

/** @param {{details: OpDetails, info: import("../../core/types.js").OpInfo}} props */
function Details({ details, info }) {
  const { documentation, attributes, constraints, maps, inverse, cost, opName, location, url } = details;
  return html`
    <${Signature} info=${info} />
    ${
      attributes?.length > 0 &&
      html`<section><h3>Attributes</h3><dl class="facts">
      ${attributes.map(({ name, text }) => html`<dt>${name}</dt><dd>${text}</dd>`)}</dl></section>`
    }
    ${constraints?.length > 0 && html`<section><h3>Constraints</h3><ul class="checks">${constraints.map(Check)}</ul></section>`}
    <${Maps} title="Which operand elements a result element reads" maps=${maps} />
    <${Maps} title="Which result elements read an operand element" maps=${inverse} />
    ${cost && html`<section><h3>Cost</h3><dl class="facts">${cost.flops !== 0 && html`<dt>operations on elements, at most</dt><dd>${number(cost.flops)}</dd>`}<dt>bytes of results</dt><dd>${number(cost.bytes)}</dd></dl></section>`}
    <${Location} opName=${opName} location=${location} line=${store.draftLine(info.line)} />
    ${documentation && html`<section><h3>What it does</h3><p>${withCode(documentation)} ${isFile() || html`<a href=${pageHere(url)}>${info.name} in the op reference</a>`}</p></section>`}`;
}

/** The sentence describes the violation of a constraint; satisfied ones need none. @param {{label: string, holds: boolean, message: string}} constraint */
function Check({ label, holds, message }) {
  return html`<li class=${holds ? "" : "broken"}><span class="mark">${holds ? "✓" : "✗"}<span class="hidden">${holds ? "holds" : "is broken"}</span></span>
    <span class="label">${label}</span>${!holds && html`<span>${message}</span>`}</li>`;
}

/** @param {{title: string, maps: OpDetails["maps"]|null}} props */
function Maps({ title, maps }) {
  if (maps === null)
    return html`<section class="maps"><h3>${title}</h3><p class="quiet">There are too many to list. The index map panel has those of one operand and one result.</p></section>`;
  if (!maps?.length) return null;
  const several = new Set(maps.map(({ result }) => result)).size > 1;
  return html`<section class="maps"><h3>${title}</h3><dl class="facts">
    ${maps.map(({ operand, result, text }) => html`<dt>${operand}${several && ` for ${result}`}</dt><dd><pre>${text}</pre></dd>`)}</dl></section>`;
}

/** The origin of the op: its name in the framework, and the call stack. @param {{opName: string|null, location: import("../../core/types.js").Frame[], line: number}} props */
function Location({ opName, location, line }) {
  return html`<section><h3>Source</h3><dl class="facts"><dt>line</dt><dd>${line}</dd>
    ${opName && html`<dt>op name</dt><dd>${opName}</dd>`}
    ${location.map(({ function: name, place }, at) => html`<dt>${at === 0 ? "written in" : "called from"}</dt><dd>${place}${name && html` <span class="quiet">in ${name}</span>`}</dd>`)}</dl></section>`;
}

/** @param {number|string} value */
const number = (value) => (typeof value === "number" ? countText(value) : value);

/** The page of the op, else the help of this panel. @returns {string} a path, or an anchor of /help */
function helpOfOp() {
  const op = store.currentOp.value;
  const name = op === null ? undefined : store.program.value?.op(op).name;
  return name ? `/ops/${name}` : "op";
}
