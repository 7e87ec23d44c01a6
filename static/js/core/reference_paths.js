/**
 * The paths of the op reference. Readers with a read-only link or in a room may have no token of the server; they use
 * the reference below the session's path.
 */
import { sessionPath } from "./paths.js";
import { isFile } from "./source.js";
import { sessionId } from "./store.js";

const BY_LINK = /^(view|own)-/;
/** Paths that also exist below a session. */
const BESIDE = /^\/(ops\/.|help(?=[/#]|$))/;

/** Pages of a server that offers lessons to everybody. */
const LESSONS = /^\/lessons(?=[/?#]|$)/;

let isSignedIn = true;
let isLessonOpen = true;

/** Use the paths below the session: this reader has no token. @param {boolean} opensLessons whether the reader may open lessons nevertheless */
export function readByLink(opensLessons) {
  isSignedIn = false;
  isLessonOpen = opensLessons;
}

/** Whether this reader may request lessons. */
export const mayOpenLessons = () => isSignedIn || isLessonOpen;

/** @param {string} [name] of an op; the list of ops without one @returns {string} */
export function opDataPath(name) {
  const session = sessionId.peek();
  const part = name === undefined ? "/ops" : `/ops/${encodeURIComponent(name)}`;
  return BY_LINK.test(session) && !isFile() ? `${sessionPath(session)}${part}` : `/api${part}`;
}

/** The path of a page for this reader; null if there is none. @param {string} url of a page of this server, or of another @returns {string|null} */
export function pageHere(url) {
  if (isSignedIn || !url.startsWith("/") || (isLessonOpen && LESSONS.test(url))) return url;
  return BESIDE.test(url) ? `/s/${encodeURIComponent(sessionId.peek())}${url}` : null;
}
