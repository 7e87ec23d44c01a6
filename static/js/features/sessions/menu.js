/** The recent sessions as a menu. */
import { html } from "htm/preact";
import * as store from "../../core/store.js";
import { Menu } from "../../ui/menu.js";
import { addressOf, readAgain, recents } from "./recents.js";

const MOST = 8;

export function SessionsMenu() {
  const content = html`<span class="arrow" aria-hidden="true">▾</span>`;
  return html`<${Menu} label="Sessions" title="Recent sessions, and other programs" class="sessions-menu" content=${content} items=${sessionItems} rove=${true} />`;
}

/** @returns {import("../../ui/menu.js").MenuItem[]} */
function sessionItems() {
  readAgain();
  const others = recents.peek().filter(({ id }) => id !== store.sessionId.peek());
  return [
    ...(others.length > 0 ? [{ text: "Recent sessions" }] : []),
    ...others
      .slice(0, MOST)
      .map((recent) => ({ text: recent.name, note: recent.place, run: () => go(addressOf(recent)) })),
    { text: "Another program" },
    { text: "Open or paste a program…", run: () => go("/") },
  ];
}

/** @param {string} path */
const go = (path) => location.assign(path);
