/** What this browser remembers of its user: theme, presenter mode, sizes of panes, keys. */
import { effect, signal } from "@preact/signals";

const PREFIX = "hloscope.";

/** @param {string} name @returns {string|null} */
export function remembered(name) {
  try {
    return localStorage.getItem(PREFIX + name);
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
    // Storage may be forbidden or full; the page works without.
  }
}

/** "" follows the system. */
export const THEMES = /** @type {const} */ (["", "light", "dark", "contrast"]);
export const THEME_NAMES = { "": "System", light: "Light", dark: "Dark", contrast: "High contrast" };

export const theme = signal(remembered("theme") ?? "");
export const presenter = signal(remembered("presenter") === "on");
/** Whether the editor folds what changes no value of an HLO instruction: metadata, backend_config and the like. */
export const detailsHidden = signal(remembered("details") !== "shown");

export function toggleDetails() {
  detailsHidden.value = !detailsHidden.value;
  remember("details", detailsHidden.value ? null : "shown");
}

/** Keep the page and the memory in step with the signals. */
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
    remember("presenter", presenter.value ? "on" : null);
  });
}
