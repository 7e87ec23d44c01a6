/** Shared by the timelines of one process and of several: the keys, the pointer and the tooltip. */
import { html } from "htm/preact";
import { stepBack, stepInto } from "../../core/actions.js";

/** Number of steps that Page Up and Page Down move by. */
export const PAGE = 100;

/** Run the action of a key; ← → and , . step. @param {KeyboardEvent} event @param {Record<string, () => void>} others */
export function actOnKey(event, others) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const acts = { ArrowRight: stepInto, ".": stepInto, ArrowLeft: stepBack, ",": stepBack, ...others };
  const act = /** @type {Record<string, () => void>} */ (acts)[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

/** @param {PointerEvent} event */
export const capturePointer = ({ currentTarget, pointerId }) =>
  /** @type {HTMLElement} */ (currentTarget).setPointerCapture(pointerId);

/** The position of the pointer on the track, from 0 to 1. @param {PointerEvent} event */
export function shareAt({ currentTarget, clientX }) {
  const { left, width } = /** @type {HTMLElement} */ (currentTarget).getBoundingClientRect();
  return Math.max(0, Math.min(1, (clientX - left) / width));
}

/** A tooltip over the track, which leaves `room` pixels for its text at the right edge. @param {{current: HTMLElement|null}} track @param {number} share @param {number} room @param {string} text */
export function tipAt(track, share, room, text) {
  const width = track.current?.clientWidth ?? 0;
  const left = `${Math.min(share * width, width - room)}px`;
  return html`<div class="tip" aria-hidden="true" style=${{ left }}>${text}</div>`;
}
