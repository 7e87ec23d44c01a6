/** Messages of the page, kept for the console panel. */
import { ApiError } from "./api.js";
import { consoleLines } from "./store.js";

const KEPT = 200;

/** @param {import("./store.js").ConsoleLine} line */
export function say(line) {
  const lines = consoleLines.value;
  const last = lines.at(-1);
  const again = !line.place && last?.text === line.text && last.kind === line.kind && last.recording === line.recording;
  consoleLines.value = again
    ? [...lines.slice(0, -1), { ...last, times: (last.times ?? 1) + 1 }]
    : [...lines, line].slice(-KEPT);
}

/** The message of an error, with the hint of the server. @param {unknown} error @returns {string} */
export function errorText(error) {
  if (!(error instanceof Error)) return String(error);
  return withHint(error.message, error instanceof ApiError ? error.hint : "");
}

/** Show an error in the console panel. @param {unknown} error */
export function reportError(error) {
  if (!(error instanceof ApiError)) console.warn(error);
  say({ kind: "error", text: errorText(error) });
}

/** A message and its hint as two sentences. @param {string} message @param {string|null|undefined} hint @returns {string} */
export const withHint = (message, hint) => (hint ? `${stopped(message)} ${hint}` : message);

/** With a full stop, which messages of the server may lack. @param {string} clause */
const stopped = (clause) => (/[.!?]$/.test(clause) ? clause : `${clause}.`);

/** A clause of the server as a sentence. @param {string} clause @returns {string} */
export const asSentence = (clause) => clause && stopped(clause.charAt(0).toUpperCase() + clause.slice(1));
