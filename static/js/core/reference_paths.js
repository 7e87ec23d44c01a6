/**
 * Where the reference is for whoever has this page. Who reads a session by a link, or is in a room, need not have signed in:
 * the session's own path leads to what is said of ops there.
 */
import { sessionPath } from "./paths.js";
import { isFile } from "./source.js";
import { sessionId } from "./store.js";

const BY_LINK = /^(view|own)-/;
/** Pages that need no token. */
const PAGE_BY_LINK = /^\/((s|embed)\/(view|own)-|room\/)/;
/** What they lead to without one, too. */
const READABLE = /^\/(ops\/.|help(?=[/#]|$))/;

/** @param {string} [name] of an op; without one the list of all @returns {string} */
export function opDataPath(name) {
  const session = sessionId.peek();
  const part = name === undefined ? "/ops" : `/ops/${encodeURIComponent(name)}`;
  return BY_LINK.test(session) && !isFile() ? `${sessionPath(session)}${part}` : `/api${part}`;
}

/** @param {string} url of a page of this server @returns {string} */
export function pageHere(url) {
  const session = sessionId.peek();
  const isClosed = PAGE_BY_LINK.test(globalThis.location?.pathname ?? "") && BY_LINK.test(session);
  return isClosed && READABLE.test(url) ? `/s/${encodeURIComponent(session)}${url}` : url;
}
