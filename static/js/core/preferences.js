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

/** "" follows the system. */
export const THEMES = /** @type {const} */ (["", "light", "dark", "contrast"]);
export const THEME_NAMES = { "": "System", light: "Light", dark: "Dark", contrast: "High contrast" };

export const theme = signal(recall("theme") ?? "");
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

/** Presenter mode of this page alone: a projector view does not change the preference. */
export function keepPresenting() {
  isForAudience = true;
  presenter.value = true;
}

let isForAudience = false;

/** Keep the page and the storage in sync with the signals. */
export function applyPreferences() {
  const root = document.documentElement;
  effect(() => {
    if (theme.value) root.dataset.theme = theme.value;
    else delete root.dataset.theme;
    remember("theme", theme.value || null);
  });
  effect(() => {
    if (presenter.value) root.dataset.presenter = "on";
    else delete root.dataset.presenter;
    if (!isForAudience) remember("presenter", presenter.value ? "on" : null);
  });
}
