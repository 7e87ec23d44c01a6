/** A button that opens a menu: actions, and choices that are ticked. It lies over everything, and leads back to its button. */
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";

/**
 * An item; without `run` it is a title over those that follow. `checked` makes it one that is ticked, `isOne` one of several
 * of which one is.
 *
 * @typedef {{text: string, run?: () => void, keys?: string, note?: string, checked?: boolean, isOne?: boolean, off?: boolean}} MenuItem
 */

/**
 * `content` is what the button shows. The items are asked for when the menu opens.
 *
 * @param {{label: string, title?: string, content: import("preact").ComponentChild, items: () => MenuItem[], class?: string, rove?: boolean}} props
 */
export function Menu({ label, title, content, items, class: className = "", rove = false }) {
  const button = useRef(/** @type {HTMLButtonElement|null} */ (null));
  const menu = useRef(/** @type {HTMLDivElement|null} */ (null));
  const [isOpen, setOpen] = useState(false);
  useEffect(() => watch(menu.current, setOpen), []);
  useEffect(() => {
    if (isOpen) place(menu.current, button.current);
  }, [isOpen]);
  const toggle = () => menu.current?.togglePopover();
  const close = () => {
    menu.current?.hidePopover();
    button.current?.focus();
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => onMenuKey(event, menu.current, close);
  return html`<button class=${className} ref=${button} aria-haspopup="menu" aria-expanded=${isOpen} aria-label=${label}
      title=${title ?? label} data-rove=${rove} onClick=${toggle}>${content}</button>
    <div class="command-menu" popover="auto" role="menu" aria-label=${label} ref=${menu} onKeyDown=${onKey}>
      ${isOpen && items().map((item, at) => html`<${Item} key=${at} item=${item} close=${close} />`)}</div>`;
}

/** @param {{item: MenuItem, close: () => void}} props */
function Item({ item: { text, run, keys, note, checked, isOne, off = false }, close }) {
  if (!run) return html`<div class="menu-title" role="presentation">${text}</div>`;
  const role = checked === undefined ? "menuitem" : isOne ? "menuitemradio" : "menuitemcheckbox";
  const choose = () => {
    if (off) return;
    close();
    run();
  };
  return html`<button role=${role} tabindex="-1" aria-checked=${checked} aria-disabled=${off || undefined} onClick=${choose}>
    <span class="tick" aria-hidden="true">${checked ? "✓" : ""}</span><span class="text">${text}</span>
    ${note && html`<span class="note">${note}</span>`}${keys && html`<kbd>${keys}</kbd>`}</button>`;
}

/** @param {HTMLElement|null} menu @param {(isOpen: boolean) => void} setOpen */
function watch(menu, setOpen) {
  const onToggle = (/** @type {Event} */ event) => setOpen(/** @type {ToggleEvent} */ (event).newState === "open");
  menu?.addEventListener("toggle", onToggle);
  return () => menu?.removeEventListener("toggle", onToggle);
}

const MARGIN = 4;

/** Below its button, inside of the window. @param {HTMLElement|null} menu @param {HTMLElement|null} button */
function place(menu, button) {
  if (!menu || !button) return;
  const { left, right, bottom, top } = button.getBoundingClientRect();
  const { offsetWidth: wide, offsetHeight: high } = menu;
  const [across, down] = [window.innerWidth - MARGIN, window.innerHeight - MARGIN];
  menu.style.left = `${Math.max(MARGIN, left + wide > across ? right - wide : left)}px`;
  menu.style.top = `${Math.max(MARGIN, bottom + high <= down ? bottom : Math.min(top - high, down - high))}px`;
  itemsIn(menu)[0]?.focus();
}

/** @param {HTMLElement} menu @returns {HTMLElement[]} */
const itemsIn = (menu) => [...menu.querySelectorAll("button")];

/** @param {KeyboardEvent} event @param {HTMLElement|null} menu @param {() => void} close */
function onMenuKey(event, menu, close) {
  if (!menu) return;
  const items = itemsIn(menu);
  const to = targetOf(event.key, items);
  if (event.key === "Tab" || event.key === "Escape") close();
  else if (to) to.focus();
  else return;
  event.stopPropagation();
  if (event.key !== "Tab") event.preventDefault();
}

/** Arrows go round; a letter goes to the next item that begins with it. @param {string} key @param {HTMLElement[]} items @returns {HTMLElement|undefined} */
function targetOf(key, items) {
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const steps = /** @type {Record<string, number>} */ ({ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 });
  const to = steps[key];
  if (to !== undefined) return items[(to + items.length) % items.length];
  if (key.length !== 1 || key === " ") return undefined;
  const others = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return others.find((item) => item.querySelector(".text")?.textContent?.toLowerCase().startsWith(key.toLowerCase()));
}
