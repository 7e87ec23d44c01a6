/**
 * The source of the page's data: the server, or the saved page itself. Both answer the same paths with the same
 * bytes, so that other modules differ only in what needs a server.
 *
 * @typedef {{send: (message: Message) => void, close: () => void}} Line the WebSocket of a session, of live.js
 * @typedef {object} Source
 * @property {boolean} isFile nothing more can be recorded, run or stored
 * @property {boolean} hasEngine an engine computes answers that are not recorded
 * @property {boolean} isWhole all elements of all values are available
 * @property {(path: string, options: RequestInit) => Promise<Response>} fetch
 * @property {(session: string, onMessage: (message: Message) => void, onChange: (problem: string) => void) => Line} follow
 */
import { Live } from "./live.js";
/** @import {Message} from "./live.js" */

/** @type {Source} */
const server = {
  isFile: false,
  hasEngine: true,
  isWhole: true,
  fetch: (path, options) => fetch(path, options),
  follow: (session, onMessage, onChange) => new Live(session, onMessage, onChange),
};

let current = server;

/** Replace the source before the first request. @param {Source} source */
export function readFrom(source) {
  current = source;
}

export const source = () => current;

/** Whether every value is complete; a saved page may omit some. */
export const isWhole = () => current.isWhole;

/** Whether an engine, of a server or of a notebook's kernel, can follow findings further. */
export const hasEngine = () => current.hasEngine;

/** Whether the page is a saved file without a server. */
export const isFile = () => current.isFile;
