/** The way from a NaN or infinity back to the op that made it; it needs a server. */
import { html } from "htm/preact";
import { isComputed } from "../../core/addresses.js";
import { oneElement } from "../../core/tensor/element_sets.js";
import { followElements } from "../../core/view_actions.js";
/** @import {Known} from "./recorded_value.js" */

/** Show in Provenance the elements that made this one NaN or infinite. @param {Known} known @param {number[]} index */
function followBad({ summary, selected }, index) {
  followElements({
    address: summary.address,
    elements: oneElement(index, summary.shape),
    text: `${selected.name}[${index.join(", ")}]`,
    only: "not_finite",
  });
}

/** @param {{known: Known, index: number[]}} props */
export const OriginButton = ({ known, index }) =>
  !isComputed(known.summary.address) &&
  html`<button class="plain" title="Follow the NaN or infinity back to the op that made it" onClick=${() => followBad(known, index)}>Where did it come from?</button>`;
