/** How a value of HLO text lies in memory, and the switch between its logical order and that of memory. */
import { html } from "htm/preact";
import { hasOtherOrder } from "../../tensor/memory.js";
import { order, toggleOrder } from "./settings.js";

/** @param {{summary: import("../../types.js").ValueSummary}} props */
export function OrderControl({ summary: { layout, shape, lanes } }) {
  if (!layout || lanes?.length) return null;
  const fixed = !hasOtherOrder(layout, shape);
  const words = html`<span id="tensor-layout" title=${`Layout ${layout.text}: ${layout.words}`}><code>${layout.text}</code> ${layout.words}${fixed && shape.length > 1 && ": this is its order in memory"}</span>`;
  if (shape.length < 2) return html`<div class="tensor-order">${words}</div>`;
  const physical = order.value === "physical" && !fixed;
  const reason = fixed ? "It lies in memory in the order of its dimensions: both orders are the same." : undefined;
  const choose = (/** @type {boolean} */ wanted) => () => fixed || wanted === physical || toggleOrder();
  return html`<div class="tensor-order" role="group" aria-label="Order of dimensions">
    <span class="tensor-modes"><button aria-pressed=${!physical} onClick=${choose(false)}>Logical</button>
      <button aria-pressed=${physical} aria-disabled=${fixed} title=${reason} aria-describedby=${fixed ? "tensor-same-order" : undefined} onClick=${choose(true)}>Physical</button></span>
    ${words}${fixed && html`<span class="hidden" id="tensor-same-order">${reason}</span>`}
  </div>`;
}
