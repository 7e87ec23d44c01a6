/** Chooses the colours: the system's, light, dark, high contrast. */
import { html } from "htm/preact";
import { THEMES, THEME_NAMES, theme } from "../core/preferences.js";

/** @returns {import("preact").VNode} */
export function ThemeMenu() {
  const choose = (/** @type {Event} */ event) => {
    theme.value = /** @type {HTMLSelectElement} */ (event.currentTarget).value;
  };
  return html`<label class="theme"><span class="name">Theme</span>
    <select value=${theme.value} onChange=${choose}>
      ${THEMES.map((name) => html`<option value=${name} selected=${name === theme.value}>${THEME_NAMES[name]}</option>`)}
    </select></label>`;
}
