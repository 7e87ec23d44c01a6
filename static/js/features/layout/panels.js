/**
 * The panels of the debugger's page. Each `panel.js` in features/ adds its own when its module is loaded: the page loads all of
 * them, see static/bundle.mjs. `dock` is where a panel starts (presets.js), `order` its position among the panels of that dock.
 *
 * @typedef {import("preact").FunctionComponent} Component
 * @typedef {{
 *   id: string, title: string, dock: import("./presets.js").Dock, order: number, Panel: Component, help: string | (() => string),
 *   Head?: Component, Badge?: Component, exists?: () => boolean, keeps?: boolean, isStop?: boolean, isBare?: boolean, canClose?: boolean, isExtra?: boolean, about?: string,
 *   height?: () => number, focus?: (host: HTMLElement) => void, onReturn?: () => void}} Panel
 *   help: an anchor of /help, or a path; Head: drawn beside its tab; Badge: drawn on its tab; exists: whether the program has what it shows;
 *   keeps: it stays mounted while it is hidden; isStop: Tab stops at its body, which may hold no other control;
 *   isBare: alone in its group it has no head; canClose: its head has a Close button;
 *   isExtra: closed at first, until the menu More of its tabs opens it; about: what it shows, in that menu; height: in pixels, at the foot of
 *   the page; focus: what F6 focuses; onReturn: called when it is shown again
 */
import { html } from "htm/preact";
import { pathText } from "../../core/run/tuples.js";
import { shownName } from "../../core/run/value_names.js";
import * as store from "../../core/store.js";
import { chooseValue } from "../../core/view_actions.js";
import { Icon } from "../../ui/icons.js";

/** The docks in the order in which menus list their panels. @type {import("./presets.js").Dock[]} */
const DOCKS = ["lesson", "program", "stage", "inspector", "frames", "breakpoints", "class", "timeline", "console"];

/** Every panel of the stage shows the chosen value in its head, unless it says otherwise. */
const STAGE_DEFAULTS = { Head: ChosenValue, isStop: true };

/** @type {Panel[]} */
const added = [];

/** @param {Panel} panel */
export function addPanel(panel) {
  const canClose = panel.isExtra ?? false;
  added.push(panel.dock === "stage" ? { ...STAGE_DEFAULTS, canClose, ...panel } : panel);
}

/** All panels in the order of menus and tabs. @returns {readonly Panel[]} */
export function allPanels() {
  const rank = (/** @type {Panel} */ { dock }) => DOCKS.indexOf(dock);
  return added.toSorted((one, other) => rank(one) - rank(other) || one.order - other.order);
}

/** Focus the first element of a panel that matches, else the panel. @param {string} selector @returns {(host: HTMLElement) => void} */
export const focusFirst = (selector) => (host) =>
  /** @type {HTMLElement} */ (host.querySelector(selector) ?? host).focus();

function ChosenValue() {
  const chosen = store.chosenValue.value;
  const program = store.program.value;
  if (chosen === null || !program?.values[chosen]) return html`<span class="spring"></span>`;
  const name = `${shownName(program, chosen)}${pathText(store.chosenPath.value)}`;
  const isMissing = store.selectedValue.value?.value !== chosen;
  return html`<span class="spring"></span><span class="chosen"><span class=${isMissing ? "label missing" : "label"} title=${isMissing ? `${name} has no value yet` : name}>${name}</span>
    <button onClick=${() => chooseValue(null)} title="Follow the current op again" aria-label=${`Stop showing ${name}; follow the current op`}><${Icon} name="close" /></button></span>`;
}
