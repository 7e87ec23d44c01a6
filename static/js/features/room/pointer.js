/** The pointer of whoever leads, on the stage of those who follow. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { panels } from "../layout/state.js";
import { coalesced } from "./coalesced.js";
import { fraction, placeOfThing, thingAt } from "./pointed.js";
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
  if (!host || !isShown(panel)) return null;
  const { left, top, width, height } = host.getBoundingClientRect();
  const thing = thingAt(host, /** @type {Element} */ (target), { x: clientX, y: clientY });
  return { panel, x: fraction((clientX - left) / width), y: fraction((clientY - top) / height), thing };
}

/** The teacher's own panel is nobody else's. @param {string} id */
const isShown = (id) => id !== "class" && panels.peek().some((panel) => panel.id === id);

/** A dot over the panel that is pointed at, where it is seen here. */
export function Pointer() {
  const at = state.pointed.value;
  const [, moved] = useState(0);
  useEffect(() => {
    const again = () => moved((count) => count + 1);
    const types = /** @type {const} */ (["resize", "scroll"]);
    for (const type of types) window.addEventListener(type, again, { capture: true, passive: true });
    return () => types.forEach((type) => window.removeEventListener(type, again, { capture: true }));
  }, []);
  if (!at || state.leads.value || !state.isFollowing.value) return null;
  const panel = document.getElementById(`panel-${at.panel}`);
  const box = panel?.getBoundingClientRect();
  if (!panel || !box || box.width === 0) return null;
  const found = (at.thing && placeOfThing(panel, at.thing)) ?? {
    x: box.left + at.x * box.width,
    y: box.top + at.y * box.height,
  };
  // What is scrolled out of sight here is pointed at from the edge.
  const style = {
    left: `${Math.min(box.right, Math.max(box.left, found.x))}px`,
    top: `${Math.min(box.bottom, Math.max(box.top, found.y))}px`,
  };
  return html`<div class="room-pointer" style=${style} aria-hidden="true"></div>`;
}
