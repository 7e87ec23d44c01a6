/**
 * Where the reference is for whoever has this page. Who reads a session by a link, or is in a room, need not have signed in:
 * the session's own path leads to what is said of ops there.
 */
import { sessionPath } from "./paths.js";
import { isFile } from "./source.js";
import { sessionId } from "./store.js";

const BY_LINK = /^(view|own)-/;
/** What leads beside a session, too. */
const BESIDE = /^\/(ops\/.|help(?=[/#]|$))/;

let isSignedIn = true;

/** Whoever has this page has not signed in. */
export function readByLink() {
  isSignedIn = false;
}

/** @param {string} [name] of an op; without one the list of all @returns {string} */
export function opDataPath(name) {
  const session = sessionId.peek();
  const part = name === undefined ? "/ops" : `/ops/${encodeURIComponent(name)}`;
  return BY_LINK.test(session) && !isFile() ? `${sessionPath(session)}${part}` : `/api${part}`;
}

/** The same page for whoever has this one; null where they have none. @param {string} url of a page of this server, or of another @returns {string|null} */
export function pageHere(url) {
  if (isSignedIn || !url.startsWith("/")) return url;
  return BESIDE.test(url) ? `/s/${encodeURIComponent(sessionId.peek())}${url}` : null;
}
