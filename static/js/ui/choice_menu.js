/** Menus: a list of what can be done, opened by a button or at a place, left by Escape or by going elsewhere. */
import { html } from "htm/preact";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * `checked`: a choice that is on or off; `group`: one of several of which one is on, and the heading of these.
 *
 * `number`: a number is asked for.
 *
 * @typedef {{title: string, number?: {least: number, most: number, run: (number: number) => void}, hint?: string, keys?: string, checked?: boolean, group?: string, disabled?: boolean,
 *   run: () => void}} MenuItem
 * @typedef {{label: string, items: readonly MenuItem[], x: number, y: number, back: HTMLElement|null}} OpenMenu
 */

const MARGIN = 8;

/** @type {HTMLElement|null} */
let host = null;

/** Open a menu at a place of the window; the focus goes back to where it was. @param {OpenMenu} menu */
export function openMenu(menu) {
  closeMenu();
  host = document.createElement("div");
  document.body.append(host);
  render(html`<${Menu} ...${menu} />`, host);
}

export function closeMenu() {
  const closed = host;
  // What is taken away loses the focus, and that closes the menu.
  host = null;
  if (closed) render(null, closed);
  closed?.remove();
}

/** A button that opens a menu below it. @param {{label: string, items: () => readonly MenuItem[], children?: unknown, class?: string}} props */
export function ChoicesButton({ label, items, children, class: classes = "" }) {
  const open = (/** @type {Event} */ event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    const { right, bottom } = button.getBoundingClientRect();
    openMenu({ label, items: items(), x: right, y: bottom + 2, back: button });
  };
  return html`<button class=${classes} aria-haspopup="menu" aria-label=${label} title=${label} onClick=${open}>${children}</button>`;
}

/** @param {OpenMenu} props */
function Menu({ label, items, x, y, back }) {
  const list = useRef(/** @type {HTMLDivElement|null} */ (null));
  useEffect(() => {
    place(list.current, x, y);
    buttonsOf(list.current)[0]?.focus();
  }, []);
  const close = (/** @type {boolean} */ returns) => {
    closeMenu();
    if (returns) back?.focus();
  };
  const act = (/** @type {MenuItem} */ item) => {
    if (item.disabled) return;
    close(true);
    item.run();
  };
  const onBlur = (/** @type {FocusEvent} */ event) => {
    if (!list.current?.contains(/** @type {Node|null} */ (event.relatedTarget))) close(false);
  };
  const asked = items.find(({ number }) => number);
  return html`<div class="choice-menu" ref=${list} onFocusOut=${onBlur} onKeyDown=${(/** @type {KeyboardEvent} */ event) => onKey(event, list.current, close)}>
    <div role="menu" aria-label=${label}>${items.map((item, at) => (item.number ? null : html`<${Item} item=${item} before=${items[at - 1]} act=${act} />`))}</div>
    ${asked && html`<${NumberItem} item=${asked} close=${() => close(true)} />`}</div>`;
}

/** @param {{item: MenuItem, before: MenuItem|undefined, act: (item: MenuItem) => void}} props */
function Item({ item, before, act }) {
  return html`${item.group && item.group !== before?.group && html`<div class="menu-group" role="presentation">${item.group}</div>`}
    <button class="menu-item" role=${roleOf(item)} aria-checked=${item.checked} aria-disabled=${item.disabled} tabindex="-1" onClick=${() => act(item)}>
      <span class="menu-mark" aria-hidden="true">${item.checked ? "✓" : ""}</span><span class="menu-title">${item.title}</span>
      ${item.hint && html`<span class="menu-hint">${item.hint}</span>`}${item.keys && html`<kbd>${item.keys}</kbd>`}</button>`;
}

/** @param {{item: MenuItem, close: () => void}} props */
function NumberItem({ item: { title, hint, number }, close }) {
  const field = useRef(/** @type {HTMLInputElement|null} */ (null));
  const go = (/** @type {Event} */ event) => {
    event.preventDefault();
    const given = Number(field.current?.value);
    close();
    number?.run(given);
  };
  return html`<form class="number" onSubmit=${go}><label><span class="menu-title">${title}</span>
    <input type="number" required min=${number?.least} max=${number?.most} ref=${field} /><span class="menu-hint">${hint}</span></label>
    <button class="plain">Go</button></form>`;
}

/** @param {MenuItem} item @returns {string} */
const roleOf = ({ checked, group }) =>
  checked === undefined ? "menuitem" : group ? "menuitemradio" : "menuitemcheckbox";

/** @param {HTMLElement|null} list @returns {HTMLElement[]} */
const buttonsOf = (list) => [.../** @type {NodeListOf<HTMLElement>} */ (list?.querySelectorAll("button, input") ?? [])];

/** Inside the window, at the left of `x` where the right has no room. @param {HTMLElement|null} list @param {number} x @param {number} y */
function place(list, x, y) {
  if (!list) return;
  const { offsetWidth, offsetHeight } = list;
  const fits = x + offsetWidth + MARGIN <= innerWidth;
  list.style.left = `${Math.max(MARGIN, fits ? x : Math.min(x, innerWidth - MARGIN) - offsetWidth)}px`;
  list.style.top = `${Math.max(MARGIN, Math.min(y, innerHeight - MARGIN - offsetHeight))}px`;
}

/** @param {KeyboardEvent} event @param {HTMLElement|null} list @param {(returns: boolean) => void} close */
function onKey(event, list, close) {
  const buttons = buttonsOf(list);
  const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (
    document.activeElement instanceof HTMLInputElement &&
    !["Escape", "Tab", "ArrowUp", "ArrowDown"].includes(event.key)
  )
    return void event.stopPropagation();
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  const isField = buttons.at(-2) instanceof HTMLInputElement;
  if (event.key === "Tab" && isField)
    buttons[(at + (event.shiftKey ? -1 : 1) + buttons.length) % buttons.length]?.focus();
  else if (event.key === "Escape" || event.key === "Tab") close(true);
  else if (next === undefined) return;
  else buttons[(next + buttons.length) % buttons.length]?.focus();
  event.preventDefault();
  event.stopPropagation();
}
