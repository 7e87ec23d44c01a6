/** Preferences stored in this browser: theme, presenter mode, pane sizes, keys. */
import { effect, signal } from "@preact/signals";

const PREFIX = "hloscope.";

/** @param {string} name @returns {string|null} */
export function recall(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** A stored JSON value; null for none, and for damaged text. @param {string} name @returns {any} */
export function recallJson(name) {
  try {
    return JSON.parse(recall(name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} name @param {string|null} value */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // Storage may be forbidden or full; the page works without it.
  }
}

/** @type {{name: string, choice: import("@preact/signals").Signal<string>, table: Record<string, string>, usual: string}[]} */
const choices = [];

/** "" follows the system. */
export const THEMES = { "": "System", light: "Light", dark: "Dark", contrast: "High contrast" };
export const theme = chosen("theme", THEMES);

/** Height of rows, toolbar and lines of the program. */
export const DENSITIES = { "": "Normal", compact: "Compact", roomy: "Roomy" };
export const density = chosen("density", DENSITIES);

/** Between the thousands of counts, steps and lines. */
export const SEPARATORS = { ",": "12,345", "\u202f": "12\u202f345", "": "12345" };
export const separator = chosen("separator", SEPARATORS);

/** Maximum significant digits of a number in a line of statistics: 7 distinguish most f32 values. */
export const DIGITS = { 7: "7: -10.96275", 4: "4: -10.96", 17: "All: -10.962749" };
export const digits = chosen("digits", DIGITS, "7");

/** The stored choice of a table, else its default. @param {string} name @param {Record<string, string>} table @param {string} [usual] */
function chosen(name, table, usual = Object.keys(table)[0] ?? "") {
  const kept = recall(name);
  const choice = signal(kept !== null && Object.hasOwn(table, kept) ? kept : usual);
  choices.push({ name, choice, table, usual });
  return choice;
}

export const presenter = signal(recall("presenter") === "on");
/** Key of the whole-text preference; lessons have their own. */
let wholeTextKept = "whole-text";
/** Whether the editor shows the full text of the program instead of the essence of its lines. */
export const wholeText = signal(recall("whole-text") === "on");

/** Whether lines of the program that come from one source line share a colour. */
export const sourceColours = signal(recall("source-colours") === "on");

export function toggleSourceColours() {
  sourceColours.value = !sourceColours.value;
  remember("source-colours", sourceColours.value ? "on" : null);
}

export function toggleWholeText() {
  wholeText.value = !wholeText.value;
  remember(wholeTextKept, wholeText.value ? "on" : "off");
}

/** Lessons explain what the essence omits, and their programs are small: show the full text until it is turned off there. */
export function showWholeTextAtFirst() {
  wholeTextKept = "whole-text-in-lessons";
  wholeText.value = recall(wholeTextKept) !== "off";
}

export const togglePresenter = () => void (presenter.value = !presenter.value);

/** Whether this page is the projector view of a room: large, with a layout of its own, and nothing of it is stored. */
export const forAudience = signal(false);

export function showToAudience() {
  forAudience.value = true;
  presenter.value = true;
}

/** @param {HTMLElement} root @param {"theme"|"density"} name @param {string} value */
function mark(root, name, value) {
  if (value) root.dataset[name] = value;
  else delete root.dataset[name];
}

/** Keep the page and the storage in sync with the signals. */
export function applyPreferences() {
  const root = document.documentElement;
  for (const { name, choice, usual } of choices)
    effect(() => remember(name, choice.value === usual ? null : choice.value));
  effect(() => mark(root, "theme", theme.value));
  effect(() => mark(root, "density", density.value));
  // What is chosen in another tab holds here at once; of numbers, for those that are drawn from now on.
  window.addEventListener("storage", ({ key, newValue }) => {
    const changed = choices.find(({ name }) => key === PREFIX + name);
    if (changed) changed.choice.value = newValue ?? changed.usual;
  });
  effect(() => {
    if (presenter.value) root.dataset.presenter = "on";
    else delete root.dataset.presenter;
    if (!forAudience.value) remember("presenter", presenter.value ? "on" : null);
  });
}
