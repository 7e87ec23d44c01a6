/** Precision: the run beside itself in more digits, the op that loses them, and the ops that lose most. */
import { html } from "htm/preact";
import { goToIn } from "../../core/actions.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { shownInstead } from "../../core/tensor/compared.js";
import { counted, countText, decimalText, short } from "../../core/tensor/elements.js";
import { chooseValue, showTab } from "../../core/view_actions.js";
import { addPanel, focusFirst } from "../layout/panels.js";
import { precisionHere, runInMoreDigits } from "./answer.js";
import { Choice } from "../../ui/fields.js";
/** @import {LossInfo, PrecisionInfo, BitsInfo} from "../../core/types.js" */

addPanel({
  id: "precision",
  title: "Precision",
  dock: "stage",
  order: 11,
  isExtra: true,
  about: "digits lost",
  help: "precision",
  Panel: PrecisionPanel,
  Head: undefined,
  exists: () => !isFile(),
  focus: focusFirst("button"),
});

/** Types that ops may be tried with. */
const NARROWER = ["bf16", "f16", "f8E4M3FN", "f8E5M2"];

export function PrecisionPanel() {
  const { value, error, isLoading, refusal } = precisionHere();
  if (refusal) return html`<p class="empty">${refusal}</p>`;
  if (value && !error) return html`<${Precision} found=${value} isLoading=${isLoading} />`;
  if (isLoading) return html`<p class="empty" role="status">Running in more digits…</p>`;
  return html`<div class="precision-ask">${error && html`<p role="alert">${error.message}</p>`}<p>Run the program once more in more digits, with the same decisions, to see what each op loses to rounding.</p>
    <button class="primary" onClick=${() => runInMoreDigits()}>Run in more digits</button></div>`;
}

/** @param {{found: PrecisionInfo, isLoading: boolean}} props */
function Precision({ found, isLoading }) {
  const { problem, sentence, blame, losses, total, taken } = found;
  if (problem) return html`<p class="empty">${problem}</p>`;
  return html`<div class="precision">
    <p role="status">${sentence}</p>
    ${
      blame &&
      html`<p class="precision-blame">${blame.sentence}</p>
      <p><${Go} loss=${blame.guilty} />${blame.born.op !== blame.guilty.op && html` <${Go} loss=${blame.born} />`}</p>`
    }
    ${store.grid.value && html`<${Processes} results=${found.results} grid=${store.grid.value} />`}
    ${losses.length === 0 && html`<p class="precision-note">No op loses half a bit.</p>`}
    ${losses.length > 0 && html`<p><button class="plain" onClick=${showLostDigits}>Show lost digits in Tensor</button></p>`}
    ${losses.length > 0 && html`<h4>${counted(total, "op loses", "ops lose")} half a bit or more, at the step that loses most</h4>`}
    <ul>${losses.map((loss) => html`<${Loss} key=${loss.op} loss=${loss} />`)}</ul>
    <${Trials} found=${found} isLoading=${isLoading} />
    ${taken.length > 0 && html`<p class="precision-note">Taken from the run, without a counterpart in more digits: ${counted(taken.length, "line", "lines")} ${taken.map((line) => store.draftLine(line)).join(", ")}.</p>`}
  </div>`;
}

/** The worst result of each process. @param {{results: PrecisionInfo["results"], grid: import("../../core/grid/record.js").GridRecord}} props */
function Processes({ results, grid }) {
  /** @type {Map<number, PrecisionInfo["results"][0]>} */
  const worst = new Map();
  for (const each of results) {
    const known = worst.get(each.process);
    if (!known || each.agreeingBits / each.bits < known.agreeingBits / known.bits) worst.set(each.process, each);
  }
  return html`<table class="precision-processes"><caption>The worst result of each process</caption><tbody>
    ${[...worst].map(([process, each]) => html`<tr key=${process}><th scope="row">${grid.nameOf(process)}</th><td>${agreedText(each)}</td></tr>`)}</tbody></table>`;
}

/** The tensor view shows the digits that each element of the selected value has lost, at every step. */
function showLostDigits() {
  shownInstead.value = { kind: "lost" };
  showTab("tensor");
}

/** What the results would be in a narrower type. @param {{found: PrecisionInfo, isLoading: boolean}} props */
function Trials({ found, isLoading }) {
  const spelled = (/** @type {string} */ type) => (store.program.value?.language === "hlo" ? type.toLowerCase() : type);
  const types = [["", "no other type"], ...NARROWER.map((type) => [type, spelled(type)])];
  const [all, ...alone] = found.trials;
  return html`<section aria-label="What if">
    <p><label>What if ops rounded to <${Choice} options=${types} value=${found.whatIf} choose=${runInMoreDigits} /></label>
      ${isLoading && html` <span role="status">Running…</span>`}</p>
    ${all && html`<p>With every op in ${spelled(found.whatIf)} ${all.sentence}.</p>`}
    <ul>${alone.map(
      (each) => html`<li key=${each.op}><button class="trial" onClick=${() => goToLoss({ ...each, op: each.op ?? 0 })}>
      <span class="precision-line">line ${store.draftLine(each.line)}</span>
      <span class="precision-name">${each.spelled} ${each.name}</span><span class="precision-trial">${each.sentence}</span></button></li>`,
    )}</ul>
  </section>`;
}

/** Go behind a step, and choose what it made. @param {{op: number, process: number, step: number}} loss */
async function goToLoss({ op, process, step }) {
  await goToIn(process, step + 1);
  const [value] = store.program.value?.ops[op]?.results ?? [];
  if (value !== undefined) chooseValue(value);
}

/** @param {{loss: LossInfo}} props */
function Go({ loss }) {
  return html`<button class="plain" onClick=${() => goToLoss(loss)}>Go to line ${store.draftLine(loss.line)}</button>`;
}

/** @param {{loss: LossInfo}} props */
function Loss({ loss }) {
  const { agreeingBits, bits, lostBits, line, spelled, name } = loss;
  const [kept, lost] = [agreeingBits, lostBits ?? bits].map((count) => `${(100 * count) / bits}%`);
  return html`<li><button onClick=${() => goToLoss(loss)} title=${lossTitle(loss)}>
    <span class="precision-line">line ${store.draftLine(line)}</span>
    <span class="precision-name">${spelled} ${name}</span>
    <span class="precision-bits" aria-hidden="true"><span style=${{ width: kept }}></span><span class="lost" style=${{ width: lost }}></span></span>
    <span>${lostText(loss)}</span><span class="precision-kept">${agreedText(loss)}</span></button></li>`;
}

/** `16.3 bits lost`. @param {LossInfo} loss @returns {string} */
const lostText = ({ lostBits }) => (lostBits === null ? "out of range" : `${decimalText(lostBits)} bits lost`);

/** `7.7 of 24 agree`. @param {BitsInfo} bits @returns {string} */
const agreedText = ({ agreeingBits, bits }) => `${decimalText(agreeingBits)} of ${bits} agree`;

/** The errors behind the bits. @param {LossInfo} loss @returns {string} */
function lossTitle({ error, handedOn, step }) {
  const [made, given] = [error, handedOn].map((each) => (each === null ? "infinite" : short(each, 2)));
  return `Step ${countText(step)}: relative error ${made} of the result, ${given} of its operands`;
}
