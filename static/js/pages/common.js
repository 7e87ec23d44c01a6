/** What every page has: the theme. Text pages need no more. */
import { html, render } from "htm/preact";
import "../core/idle.js";
import { applyPreferences } from "../core/preferences.js";
import { ThemeMenu } from "../ui/theme_menu.js";

applyPreferences();

const tools = document.getElementById("site-tools");
if (tools) render(html`<${ThemeMenu} />`, tools);

/** What the server handed to the page. @returns {any} */
export function pageData() {
  return JSON.parse(document.getElementById("data")?.textContent || "{}");
}
