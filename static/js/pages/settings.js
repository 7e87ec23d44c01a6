/** Your settings, which this browser stores: the text comes from the server, the controls are rendered here. */
import { html, render } from "htm/preact";
import {
  density,
  DENSITIES,
  digits,
  DIGITS,
  presenter,
  separator,
  SEPARATORS,
  theme,
  THEMES,
} from "../core/preferences.js";
import { provideCommands } from "../core/commands.js";
import { COMMANDS } from "../features/workbench/commands.js";
import { KeyTable } from "../features/workbench/key_table.js";
import "./common.js";

const CHOICES = /** @type {const} */ ([
  ["Theme", theme, THEMES],
  ["Density", density, DENSITIES],
  ["Thousands", separator, SEPARATORS],
  ["Digits of statistics", digits, DIGITS],
]);

const settings = document.getElementById("browser-settings");
if (settings) render(html`<${Choices} />`, settings);

const keys = document.getElementById("key-table");
provideCommands(COMMANDS);
if (keys) render(html`<${KeyTable} />`, keys);

function Choices() {
  return html`${CHOICES.map(
    ([name, choice, table]) =>
      html`<fieldset key=${name}><legend>${name}</legend>${Object.entries(table).map(
        ([value, text]) =>
          html`<label key=${value}><input type="radio" name=${name} checked=${choice.value === value} onChange=${() => (choice.value = value)} /> ${text}</label>`,
      )}</fieldset>`,
  )}
    <label><input type="checkbox" checked=${presenter.value} onChange=${() => (presenter.value = !presenter.value)} /> Presenter mode: everything larger</label>`;
}
