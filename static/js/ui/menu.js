/**
 * Menus of actions and ticked choices. A menu opens at its button or at a point of the window, lies over everything,
 * and returns the focus.
 */
import { html } from "htm/preact";
import { render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/**
 * An item; `text` alone makes a heading. `checked` makes a ticked item, `isOne` one of a radio group. `href`: a file
 * to download as `download`, or a page in a new tab. `number`: a number field.
 *
 * @typedef {{text: string, title?: string, run?: () => void, keys?: string, note?: string, checked?: boolean, isOne?: boolean, off?: boolean,
 *   href?: string, download?: string, number?: {least: number, most: number, run: (number: number) => void}}} MenuItem
 * @typedef {{x: number, y: number, back: HTMLElement|null}} MenuPlace  back: the element that had the focus
 * @typedef {{label: string, items: readonly MenuItem[]}} MenuContent
 */

/**
 * A button that opens a menu. `content` is the content of the button; `items` is called when the menu opens.
 *
 * @param {{label: string, title?: string, content: import("preact").ComponentChild, items: () => readonly MenuItem[], class?: string, rove?: boolean}} props
 */
export function Menu({ label, title, content, items, class: className = "", rove = false }) {
  const button = useRef(/** @type {HTMLButtonElement|null} */ (null));
  // The first focused item; null while the menu is closed.
  const [first, setFirst] = useState(/** @type {number|null} */ (null));
  const isOpen = first !== null;
  const close = (/** @type {boolean} */ returns) => {
    setFirst(null);
    if (returns) button.current?.focus();
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const begin = { ArrowDown: 0, ArrowUp: -1 }[event.key];
    if (begin === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setFirst(begin);
  };
  return html`<button class=${className} ref=${button} aria-haspopup="menu" aria-expanded=${isOpen} aria-label=${label} title=${title ?? label}
      data-rove=${rove} onClick=${() => setFirst(isOpen ? null : 0)} onKeyDown=${onKey}>${content}</button>
    ${isOpen && html`<${OpenMenu} label=${label} items=${items()} around=${button} first=${first} close=${close} />`}`;
}

/** Closes the menu that was opened at a point. */
let closeLast = () => {};

/** Open a menu at a point of the window. @param {MenuContent & MenuPlace} menu */
export function openMenu({ label, items, x, y, back }) {
  closeLast();
  const host = document.createElement("div");
  document.body.append(host);
  const close = (/** @type {boolean} */ returns) => {
    render(null, host);
    host.remove();
    if (returns) back?.focus();
  };
  closeLast = () => close(false);
  const around = { current: new DOMRect(x, y, 0, 0) };
  render(html`<${OpenMenu} label=${label} items=${items} around=${around} first=${0} close=${close} />`, host);
}

/** @param {MenuContent & {around: {current: HTMLElement|DOMRect|null}, first: number, close: (returns: boolean) => void}} props */
function OpenMenu({ label, items, around, first, close }) {
  const box = useRef(/** @type {HTMLDivElement|null} */ (null));
  useLayoutEffect(() => {
    if (!box.current || !around.current) return undefined;
    box.current.showPopover();
    placeNear(box.current, around.current);
    focusAt(itemsIn(box.current), first);
    return closesMenu(box.current, around.current, close);
  }, []);
  const asked = items.find(({ number }) => number);
  return html`<div class="menu" popover="manual" tabindex="-1" ref=${box} onKeyDown=${(/** @type {KeyboardEvent} */ event) => onMenuKey(event, box.current, close)}>
    <div role="menu" aria-label=${label}>${items.map((item, at) => (item.number ? null : html`<${Item} key=${at} item=${item} close=${close} />`))}</div>
    ${asked && html`<${NumberItem} item=${asked} close=${close} />`}</div>`;
}

/** @param {{item: MenuItem, close: (returns: boolean) => void}} props */
function Item({ item, close }) {
  const { text, title, run, checked, isOne, off = false, href, download } = item;
  if (href)
    return html`<a role="menuitem" tabindex="-1" href=${href} download=${download} target=${download ? undefined : "_blank"} rel="noreferrer" title=${title} onClick=${() => close(true)}><${Face} item=${item} /></a>`;
  if (!run) return html`<div class="menu-title" role="presentation">${text}</div>`;
  const role = checked === undefined ? "menuitem" : isOne ? "menuitemradio" : "menuitemcheckbox";
  const choose = () => {
    if (off) return;
    close(true);
    run();
  };
  return html`<button role=${role} tabindex="-1" title=${title} aria-checked=${checked} aria-disabled=${off || undefined} onClick=${choose}><${Face} item=${item} /></button>`;
}

/** @param {{item: MenuItem}} props */
const Face = ({ item: { text, note, keys, checked } }) =>
  html`<span class="tick" aria-hidden="true">${checked ? "✓" : ""}</span><span class="text">${text}</span>
    ${note && html`<span class="note">${note}</span>`}${keys && html`<kbd>${keys}</kbd>`}`;

/** @param {{item: MenuItem, close: (returns: boolean) => void}} props */
function NumberItem({ item: { text, note, number }, close }) {
  const field = useRef(/** @type {HTMLInputElement|null} */ (null));
  const go = (/** @type {Event} */ event) => {
    event.preventDefault();
    const given = Number(field.current?.value);
    close(true);
    number?.run(given);
  };
  return html`<form onSubmit=${go}><label><span class="text">${text}</span>
    <input type="number" required min=${number?.least} max=${number?.most} ref=${field} /><span class="note">${note}</span></label>
    <button class="plain">Go</button></form>`;
}

/** Distance to the edge of the window, in pixels. */
const MARGIN = 4;

/** Below its button, and inside the window. @param {HTMLElement} menu @param {HTMLElement|DOMRect} around */
export function placeNear(menu, around) {
  const { left, right, bottom, top } = around instanceof DOMRect ? around : around.getBoundingClientRect();
  const { offsetWidth: wide, offsetHeight: high } = menu;
  const [across, down] = [window.innerWidth - MARGIN, window.innerHeight - MARGIN];
  menu.style.left = `${Math.max(MARGIN, left + wide > across ? Math.min(right, across) - wide : left)}px`;
  menu.style.top = `${Math.max(MARGIN, bottom + high <= down ? bottom : Math.min(top - high, down - high))}px`;
}

/** The items that arrow keys reach. @param {HTMLElement} menu @returns {HTMLElement[]} */
const itemsIn = (menu) => [...menu.querySelectorAll(/** @type {"button"} */ ("button, a, input"))];

/** @param {HTMLElement[]} items @param {number} at it goes round */
const focusAt = (items, at) => items[(at + items.length) % items.length]?.focus();

/**
 * Moving the focus elsewhere closes the menu.
 *
 * @param {HTMLElement} menu @param {HTMLElement|DOMRect} around @param {(returns: boolean) => void} close @returns {() => void} ends it
 */
function closesMenu(menu, around, close) {
  const isOutside = (/** @type {EventTarget|null} */ place) =>
    place instanceof Node && !menu.contains(place) && !(around instanceof Node && around.contains(place));
  const onPress = (/** @type {Event} */ event) => isOutside(event.composedPath()[0] ?? null) && close(false);
  const onLeave = (/** @type {FocusEvent} */ event) => isOutside(event.relatedTarget) && close(false);
  document.addEventListener("pointerdown", onPress, true);
  menu.addEventListener("focusout", onLeave);
  return () => {
    document.removeEventListener("pointerdown", onPress, true);
    menu.removeEventListener("focusout", onLeave);
  };
}

/** @param {KeyboardEvent} event @param {HTMLElement|null} menu @param {(returns: boolean) => void} close */
function onMenuKey(event, menu, close) {
  if (!menu) return;
  const items = itemsIn(menu);
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const isField = items[at] instanceof HTMLInputElement;
  const isTyping = isField && (event.key.length === 1 || ["Home", "End"].includes(event.key));
  const act = isTyping ? undefined : keyAct(event, items, at, close);
  if (act || isTyping) event.stopPropagation();
  if (!act) return;
  event.preventDefault();
  act();
}

/** @param {KeyboardEvent} event @param {HTMLElement[]} items @param {number} at @param {(returns: boolean) => void} close @returns {(() => unknown)|undefined} */
function keyAct({ key, shiftKey, altKey, ctrlKey, metaKey }, items, at, close) {
  if (altKey || ctrlKey || metaKey) return undefined;
  const hasField = items.some((item) => item instanceof HTMLInputElement);
  const to = (/** @type {number} */ place) => () => focusAt(items, place);
  const acts = /** @type {Record<string, () => unknown>} */ ({
    ArrowDown: to(at + 1),
    ArrowUp: to(Math.max(at, 0) - 1),
    Home: to(0),
    End: to(-1),
    Escape: () => close(true),
    Tab: hasField ? to(at + (shiftKey ? -1 : 1)) : () => close(true),
    " ": () => items[at]?.click(),
  });
  return acts[key] ?? letterAct(key, items, at);
}

/** A letter moves to the next item that starts with it. @param {string} key @param {HTMLElement[]} items @param {number} at @returns {(() => void)|undefined} */
function letterAct(key, items, at) {
  if (key.length !== 1) return undefined;
  const others = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const begins = (/** @type {HTMLElement} */ item) =>
    item.querySelector(".text")?.textContent?.toLowerCase().startsWith(key.toLowerCase());
  return () => others.find(begins)?.focus();
}
