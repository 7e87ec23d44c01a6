/**
 * Where the page's answers come from: the server, or the file that the page itself is. Both answer the same paths with the
 * same bytes, so that nothing else in the page knows which it is, but for what only a server can do.
 *
 * @typedef {{send: (message: Message) => void, close: () => void}} Line the open line to a session, of live.js
 * @typedef {object} Source
 * @property {boolean} isFile nothing more is recorded, run or kept
 * @property {boolean} isWhole all values are there with all elements
 * @property {(path: string, options: RequestInit) => Promise<Response>} fetch
 * @property {(session: string, onMessage: (message: Message) => void, onChange: (problem: string) => void) => Line} follow
 */
import { Live } from "./live.js";
/** @import {Message} from "./live.js" */

/** @type {Source} */
const server = {
  isFile: false,
  isWhole: true,
  fetch: (path, options) => fetch(path, options),
  follow: (session, onMessage, onChange) => new Live(session, onMessage, onChange),
};

let current = server;

/** Answer the page from somewhere else, before anything is asked. @param {Source} source */
export function readFrom(source) {
  current = source;
}

export const source = () => current;

/** Whether no value is left out, as of a file there may be. */
export const isWhole = () => current.isWhole;

/** Whether the page is a file, which no server answers. */
export const isFile = () => current.isFile;
