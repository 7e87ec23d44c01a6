/** The items of the menu Share that need a server: links, rooms, the saved page and prints. */
import { say } from "../../core/messages.js";
import { positionUrl } from "../../core/position_url.js";
import * as store from "../../core/store.js";
import { noteAtStop, openDialog } from "../../core/view_actions.js";
import { isCopied } from "../../ui/copied.js";
import { handoutAddress, pictureAddress } from "../printing/addresses.js";
import { roomItems } from "../room/page.js";
/** @import {MenuItem} from "../../ui/menu.js" */

/** @param {MenuItem} program the item that saves the program @returns {MenuItem[]} */
export function sharedItems(program) {
  const session = new URL(location.pathname, location.href);
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
  if (!(await isCopied(link.href))) return openDialog("share");
  say({ kind: "info", text: words });
  noteAtStop(words);
}
