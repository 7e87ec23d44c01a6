/** Shared by all pages: the theme. */
import { html, render } from "htm/preact";
import "../core/idle.js";
import { applyPreferences, theme, THEMES } from "../core/preferences.js";
import { Choice } from "../ui/fields.js";

applyPreferences();

const tools = document.getElementById("site-tools");
if (tools) render(html`<${ThemeMenu} />`, tools);

/** The data that the server put into the page. @returns {any} */
export const pageData = () => JSON.parse(document.getElementById("data")?.textContent || "{}");

/** @returns {import("preact").VNode} */
function ThemeMenu() {
  const choose = (/** @type {string} */ name) => (theme.value = name);
  return html`<label class="theme"><span class="name">Theme</span>
    <${Choice} options=${THEMES} value=${theme.value} choose=${choose} /></label>`;
}
