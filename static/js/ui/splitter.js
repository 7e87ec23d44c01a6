/** A border between two panes, moved by pointer and keys; its place is stored. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { remember, recall } from "../core/preferences.js";
import { followPointer } from "../drawing/heat_map_gestures.js";

const KEY_STEP = 24;

/**
 * The size of a pane in pixels, stored by name.
 *
 * @param {string} name @param {number} usual @param {number} least @param {() => number} most
 */
export function paneSize(name, usual, least, most) {
  const kept = Number(recall(`size.${name}`));
  const size = signal(clamp(kept || usual, least, most()));
  const set = (/** @type {number} */ pixels) => {
    size.value = clamp(Math.round(pixels), least, most());
    remember(`size.${name}`, String(size.value));
  };
  return { size, set, least, most, usual };
}

/** @param {number} value @param {number} least @param {number} most @returns {number} */
const clamp = (value, least, most) => Math.max(least, Math.min(value, most));

/**
 * `grows` is the direction in which the splitter enlarges its pane.
 *
 * @param {{label: string, pane: ReturnType<typeof paneSize>, grows: "right"|"left"|"up"|"down"}} props
 */
export function Splitter({ label, pane, grows }) {
  const upright = grows === "right" || grows === "left";
  const sign = grows === "right" || grows === "down" ? 1 : -1;
  const onPointer = (/** @type {PointerEvent} */ event) =>
    drag(event, upright, (moved, start) => pane.set(start + sign * moved), pane.size.value);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const by = keyMove(event.key, upright);
    if (event.key === "Home") pane.set(pane.least);
    else if (event.key === "End") pane.set(pane.most());
    else if (by) pane.set(pane.size.value + sign * by);
    else return;
    event.preventDefault();
  };
  return html`<div class=${`splitter ${upright ? "upright" : "flat"}`} role="separator" tabindex="0" aria-label=${label}
    aria-orientation=${upright ? "vertical" : "horizontal"} aria-valuenow=${pane.size.value} aria-valuemin=${pane.least}
    aria-valuemax=${Math.round(pane.most())} onPointerDown=${onPointer} onKeyDown=${onKey} onDblClick=${() => pane.set(pane.usual)}></div>`;
}

/** @param {string} key @param {boolean} upright @returns {number} */
export function keyMove(key, upright) {
  if (key === (upright ? "ArrowLeft" : "ArrowUp")) return -KEY_STEP;
  return key === (upright ? "ArrowRight" : "ArrowDown") ? KEY_STEP : 0;
}

/** @param {PointerEvent} event @param {boolean} upright @param {(moved: number, start: number) => void} move @param {number} start */
export function drag(event, upright, move, start) {
  const handle = /** @type {HTMLElement} */ (event.currentTarget);
  const from = upright ? event.clientX : event.clientY;
  event.preventDefault();
  handle.focus();
  handle.classList.add("moved");
  handle.addEventListener("lostpointercapture", () => handle.classList.remove("moved"), { once: true });
  followPointer(handle, event, (next) => move((upright ? next.clientX : next.clientY) - from, start));
}
