/** What keys and the pointer do on sliders and pictures. */
import { stepBack, stepInto } from "../core/actions.js";

/** Arrow keys on a slider whose position is that of the run. */
export const STEPPING = { ArrowRight: stepInto, ArrowUp: stepInto, ArrowLeft: stepBack, ArrowDown: stepBack };

/** Run the action of a key, if it has one. @param {KeyboardEvent} event @param {Record<string, () => unknown>} acts */
export function actOnKey(event, acts) {
  const act = event.altKey || event.ctrlKey || event.metaKey ? undefined : acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

/** The position of the pointer on an element, from 0 to 1. @param {MouseEvent} event */
export function shareAt({ currentTarget, clientX }) {
  const { left, width } = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
  return Math.max(0, Math.min(1, (clientX - left) / Math.max(1, width)));
}
