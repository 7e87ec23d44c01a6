/** Variables: what the current op reads and makes, and what its frame knows besides. */
import { html } from "htm/preact";
import { chooseValue } from "../actions.js";
import { arrivals, summary, thumbnail, withoutMean } from "../run/thumbnails.js";
import { framesAround, previousInFrame } from "../run/values.js";
import * as store from "../store.js";
import { Ask } from "../ui/ask.js";
import { Thumbnail } from "../ui/thumbnail.js";
import { Disclose, isChosen, isOpen, TupleRows } from "./tuple_rows.js";

/** As many locals as one reads; more are in the program's own lines. */
const MOST_LOCALS = 200;

export function VariablesPanel() {
  const groups = groupsHere();
  return html`<section class="section" aria-labelledby="variables-title">
    <h3 id="variables-title">Variables<span class="spring"></span><${Ask} about="variables" title="Variables" /></h3>
    ${groups.length === 0 && html`<p class="empty">Run the program: the operands and results of the current op stand here.</p>`}
    ${groups.map(({ title, values }) => html`<div role="group" aria-label=${title}>
      <div class="group-title">${title}</div>
      ${values.map((value) => html`<${Variable} key=${value} value=${value} />`)}</div>`)}
  </section>`;
}

/** @returns {{title: string, values: number[]}[]} */
function groupsHere() {
  const program = store.program.value;
  if (program === null) return [];
  const op = store.currentOp.value;
  const { operands, results } = op === null ? { operands: [], results: [] } : program.op(op);
  const mentioned = new Set([...operands, ...results]);
  const locals = (localsHere() ?? []).filter((value) => !mentioned.has(value)).slice(0, MOST_LOCALS);
  return [
    { title: "Operands", values: [...new Set(operands)] },
    { title: "Results", values: results },
    { title: op === null ? "Values of the program" : "Locals", values: locals },
  ].filter(({ values }) => values.length > 0);
}

/** What the current frame has so far: the latest first, then its arguments. @returns {number[]|null} */
function localsHere() {
  return store.atPosition((outline, at, program) => {
    const frame = framesAround(outline, at)[0] ?? 0;
    const values = [];
    for (let step = previousInFrame(outline, at, frame); step !== null; step = previousInFrame(outline, step, frame)) {
      values.push(...program.op(outline.op(step)).results);
      if (values.length > MOST_LOCALS) break;
    }
    return [...values, ...program.block(outline.block(frame)).arguments];
  });
}

/** @param {{value: number}} props */
function Variable({ value }) {
  arrivals.value;
  const located = store.locate(value);
  const { name, type, layout, elements } = /** @type {import("../run/program.js").Program} */ (store.program.value).value(value);
  const told = layout ? ` (${layout})` : "";
  const info = located && !elements ? thumbnail(store.recordingKey.value ?? "", located.address) : null;
  const chosen = store.chosenValue.value === value;
  const shown = info ? summary(info) : { type, range: "" };
  if (elements) return html`<${TupleVariable} value=${value} located=${located} />`;
  return html`<button class="variable" aria-pressed=${chosen} title=${`${name} : ${info ? info.text : type}${told}`} onClick=${() => chooseValue(chosen ? null : value)}>
    <span class="label">${name}</span>
    ${info ? html`<${Thumbnail} info=${info} />` : html`<span></span>`}
    <span class="text"><span class="type">${shown.type}</span>
      ${located ? html`<span class=${info?.nonfinite ? "range alarm" : "range"}>${withoutMean(shown.range)}</span>` : html`<span class="later">not yet</span>`}</span>
  </button>`;
}

/** A row that opens: the tuple, and below it what is in it. @param {{value: number, located: import("../types.js").SelectedValue|null}} props */
function TupleVariable({ value, located }) {
  const { name, type, elements } = /** @type {import("../run/program.js").Program} */ (store.program.value).value(value);
  const inside = { value, address: located?.address ?? null, elements: elements ?? [], path: [] };
  const open = isOpen(inside, false);
  const chosen = isChosen(value, []);
  return html`<div class="tuple-row"><${Disclose} inside=${inside} name=${name} open=${open} />
      <button class="variable" aria-pressed=${chosen} title=${`${name} : ${type}`} onClick=${() => chooseValue(chosen ? null : value)}>
        <span class="label">${name}</span><span></span>
        <span class="text"><span class="type">${type}</span>${!located && html`<span class="later">not yet</span>`}</span></button></div>
    ${open && html`<${TupleRows} inside=${inside} name=${name} />`}`;
}
