/** Buttons on the chosen elements of an index map: step into one, follow them through the run. A saved page has none. */
import { html } from "htm/preact";
import { parseAddress } from "../../core/addresses.js";
import { wireSet } from "../../core/indexing/regions.js";
import { followElements, stepIntoElement } from "../../core/view_actions.js";
/** @import {PictureState} from "../../ui/tensor_grid/state.js" */
/** @import {Maps} from "./index_picture.js" */
/** @import {Sources} from "./op_sources.js" */

/** @param {{state: PictureState, maps: Maps, sources: Sources, close: () => void}} props close: leaves the enlarged picture */
export function ElementTools({ state, maps, sources, close }) {
  const chosen = state.shown.value;
  const [drawn, tensors] =
    chosen?.side === "operand" ? [sources.operands, maps.operands] : [sources.results, maps.results];
  const [source, tensor] = chosen ? [drawn[chosen.number], tensors[chosen.number]] : [];
  const boxes = chosen?.boxes ?? [];
  const isOne = boxes.length === 1 && boxes.every(({ sizes }) => sizes.every((size) => size === 1));
  const value = isOne && tensor && "value" in tensor ? tensor.value : null;
  const address = source?.address ?? null;
  const stepIn = () => {
    if (!chosen || address === null || value === null) return;
    close();
    stepIntoElement({ address, value, path: parseAddress(address).path }, chosen.at);
  };
  const follow = () => {
    if (!chosen || !source || address === null) return;
    const text = isOne ? `${source.name}[${chosen.at.join(", ")}]` : `elements of ${source.name}`;
    close();
    followElements({ address, elements: wireSet(source.shape ?? [], boxes), text });
  };
  return html`<button onClick=${stepIn} aria-disabled=${address === null || value === null} aria-label="Step into this element" title="Step into this element: the terms that made it, and what rounding lost">Step in</button>
    <button onClick=${follow} aria-disabled=${address === null} aria-label="Follow this element" title="Follow this element: what it was computed from, and what it was used for">Follow</button>`;
}
