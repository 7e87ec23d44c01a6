/** A row of tabs after the ARIA pattern: arrows move between them. */
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { watchSizes } from "./element_size.js";

/** `panel` is the element that the tab controls. @typedef {{id: string, title: string, badge?: import("preact").ComponentChild, panel?: string}} Tab */

/**
 * The id of each tab starts with `panel`, the default element that all control. `onGrab`: a tab is pressed.
 *
 * @param {{label: string, tabs: Tab[], chosen: string, choose: (id: string) => void, panel: string, class?: string,
 *   onGrab?: (event: PointerEvent, id: string) => void}} props
 */
export function Tabs({ label, tabs, chosen, choose, panel, class: className = "tabs", onGrab }) {
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const ids = tabs.map(({ id }) => id);
    const to = ids[target(event.key, ids.indexOf(chosen), ids.length)];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
    const list = /** @type {HTMLElement} */ (event.currentTarget);
    /** @type {HTMLElement|null} */ (list.querySelector(`[data-tab="${to}"]`))?.focus();
  };
  const row = useRef(/** @type {HTMLElement|null} */ (null));
  // Before the frame that draws them: a later effect would move tabs that are pressed already.
  useLayoutEffect(() => keepSeen(row.current), [chosen]);
  return html`<div class=${className} role="tablist" ref=${row} aria-label=${label} onKeyDown=${onKey}>
    ${tabs.map(
      ({
        id,
        title,
        badge,
        panel: own,
      }) => html`<button class="tab" role="tab" key=${id} data-tab=${id} id=${`${panel}-${id}`}
      aria-selected=${id === chosen} aria-controls=${own ?? panel} tabindex=${id === chosen ? 0 : -1}
      onPointerDown=${onGrab && ((/** @type {PointerEvent} */ event) => onGrab(event, id))} onClick=${() => choose(id)}>${title}${badge}</button>`,
    )}
  </div>`;
}

/** Scroll the chosen tab into view, also when its badge comes. @param {HTMLElement|null} row @returns {(() => void)|undefined} */
function keepSeen(row) {
  const chosen = row?.querySelector('[aria-selected="true"]');
  if (!row || !chosen) return undefined;
  return watchSizes([row, chosen], () => {
    const [{ left, right }, tab] = [row.getBoundingClientRect(), chosen.getBoundingClientRect()];
    row.scrollLeft += Math.min(0, tab.left - left) || Math.max(0, tab.right - right);
  });
}

/** @param {string} key @param {number} at @param {number} count @returns {number} */
function target(key, at, count) {
  if (key === "ArrowRight") return (at + 1) % count;
  if (key === "ArrowLeft") return (at + count - 1) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : -1;
}
