/** Shared by the timelines of one process and of several: the pointer and the tooltip. */
import { html } from "htm/preact";

/** Number of steps that Page Up and Page Down move by. */
export const PAGE = 100;

/** @param {PointerEvent} event */
export const capturePointer = ({ currentTarget, pointerId }) =>
  /** @type {HTMLElement} */ (currentTarget).setPointerCapture(pointerId);

/** A tooltip over the track, which leaves `room` pixels for its text at the right edge. @param {{current: HTMLElement|null}} track @param {number} share @param {number} room @param {string} text */
export function tipAt(track, share, room, text) {
  const width = track.current?.clientWidth ?? 0;
  const left = `${Math.min(share * width, width - room)}px`;
  return html`<div class="tip" aria-hidden="true" style=${{ left }}>${text}</div>`;
}
