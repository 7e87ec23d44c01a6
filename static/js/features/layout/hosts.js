/**
 * Each panel is rendered into its own host element, which moves between docks and so keeps texts, selections and
 * scroll positions. A hidden panel is unmounted with the next step, since rendering it would slow every step down.
 * Panels with `keeps` stay mounted.
 */
import { effect, untracked } from "@preact/signals";
import { html, render } from "htm/preact";
import * as store from "../../core/store.js";
import { panelOf, visible } from "./state.js";

/** @type {Map<string, HTMLElement>} */
const hosts = new Map();
/** The mounted panels. @type {Set<string>} */
const drawn = new Set();

/** @param {string} id @returns {HTMLElement} */
export function hostOf(id) {
  const known = hosts.get(id);
  if (known) return known;
  const host = document.createElement("div");
  host.className = `panel fill panel-${id}`;
  host.id = `panel-${id}`;
  host.setAttribute("role", "tabpanel");
  host.setAttribute("aria-label", panelOf(id).title);
  host.tabIndex = panelOf(id).isStop ? 0 : -1;
  hosts.set(id, host);
  return host;
}

/** For the life of the page. @returns {() => void} ends it */
export const giveUpHiddenPanels = () =>
  effect(() => {
    void [store.position.value, store.process.value, store.recordingKey.value];
    untracked(giveUpHidden);
  });

/** @param {string} id */
function draw(id) {
  if (drawn.has(id)) return;
  const { Panel } = panelOf(id);
  drawn.add(id);
  render(html`<${Panel} />`, hostOf(id));
}

function giveUpHidden() {
  const seen = visible.peek();
  for (const id of drawn) {
    if (seen.includes(id) || panelOf(id).keeps) continue;
    drawn.delete(id);
    render(/** @type {any} */ (null), hostOf(id));
  }
}

/**
 * Move the hosts of a group's panels into its element and show one of them. Scroll positions are restored after a
 * move.
 *
 * @param {HTMLElement|null} place @param {readonly string[]} ids @param {string|null} shown
 */
export function fillPlace(place, ids, shown) {
  if (!place) return;
  for (const id of ids) {
    const host = hostOf(id);
    if (host.parentElement !== place) {
      const scrolled = scrolledIn(host);
      const focused = focusedIn(host);
      place.append(host);
      focused?.focus({ preventScroll: true });
      for (const [element, { top, left }] of scrolled) element.scrollTo(left, top);
    }
    const isReturning = host.hidden && id === shown;
    host.hidden = id !== shown;
    // Only now: a panel measures its space when it is rendered.
    if (visible.peek().includes(id)) draw(id);
    if (isReturning) panelOf(id).onReturn?.();
  }
  // A closed panel stays where it was, until the next step unmounts it.
  for (const [id, host] of hosts)
    if (host.parentElement === place && !ids.includes(id) && !visible.peek().includes(id)) host.hidden = true;
}

/** The focused element in a host: moving it in the document would drop the focus. @param {HTMLElement} host @returns {HTMLElement|null} */
function focusedIn(host) {
  let focused = document.activeElement;
  if (!host.contains(focused)) return null;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused instanceof HTMLElement ? focused : null;
}

/** @typedef {{top: number, left: number}} Scrolled */

/** Scroll positions before the layout changes: moved elements lose theirs. @type {Map<Element, Scrolled>} */
let remembered = new Map();

/** Before the layout changes. */
export function rememberScrolled() {
  remembered = new Map();
  for (const host of hosts.values()) for (const element of elementsIn(host)) rememberOne(element);
}

/** @param {Element} element */
function rememberOne(element) {
  const { scrollTop: top, scrollLeft: left } = element;
  if (top > 0 || left > 0) remembered.set(element, { top, left });
}

/** @param {HTMLElement} host @returns {[Element, Scrolled][]} */
const scrolledIn = (host) => [...remembered].filter(([element]) => isWithin(host, element));

/** Also in the editor, which is in a shadow root. @param {HTMLElement} host @param {Element} element */
function isWithin(host, element) {
  const root = element.getRootNode();
  return host.contains(root instanceof ShadowRoot ? root.host : element);
}

/** @param {HTMLElement} host @returns {Element[]} */
function elementsIn(host) {
  const elements = [host, ...host.querySelectorAll("*")];
  return elements.flatMap((element) =>
    element.shadowRoot ? [element, ...element.shadowRoot.querySelectorAll("*")] : [element],
  );
}
