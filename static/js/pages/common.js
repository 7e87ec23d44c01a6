/** Shared by all pages: the theme. */
import { html, render } from "htm/preact";
import "../core/idle.js";
import { applyPreferences, theme, THEMES } from "../core/preferences.js";

applyPreferences();

const tools = document.getElementById("site-tools");
if (tools) render(html`<${ThemeMenu} />`, tools);

/** The data that the server put into the page. @returns {any} */
export function pageData() {
  return JSON.parse(document.getElementById("data")?.textContent || "{}");
}

/** @returns {import("preact").VNode} */
function ThemeMenu() {
  const choose = (/** @type {Event} */ event) => {
    theme.value = /** @type {HTMLSelectElement} */ (event.currentTarget).value;
  };
  return html`<label class="theme"><span class="name">Theme</span>
    <select value=${theme.value} onChange=${choose}>
      ${Object.entries(THEMES).map(([name, text]) => html`<option value=${name} selected=${name === theme.value}>${text}</option>`)}
    </select></label>`;
}
