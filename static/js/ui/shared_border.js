/** A border between two parts of the page that share their space, moved by pointer and keys. Its owner stores its place. */
import { html } from "htm/preact";
import { drag, keyMove } from "./splitter.js";

/**
 * The parts are before and after the border on the screen; `move` receives the new length of the first part and the
 * length of both.
 *
 * @typedef {{before: HTMLElement, after: HTMLElement}} Parts
 * @param {{label: string, isUpright: boolean, now: number, order?: number, parts: (border: HTMLElement) => Parts|null,
 *   least: number, move: (room: number, both: number) => void, reset: () => void}} props `now` is the share of the first part, in percent
 */
export function SharedBorder({ label, isUpright, now, order, parts, least, move, reset }) {
  const to = (/** @type {HTMLElement} */ border, /** @type {(start: number, both: number) => number} */ choose) => {
    const room = roomOf(parts(border), isUpright);
    if (room) move(clamp(choose(room.start, room.both), least, room.both), room.both);
  };
  const onPointer = (/** @type {PointerEvent} */ event) => {
    const room = roomOf(parts(/** @type {HTMLElement} */ (event.currentTarget)), isUpright);
    if (room && event.button === 0)
      drag(event, isUpright, (moved, start) => move(clamp(start + moved, least, room.both), room.both), room.start);
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const border = /** @type {HTMLElement} */ (event.currentTarget);
    const by = keyMove(event.key, isUpright);
    if (event.key === "Home") to(border, () => 0);
    else if (event.key === "End") to(border, (_start, both) => both);
    else if (by) to(border, (start) => start + by);
    else return;
    event.preventDefault();
  };
  return html`<div class=${`splitter ${isUpright ? "upright" : "flat"}`} role="separator" tabindex="0" aria-label=${label}
    aria-orientation=${isUpright ? "vertical" : "horizontal"} aria-valuenow=${Math.round(now)} aria-valuemin="0" aria-valuemax="100"
    style=${order === undefined ? undefined : { order }} onPointerDown=${onPointer} onKeyDown=${onKey} onDblClick=${reset}></div>`;
}

/** Minimum size of both parts; where there is less, each gets half. @param {number} room @param {number} least @param {number} both @returns {number} */
const clamp = (room, least, both) =>
  Math.max(Math.min(least, both / 2), Math.min(room, both - Math.min(least, both / 2)));

/** @param {Parts|null} parts @param {boolean} isUpright */
function roomOf(parts, isUpright) {
  if (!parts) return null;
  const long = (/** @type {HTMLElement} */ part) => (isUpright ? part.offsetWidth : part.offsetHeight);
  return { start: long(parts.before), both: long(parts.before) + long(parts.after) };
}
