/** Texts of large programs: the page requests each once, in windows, and shows it from the first one on. */
import { getBytes, getJson, sessionPath } from "./api.js";
import { inOrder } from "./several.js";
/** @import {LongText, RunInfo} from "./types.js" */

/** The text loaded last, by its hash: a session and its run share it. @type {{hash: string, text: Promise<string>}|null} */
let latest = null;

/** @param {string} session @param {LongText} long @param {(start: string) => void} [onStart] called with the lines of the first window @returns {Promise<string>} */
export function longText(session, long, onStart = () => {}) {
  if (latest?.hash !== long.hash) {
    const text = load(session, long, onStart);
    const mine = (latest = { hash: long.hash, text });
    text.catch(() => latest === mine && (latest = null));
  }
  return latest.text;
}

/** A run of a session with its text. @param {string} session @param {number} number @returns {Promise<RunInfo>} */
export async function fetchRun(session, number) {
  const run = await getJson(`${sessionPath(session)}/runs/${number}?apart=true`);
  return run.long_text ? { ...run, text: await longText(session, run.long_text) } : run;
}

/** @param {string} session @param {LongText} long @param {(start: string) => void} onStart @returns {Promise<string>} */
async function load(session, { hash, windows }, onStart) {
  const path = (/** @type {number} */ chunk) => `${sessionPath(session)}/texts/${hash}?chunk=${chunk}`;
  const first = await fetchPart(path(0));
  onStart(first.slice(0, first.lastIndexOf("\n") + 1));
  return (await inOrder(windows, (chunk) => (chunk === 0 ? first : fetchPart(path(chunk))))).join("");
}

/** A byte order mark belongs to the text. @param {string} path */
const fetchPart = async (path) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(await getBytes(path));
