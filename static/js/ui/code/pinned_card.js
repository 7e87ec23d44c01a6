/** A card over the text as a dialog, which stays until it loses the focus. */
import { StateEffect, StateField } from "@codemirror/state";
import { closeHoverTooltips, showTooltip } from "@codemirror/view";
/** @import {EditorView} from "@codemirror/view" */

/** @typedef {{from: number, label: string, card: () => {dom: HTMLElement, destroy?: () => void}, isBelow?: boolean}} Pinned from: the position of the card */

/** Show a card, or none. @type {import("@codemirror/state").StateEffectType<Pinned|null>} */
const setPinned = StateEffect.define();

export const pinnedCard = StateField.define({
  create: () => /** @type {import("@codemirror/view").Tooltip|null} */ (null),
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setPinned)) return effect.value && tooltip(effect.value);
    return transaction.docChanged ? null : shown;
  },
  provide: (field) => showTooltip.from(field),
});

/** @param {EditorView} view @param {Pinned} pinned */
export function pinCard(view, pinned) {
  view.dispatch({ effects: [closeHoverTooltips, setPinned.of(pinned)] });
}

/** @param {EditorView} view */
export function unpinCard(view) {
  view.dispatch({ effects: setPinned.of(null) });
}

/** @param {Pinned} pinned @returns {import("@codemirror/view").Tooltip} */
const tooltip = ({ from, label, card, isBelow = false }) => ({
  pos: from,
  above: !isBelow,
  create: (view) => {
    const { dom, destroy } = card();
    makeDialog(dom, label, view, () => unpinCard(view));
    return { dom, destroy, mount: () => (dom.querySelector("input") ?? dom).focus() };
  },
});

/** Make a card a dialog that closes on Escape and when it loses the focus. @param {HTMLElement} dom @param {string} label @param {EditorView} view @param {() => void} close */
function makeDialog(dom, label, view, close) {
  dom.setAttribute("role", "dialog");
  dom.setAttribute("aria-label", label);
  dom.tabIndex = -1;
  dom.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    close();
    view.focus();
  });
  dom.addEventListener("focusout", (event) => {
    if (!dom.contains(/** @type {Node|null} */ (event.relatedTarget))) setTimeout(close);
  });
}
