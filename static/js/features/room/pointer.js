/** The pointer of whoever leads, on the stage of those who follow. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { panels } from "../layout/state.js";
import { coalesced } from "./coalesced.js";
import * as state from "./state.js";

/** @typedef {import("../../core/types.js").PointerPlace} PointerPlace */

const SEND_MS = 80;
/** A pointer that rests for so long points at nothing. */
const RESTS_MS = 4_000;

const say = coalesced(SEND_MS, (/** @type {PointerPlace|null} */ at) => state.tell({ type: "pointer", at }));

let wasPointing = false;

/** Say where the pointer of this page is, while it leads. */
export function tellPointer() {
  let timer = 0;
  const nowhere = () => {
    if (wasPointing) say(null);
    wasPointing = false;
  };
  window.addEventListener(
    "pointermove",
    (event) => {
      if (!state.leads.peek()) return;
      clearTimeout(timer);
      const at = placeOf(event);
      if (!at) return nowhere();
      wasPointing = true;
      say(at);
      timer = window.setTimeout(nowhere, RESTS_MS);
    },
    { passive: true },
  );
  document.documentElement.addEventListener("pointerleave", nowhere);
}

/** @param {PointerEvent} event @returns {PointerPlace|null} */
function placeOf({ target, clientX, clientY }) {
  const host = target instanceof Element ? target.closest(".panel") : null;
  const panel = host?.id.replace(/^panel-/, "") ?? "";
  if (!host || !isOnStage(panel)) return null;
  const { left, top, width, height } = host.getBoundingClientRect();
  return { panel, x: fraction((clientX - left) / width), y: fraction((clientY - top) / height) };
}

/** @param {number} number */
const fraction = (number) => Math.round(1e4 * Math.min(1, Math.max(0, number))) / 1e4;

/** @param {string} id */
const isOnStage = (id) => panels.peek().some((panel) => panel.id === id && panel.dock === "stage");

/** A dot over the panel that is pointed at, where it is seen here. */
export function Pointer() {
  const at = state.pointed.value;
  const [, moved] = useState(0);
  useEffect(() => {
    const again = () => moved((count) => count + 1);
    window.addEventListener("resize", again);
    return () => window.removeEventListener("resize", again);
  }, []);
  if (!at || state.leads.value || !state.isFollowing.value) return null;
  const box = document.getElementById(`panel-${at.panel}`)?.getBoundingClientRect();
  if (!box || box.width === 0) return null;
  const style = { left: `${box.left + at.x * box.width}px`, top: `${box.top + at.y * box.height}px` };
  return html`<div class="room-pointer" style=${style} aria-hidden="true"></div>`;
}
