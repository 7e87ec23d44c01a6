/** F6 moves the focus from panel to panel, with the toolbar before the first and the status line after the last. */
import { hostOf } from "./hosts.js";
import { maximised, panelOf, toggleMaximised, visible } from "./state.js";

/** @typedef {{element: HTMLElement|null, focus: () => void}} Stop */

/** @param {1|-1} by */
export function walkPanels(by) {
  const stops = stopsNow();
  const at = stops.findIndex(({ element }) => element?.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : stops.length - 1) : (at + by + stops.length) % stops.length;
  stops[next]?.focus();
}

function stopsNow() {
  const panels = visible.peek().map((id) => ({ element: groupElement(id), focus: () => focusPanel(id) }));
  return [barStop(".toolbar"), ...panels, barStop(".status-line")].filter(({ element }) => element !== null);
}

/** @param {string} id */
const groupElement = (id) => /** @type {HTMLElement|null} */ (hostOf(id).closest(".pane"));

/** @param {string} selector @returns {Stop} */
function barStop(selector) {
  const element = /** @type {HTMLElement|null} */ (document.querySelector(selector));
  const stop = /** @type {HTMLElement|null} */ (
    element?.querySelector('[tabindex="0"]') ?? element?.querySelector("button")
  );
  return { element: stop ? element : null, focus: () => stop?.focus() };
}

/** @param {string} id */
export function focusPanel(id) {
  const host = hostOf(id);
  const { focus } = panelOf(id);
  if (focus) focus(host);
  else host.focus();
}

/** Maximise the focused panel, or restore it. */
export function maximisePanel() {
  const id = maximised.peek() ?? visible.peek().find((panel) => groupElement(panel)?.contains(document.activeElement));
  if (id) toggleMaximised(id);
}
