/** Buttons on the chosen elements of an index map: follow them through the run, step into one. A saved page has none. */
import { html } from "htm/preact";
import { parseAddress } from "../../core/addresses.js";
import { wireSet } from "../../core/indexing/regions.js";
import { followElements, stepIntoElement } from "../../core/view_actions.js";
/** @import {Chosen} from "../../core/indexing/related.js" */
/** @import {PictureState} from "../../ui/tensor_grid/state.js" */
/** @import {Sources} from "./op_sources.js" */
/** @import {OpMapsInfo as Maps} from "../../core/types.js" */

/** @typedef {{state: PictureState, maps: Maps, sources: Sources, close: () => void}} Props close: leaves the enlarged picture */

/** Whether a single element is chosen. @param {Chosen|null} chosen @returns {boolean} */
const isOne = (chosen) => chosen?.boxes.length === 1 && chosen.boxes[0]?.sizes.every((size) => size === 1) === true;

/** Follow the chosen elements through the whole run. @param {Props} props */
export function Follow({ state, sources, close }) {
  const chosen = state.shown.value;
  const source = chosen && (chosen.side === "operand" ? sources.operands : sources.results)[chosen.number];
  const follow = () => {
    if (!chosen || !source?.address) return;
    const text = isOne(chosen) ? `${source.name}[${chosen.at.join(", ")}]` : `elements of ${source.name}`;
    close();
    followElements({ address: source.address, elements: wireSet(source.shape ?? [], chosen.boxes), text });
  };
  return html`<button onClick=${follow} aria-disabled=${!source?.address} aria-label="Follow this element" title="Follow this element: what it was computed from, and what it was used for">Follow</button>`;
}

/** Show the terms that made the chosen element. @param {Props} props */
export function StepIn({ state, maps, sources, close }) {
  const chosen = state.shown.value;
  if (!chosen || !isOne(chosen)) return null;
  const [drawn, tensors] =
    chosen.side === "operand" ? [sources.operands, maps.operands] : [sources.results, maps.results];
  const [address, tensor] = [drawn[chosen.number]?.address ?? null, tensors[chosen.number]];
  const value = tensor && "value" in tensor ? tensor.value : null;
  if (address === null || value === null) return null;
  const stepIn = () => {
    close();
    stepIntoElement({ address, value, path: parseAddress(address).path }, chosen.at);
  };
  return html`<p class="index-step"><button class="plain" onClick=${stepIn} title="Show the terms that made this element, and what rounding lost">Step into this element</button></p>`;
}
