/** The menus at the right end of the toolbar: links, the layout, and the appearance. */
import { html } from "htm/preact";
import { keysOf } from "../../core/keys.js";
import { say } from "../../core/messages.js";
import { presenter, theme, THEMES, togglePresenter } from "../../core/preferences.js";
import { positionUrl } from "../../core/position_url.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { noteAtStop, openDialog } from "../../core/view_actions.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { command } from "../../core/commands.js";
import { PRESET_NAMES, PRESETS } from "../layout/presets.js";
import * as layout from "../layout/state.js";
import { handoutAddress, pictureAddress } from "../printing/addresses.js";
import { roomItems } from "../room/page.js";
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
  const session = new URL(location.pathname, location.href);
  const program = { text: "Save the program as a file", run: saveProgram };
  if (isFile()) return [program];
  return [
    { text: store.readOnly.peek() ? "Read-only" : "For users of this server" },
    { text: "Copy a link to this step", run: () => copyLink(positionUrl(), "The link to this step was copied.") },
    { text: "Copy a link to the session", run: () => copyLink(session, "The link to the session was copied.") },
    { text: "For others" },
    ...roomItems(),
    { text: "Share link…", run: () => openDialog("share") },
    { text: "Save as a page…", note: "one file, to step through offline", run: () => openDialog("page") },
    program,
    { text: "Print and slides" },
    { text: "Print a handout", note: "program, value and index map", run: printHandout },
    { text: "Save this step as a picture", href: pictureAddress(), download: "step.svg" },
  ];
}

/** Open the page in a new tab, which prints it. */
const printHandout = () => void window.open(handoutAddress(), "_blank", "noopener");

/** @param {URL} link @param {string} words */
async function copyLink(link, words) {
  try {
    await navigator.clipboard.writeText(link.href);
    say({ kind: "info", text: words });
    noteAtStop(words);
  } catch {
    openDialog("share");
  }
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
function viewItems() {
  return [
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
}
