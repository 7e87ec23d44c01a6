/** Messages of the page, kept for the console panel. */
import { ApiError } from "./api.js";
import { consoleLines } from "./store.js";

const KEPT = 200;

/** @param {import("./store.js").ConsoleLine} line */
export function say(line) {
  const lines = consoleLines.value;
  const last = lines.at(-1);
  const again = last?.text === line.text && last.kind === line.kind && last.recording === line.recording;
  consoleLines.value = again
    ? [...lines.slice(0, -1), { ...last, times: (last.times ?? 1) + 1 }]
    : [...lines, line].slice(-KEPT);
}

/** Report an error, in the server's words where it has some. @param {unknown} error */
export function reportError(error) {
  if (error instanceof ApiError)
    return say({ kind: "error", text: [error.message, error.hint].filter(Boolean).join(" ") });
  console.warn(error);
  say({ kind: "error", text: error instanceof Error ? error.message : String(error) });
}
