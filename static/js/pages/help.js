/** Help and settings: the text comes from the server; the keys, which this browser stores, are rendered here. */
import { html, render } from "htm/preact";
import { presenter } from "../core/preferences.js";
import { KeyTable } from "../features/workbench/key_table.js";
import "./common.js";

const keys = document.getElementById("key-table");
if (keys) render(html`<${KeyTable} />`, keys);

const settings = document.getElementById("browser-settings");
if (settings) render(html`<${Presenter} />`, settings);

function Presenter() {
  return html`<label><input type="checkbox" checked=${presenter.value} onChange=${() => (presenter.value = !presenter.value)} /> Presenter mode: everything larger</label>`;
}
