/** What all menus do alike: where they stand, how keys move in them, when they close. */

/** Pixels to the edge of the window. */
const MARGIN = 4;

/** Below what opens it, and inside of the window. @param {HTMLElement} menu @param {HTMLElement|DOMRect} around */
export function place(menu, around) {
  const { left, right, bottom, top } = around instanceof DOMRect ? around : around.getBoundingClientRect();
  const { offsetWidth: wide, offsetHeight: high } = menu;
  const [across, down] = [window.innerWidth - MARGIN, window.innerHeight - MARGIN];
  menu.style.left = `${Math.max(MARGIN, left + wide > across ? Math.min(right, across) - wide : left)}px`;
  menu.style.top = `${Math.max(MARGIN, bottom + high <= down ? bottom : Math.min(top - high, down - high))}px`;
}

/** What keys move between. @param {HTMLElement} menu @returns {HTMLElement[]} */
export const itemsIn = (menu) => [...menu.querySelectorAll(/** @type {"button"} */ ("button, a, input"))];

/** @param {HTMLElement[]} items @param {number} at it goes round */
export const focusAt = (items, at) => items[(at + items.length) % items.length]?.focus();

/**
 * Whoever goes elsewhere leaves the menu.
 *
 * @param {HTMLElement} menu @param {HTMLElement|DOMRect} around @param {(returns: boolean) => void} close @returns {() => void} ends it
 */
export function closesMenu(menu, around, close) {
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
export function onMenuKey(event, menu, close) {
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

/** A letter goes to the next item that begins with it. @param {string} key @param {HTMLElement[]} items @param {number} at @returns {(() => void)|undefined} */
function letterAct(key, items, at) {
  if (key.length !== 1) return undefined;
  const others = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const begins = (/** @type {HTMLElement} */ item) =>
    item.querySelector(".text")?.textContent?.toLowerCase().startsWith(key.toLowerCase());
  return () => others.find(begins)?.focus();
}
