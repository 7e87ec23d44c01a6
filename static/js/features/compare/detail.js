/** A pair of values: their difference, the evidence for the match, its origin, and pictures of both. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { countText, short, ulpsText } from "../../core/tensor/elements.js";
import { evidenceWords, executionWords, sideWords } from "./model.js";
import { Pictures } from "./picture.js";
import * as state from "./state.js";
import { valueOf } from "../../ui/fields.js";
/** @import {Pair} from "./state.js" */
/** @import {ComparedRow as Row} from "../../core/types.js" */

const ORIGIN_WORDS = {
  given: "It is an input of the run.",
  made: "Its operands agree: the difference arises here.",
  carried: "Its operands already differ.",
  open: "Whether its operands agree is unknown.",
};
/** Maximum number of executions listed. */
const MOST_EXECUTIONS = 200;

/** @param {{pair: Pair, row: Row, isFirst: boolean}} props */
export function Detail({ pair, row, isFirst }) {
  const [execution, setExecution] = useState(/** @type {Row|null} */ (null));
  const executions = state.useExecutions(pair, row);
  const shown = execution ?? row;
  const { difference, error } = state.useDifference(pair, shown);
  const isWrong = ["wrong", "nan", "shape"].includes(shown.verdict);
  const choose = (/** @type {Event} */ event) => {
    const found = executions[Number(valueOf(event))];
    if (!found) return;
    setExecution(found);
    const side = found[pair.shown];
    if (side) state.goToSide(side, found.worst?.index);
  };
  return html`<section class="compare-detail" aria-label="The chosen pair">
    <h4>${isFirst && html`<span class="first">First: </span>`}${title(shown)}</h4>
    ${shown.verdict === "same_bits" ? html`<p>The same bits.</p>` : html`<p class="difference">${sentenceOf(shown)}</p>`}
    <p class="quiet">${[isWrong ? ORIGIN_WORDS[shown.origin] : "", evidenceWords(shown), execution ? "" : executionWords(row), shown.notes && `${shown.notes}.`].filter(Boolean).join(" ")}</p>
    ${
      executions.length > 1 &&
      html`<label class="executions">Execution <select aria-label="Execution" onChange=${choose}>
      ${executions.slice(0, MOST_EXECUTIONS).map((each, number) => html`<option key=${number} value=${number} selected=${each.before?.address === shown.before?.address}>${number + 1} of ${executions.length}: ${each.verdict === "same_bits" ? "the same" : each.sentence}</option>`)}</select></label>`
    }
    ${shown.worst && shown.verdict !== "same_bits" && difference && html`<${From} pair=${pair} row=${shown} shape=${difference.distance.shape} />`}
    ${error && html`<p class="quiet">${error.message}</p>`}
    ${difference && difference.distance.count > 1 && html`<${Pictures} pair=${pair} row=${shown} difference=${difference} />`}
  </section>`;
}

/** @param {Row} row */
function title({ before, after }) {
  if (!before || !after)
    return html`<code>${sideWords(/** @type {import("../../core/types.js").ComparedSide} */ (before ?? after))}</code>`;
  const [one, other] = [sideWords(before), sideWords(after)];
  return one === other ? html`<code>${one}</code>` : html`<code>${one}</code> and <code>${other}</code>`;
}

/** @param {Row} row */
function sentenceOf({ verdict, sentence, worst, beyond, count, size }) {
  if (!worst) return sentence;
  const place = worst.index.length > 0 ? `Element [${worst.index.join(", ")}]: ` : "";
  const bound =
    worst.bound === null || verdict === "nan"
      ? ""
      : Number(worst.bound) === 0
        ? "; the op is exact, so its rounding-error bound is 0"
        : `; rounding-error bound ${worst.bound === "Infinity" ? "unlimited" : short(worst.bound, 3)}`;
  const ulps = worst.ulps === null ? "" : `, ${ulpsText(worst.ulps)}`;
  const share =
    size > 1
      ? `${countText(count)} of ${countText(size)} elements differ${beyond > 0 && beyond < count ? `, ${countText(beyond)} beyond rounding` : ""}.`
      : "";
  const noise = worst.noise === null ? "" : `; rounding alone: ${short(worst.noise, 3)}`;
  return html`${place}<b>${worst.before} → ${worst.after}</b>${ulps}${bound}${noise}. ${share}`;
}

/** Buttons that follow the worst element back. @param {{pair: Pair, row: Row, shape: number[]}} props */
function From({ pair, row, shape }) {
  const way = (/** @type {import("./model.js").Side} */ side) =>
    row[side] &&
    html`<button class="plain" onClick=${() => state.followBack(pair, row, side, shape)}>in ${pair[side].title}</button>`;
  return html`<p class="from">Where did it come from? ${way("before")} ${!state.isOfFile(pair) && way("after")}</p>`;
}
