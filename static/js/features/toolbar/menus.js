/** The menus at the right end of the toolbar: links, the layout, and the appearance. */
import { html } from "htm/preact";
import { keysOf } from "../../core/keys.js";
import { presenter, theme, THEMES, togglePresenter } from "../../core/preferences.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { openDialog } from "../../core/view_actions.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { command } from "../../core/commands.js";
import { PRESET_NAMES, PRESETS } from "../layout/presets.js";
import * as layout from "../layout/state.js";
import { sharedItems } from "../share/items.js";
import { download } from "../../ui/export.js";
/** @import {MenuItem} from "../../ui/menu.js" */

/** @param {string} id @returns {MenuItem} */
export function commandItem(id) {
  const found = command(id);
  return { text: found.title, keys: keysOf(found)[0], run: found.run };
}

export function ShareMenu() {
  const content = html`<${Icon} name="share" /><span class="name">share</span><span class="arrow" aria-hidden="true">▾</span>`;
  return html`<${Menu} label="Share" content=${content} items=${shareItems} rove=${true} />`;
}

/** @returns {MenuItem[]} */
function shareItems() {
  const program = { text: "Save the program as a file", run: saveProgram };
  return isFile() ? [program] : sharedItems(program);
}

function saveProgram() {
  const name = store.sessionName.peek() || "program";
  download(new Blob([store.draft.peek()], { type: "text/plain" }), /\.\w+$/.test(name) ? name : `${name}.txt`);
}

export function LayoutMenu() {
  const content = html`<${Icon} name="layout" /><span class="name">layout</span><span class="arrow" aria-hidden="true">▾</span>`;
  return html`<${Menu} label="Layout" content=${content} items=${layoutItems} rove=${true} />`;
}

/** @returns {MenuItem[]} */
function layoutItems() {
  const { preset, maximised } = layout.layout.peek();
  const panels = layout.panels.peek().filter(({ exists }) => exists?.() ?? true);
  return [
    { text: "Arrange for" },
    ...PRESETS.map((name) => ({
      text: PRESET_NAMES[name],
      checked: preset === name,
      isOne: true,
      run: () => layout.choosePreset(name),
    })),
    { text: "Reset layout", run: layout.resetLayout },
    ...(maximised ? [{ text: "Restore the maximised panel", run: () => layout.toggleMaximised(maximised) }] : []),
    { text: "Panels" },
    ...panels.map(({ id, title }) => ({
      text: title,
      checked: layout.visible.peek().includes(id),
      run: () => layout.togglePanel(id),
    })),
  ];
}

export function ViewMenu() {
  const content = html`<${Icon} name="settings" /><span class="hidden">View</span>`;
  return html`<${Menu} label="View and help" content=${content} items=${viewItems} rove=${true} />`;
}

/** @returns {MenuItem[]} */
const viewItems = () => [
  { text: "Theme" },
  ...Object.entries(THEMES).map(([name, text]) => ({
    text,
    checked: theme.peek() === name,
    isOne: true,
    run: () => void (theme.value = name),
  })),
  { text: "Page" },
  { text: "Presenter mode", keys: keysOf(command("present"))[0], checked: presenter.peek(), run: togglePresenter },
  ...(isFile() ? [] : [{ text: "Your settings…", note: "new tab", href: "/settings" }]),
  { text: "Keys and help", run: () => openDialog("keys") },
];
