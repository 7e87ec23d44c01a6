/** A drawer: a strip with the titles of its panels. It opens over its neighbours and stays open until it is closed; in a field, Escape only leaves the field. */
import { html } from "htm/preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { presenter } from "../../core/preferences.js";
import { Icon } from "../../ui/icons.js";
import { giveStop, keepStop, rove } from "../../ui/roving.js";
import { SharedBorder } from "../../ui/shared_border.js";
import { DRAWER } from "./presets.js";
import * as state from "./state.js";
import { groupsOf, panelsOf } from "./tree.js";
/** @import {Tree} from "./tree.js" */

const LEAST = 200;

/** @param {{node: Tree, frame: import("./dock.js").Frame, children?: import("preact").ComponentChildren}} props */
export function Drawer({ node, frame, children }) {
  const { isOpen, width } = node.drawer ?? { isOpen: false, width: LEAST };
  const isLeft = frame.at === 0;
  const first = panelsOf(node)[0] ?? "";
  const strip = useRef(/** @type {HTMLElement|null} */ (null));
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape" || !isOpen || event.defaultPrevented || presenter.peek()) return;
    const isInField = /** @type {Element} */ (event.target).matches("textarea, input:not([type=checkbox])");
    if (!isInField) state.changeDrawer(first, { isOpen: false });
    /** @type {HTMLElement|null} */ (strip.current?.querySelector('[tabindex="0"]'))?.focus();
  };
  const border = html`<${SharedBorder} label="Width of the drawer" isUpright=${true} now=${(100 * width) / window.innerWidth} parts=${partsOf} least=${LEAST}
    move=${(/** @type {number} */ room, /** @type {number} */ both) => state.changeDrawer(first, { width: Math.round(isLeft ? room : both - room) })}
    reset=${() => state.changeDrawer(first, { width: DRAWER })} />`;
  return html`<div class=${`drawer${isLeft ? " left" : ""}`} data-at=${frame.at} style=${frame.style} hidden=${frame.isHidden} onKeyDown=${onKey}>
    <${Strip} node=${node} strip=${strip} />
    <div class="drawer-body" hidden=${!isOpen} style=${{ width: `${width}px` }}>
      ${!isLeft && border}${children}${isLeft && border}
    </div></div>`;
}

/** Close the drawer with a panel whose link leads to something that it covers; a docked or presented panel stays. @param {string} id @param {EventTarget|null} from the pressed element */
export function uncover(id, from) {
  const drawer = from instanceof Element ? from.closest(".drawer") : null;
  if (!drawer || presenter.peek()) return;
  state.changeDrawer(id, { isOpen: false });
  /** @type {HTMLElement|null} */ (drawer.querySelector('.strip [tabindex="0"]'))?.focus();
}

/** The border between the drawer and the part that it does not cover. @param {HTMLElement} border @returns {import("../../ui/shared_border.js").Parts|null} */
function partsOf(border) {
  const body = border.parentElement;
  const dock = /** @type {HTMLElement|null} */ (border.closest(".dock"));
  if (!body || !dock) return null;
  const rest = { offsetWidth: dock.offsetWidth - body.offsetWidth, offsetHeight: 0 };
  const uncovered = /** @type {HTMLElement} */ (/** @type {unknown} */ (rest));
  return body.parentElement?.classList.contains("left")
    ? { before: body, after: uncovered }
    : { before: uncovered, after: body };
}

/** @param {{node: Tree, strip: {current: HTMLElement|null}}} props */
function Strip({ node, strip }) {
  const isOpen = node.drawer?.isOpen === true;
  const panels = groupsOf(node).flatMap(state.tabsOf);
  const [first = ""] = panels;
  useLayoutEffect(() => giveStop(strip.current));
  const toggle = (/** @type {string} */ id) => {
    if (isOpen && state.visible.peek().includes(id)) state.changeDrawer(first, { isOpen: false });
    else state.showPanel(id);
  };
  return html`<div class="strip" role="toolbar" aria-orientation="vertical" aria-label="Drawer" ref=${strip}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => rove(event, "vertical")} onFocusIn=${keepStop}>
    ${panels.map((id) => html`<button key=${id} data-rove tabindex="-1" aria-expanded=${isOpen && state.visible.value.includes(id)} onClick=${() => toggle(id)}>${state.panelOf(id).title}<${Badge} id=${id} /></button>`)}
    ${isOpen && html`<button class="pin" data-rove tabindex="-1" title="Keep it open beside the others" onClick=${() => state.expandPanel(first)}><${Icon} name="pin" /><span class="hidden">Keep the drawer open beside the others</span></button>`}
  </div>`;
}

/** The badge of a panel's tab. @param {{id: string}} props */
function Badge({ id }) {
  const { Badge: Own } = state.panelOf(id);
  return Own ? html`<${Own} />` : null;
}
