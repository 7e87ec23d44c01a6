/** A button that opens a menu of actions. It lies above everything, wherever the button is. */
import { html } from "htm/preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

/** @typedef {{text: string, title?: string, act?: () => void, href?: string, download?: string}} Action  href: a file to download */

/** @param {{label: string, actions: Action[], title?: string}} props */
export function MenuButton({ label, actions, title }) {
  const id = useId();
  const button = useRef(/** @type {HTMLButtonElement|null} */ (null));
  const menu = useRef(/** @type {HTMLDivElement|null} */ (null));
  const [isOpen, setOpen] = useState(false);
  useEffect(() => watchMenu(menu.current, button.current, setOpen), []);
  return html`<button class="menu-button" ref=${button} aria-haspopup="menu" aria-expanded=${isOpen} title=${title} onClick=${() => menu.current?.togglePopover()}>${label} ▾</button>
    <div class="menu" id=${id} popover="auto" role="menu" aria-label=${label} ref=${menu} onKeyDown=${(/** @type {KeyboardEvent} */ event) => onKey(event, menu.current)}>
      ${actions.map((action) => html`<${Item} key=${action.text} action=${action} close=${() => menu.current?.hidePopover()} />`)}
    </div>`;
}

/** @param {{action: Action, close: () => void}} props */
function Item({ action: { text, title, act, href, download }, close }) {
  const choose = () => {
    close();
    act?.();
  };
  return href
    ? html`<a role="menuitem" tabindex="-1" href=${href} download=${download} title=${title} onClick=${close}>${text}</a>`
    : html`<button role="menuitem" tabindex="-1" title=${title} onClick=${choose}>${text}</button>`;
}

/** @param {HTMLDivElement|null} menu @param {HTMLButtonElement|null} button @param {(isOpen: boolean) => void} setOpen */
function watchMenu(menu, button, setOpen) {
  if (!menu || !button) return undefined;
  const onToggle = (/** @type {Event} */ event) => {
    const isOpen = /** @type {ToggleEvent} */ (event).newState === "open";
    setOpen(isOpen);
    if (!isOpen) return button.focus();
    place(menu, button);
    return itemsOf(menu)[0]?.focus();
  };
  menu.addEventListener("toggle", onToggle);
  return () => menu.removeEventListener("toggle", onToggle);
}

/** Below the button, and inside the window. @param {HTMLElement} menu @param {HTMLElement} button */
function place(menu, button) {
  const { left, bottom, top } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = bottom + height <= window.innerHeight ? bottom : top - height;
  menu.style.left = `${Math.max(0, Math.min(left, window.innerWidth - width - 8))}px`;
  menu.style.top = `${Math.max(0, below)}px`;
}

/** @param {HTMLElement} menu @returns {HTMLElement[]} */
const itemsOf = (menu) => [.../** @type {NodeListOf<HTMLElement>} */ (menu.querySelectorAll("[role=menuitem]"))];

/** @param {KeyboardEvent} event @param {HTMLElement|null} menu */
function onKey(event, menu) {
  const items = menu ? itemsOf(menu) : [];
  const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  /** @type {Record<string, number>} */
  const targets = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
  const target = targets[event.key];
  if (event.key === "Tab") return menu?.hidePopover();
  if (target === undefined || items.length === 0) return undefined;
  event.preventDefault();
  event.stopPropagation();
  return items[(target + items.length) % items.length]?.focus();
}
