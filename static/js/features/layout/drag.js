/** Dragging tabs: to an edge of a group, into it, between its tabs, or to an edge of the page. Escape cancels. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { movePanel, panelOf } from "./state.js";
import { boxOf, isInside, rimAt, zoneAt } from "./zones.js";
/** @import {Box} from "./zones.js" */

/** @typedef {{place: import("./tree.js").Place, box: Box}} Target */

/** Distance that the pointer moves before a drag starts. */
const FIRST_PIXELS = 6;
const SHARE_OF_PAGE = 0.25;

const dragged = signal(/** @type {{id: string, x: number, y: number, target: Target|null}|null} */ (null));

/** The drop zone, and the title at the pointer. */
export function DropMark() {
  const now = dragged.value;
  if (!now) return null;
  const { box } = now.target ?? {};
  return html`<div class="drop-layer">
    ${box && html`<div class="drop-mark" style=${{ left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` }}></div>`}
    <span class="drag-name" style=${{ left: `${now.x + 12}px`, top: `${now.y + 8}px` }}>${panelOf(now.id).title}</span></div>`;
}

/** @param {PointerEvent} event on a tab @param {string} id */
export function dragTab(event, id) {
  if (event.button !== 0 || event.pointerType === "touch") return;
  const tab = /** @type {HTMLElement} */ (event.currentTarget);
  const [x, y] = [event.clientX, event.clientY];
  const onMove = (/** @type {PointerEvent} */ next) => {
    const far = Math.hypot(next.clientX - x, next.clientY - y) > FIRST_PIXELS;
    if (!dragged.peek() && !far) return;
    if (!dragged.peek()) tab.setPointerCapture(event.pointerId);
    dragged.value = { id, x: next.clientX, y: next.clientY, target: targetAt(id, next.clientX, next.clientY) };
  };
  const onKey = (/** @type {KeyboardEvent} */ pressed) => {
    if (pressed.key !== "Escape" || !dragged.peek()) return;
    pressed.stopPropagation();
    end();
  };
  const onUp = () => {
    const target = dragged.peek()?.target;
    end();
    if (target) movePanel(id, target.place);
  };
  const stop = new AbortController();
  const { signal } = stop;
  const end = () => {
    dragged.value = null;
    stop.abort();
  };
  window.addEventListener("pointermove", onMove, { signal });
  window.addEventListener("pointerup", onUp, { signal });
  window.addEventListener("pointercancel", end, { signal });
  window.addEventListener("keydown", onKey, { capture: true, signal });
}

/** @param {string} id @param {number} x @param {number} y @returns {Target|null} */
function targetAt(id, x, y) {
  const dock = document.querySelector(".dock")?.getBoundingClientRect();
  if (!dock || !isInside(dock, x, y)) return null;
  const pane = paneElements().find((element) => isInside(element.getBoundingClientRect(), x, y));
  const rim = rimAt(dock, x, y);
  const tabs = pane && betweenTabs(pane, id, x, y);
  if (tabs) return tabs;
  if (rim) return { place: { beside: null, zone: rim }, box: boxOf(dock, rim, SHARE_OF_PAGE) };
  return pane ? inPane(pane, x, y) : null;
}

/** The topmost element comes first. @returns {HTMLElement[]} */
const paneElements = () =>
  [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".dock .pane"))].sort(
    (one, other) => Number(other.closest(".drawer") !== null) - Number(one.closest(".drawer") !== null),
  );

/** @param {HTMLElement} pane @param {number} x @param {number} y @returns {Target} */
function inPane(pane, x, y) {
  const box = pane.getBoundingClientRect();
  const beside = pane.dataset.panel ?? "";
  const zone = zoneAt(box, x, y);
  return { place: { beside, zone }, box: boxOf(box, zone, zone === "center" ? 1 : 0.5) };
}

/** In a row of tabs: before the tab whose left half is under the pointer. @param {HTMLElement} pane @param {string} id @param {number} x @param {number} y @returns {Target|null} */
function betweenTabs(pane, id, x, y) {
  const row = pane.querySelector(".tabs");
  const box = row?.getBoundingClientRect();
  if (!row || !box || !isInside(box, x, y)) return null;
  const tabs = /** @type {HTMLElement[]} */ ([...row.querySelectorAll(".tab")]);
  const next = tabs.find((tab) => x < tab.getBoundingClientRect().left + tab.offsetWidth / 2);
  const left = next?.getBoundingClientRect().left ?? tabs.at(-1)?.getBoundingClientRect().right ?? box.left;
  const beside = tabs.find((tab) => tab.dataset.tab !== id)?.dataset.tab;
  if (beside === undefined) return null;
  const before = next?.dataset.tab ?? null;
  return {
    place: { beside, zone: "center", before },
    box: { left: left - 1, top: box.top, width: 3, height: box.height },
  };
}
