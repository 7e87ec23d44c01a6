/** A run that begins at a line: XLA computes what comes before, and the recording begins there. */
import { signal } from "@preact/signals";
import { runProgram } from "../../core/actions.js";
import { getJson, sendJson, sessionPath } from "../../core/api.js";
import { reportError, say } from "../../core/messages.js";
import * as store from "../../core/store.js";

/** @typedef {import("../../core/types.js").EngineJob} EngineJob */

const POLL_MS = 400;

/** What computes; null: nothing does. */
export const job = signal(/** @type {EngineJob|null} */ (null));

/** Run to a line of the editor, XLA as far as it. @param {number} line */
export async function runToLineWithXla(line) {
  const run = store.run.value;
  const at = store.lineMap.value.toRun(line);
  if (run === null || at === null || store.changed.value) {
    return say({ kind: "info", text: "Run the program as it is now first: XLA computes what a run begins with." });
  }
  if (job.value) return say({ kind: "info", text: "XLA is at work for a run already." });
  try {
    await compute(run.number, at);
  } catch (error) {
    reportError(error);
  } finally {
    job.value = null;
  }
}

/** @param {number} run @param {number} line of its text */
async function compute(run, line) {
  let found = await sendJson(`${sessionPath(store.sessionId.value)}/runs/${run}/engines`, {
    against: "xla",
    start_at: line,
  });
  while (found.state === "waiting" || found.state === "running") {
    job.value = found;
    await new Promise((done) => setTimeout(done, POLL_MS));
    found = await getJson(jobPath(found));
  }
  if (found.state === "cancelled") return;
  if (found.state !== "done") {
    say({ kind: "error", text: [found.message, found.hint].filter(Boolean).join(" ") });
    return;
  }
  if (store.run.value?.number !== run) return; // the page shows another one by now
  if (await runProgram(null, null, found.id)) say({ kind: "info", text: `${capital(found.message)}.` });
}

export async function cancel() {
  if (!job.value) return;
  try {
    await sendJson(jobPath(job.value), undefined, { method: "DELETE" });
  } catch (error) {
    reportError(error);
  }
}

/** @param {EngineJob} found */
const jobPath = ({ id }) => `${sessionPath(store.sessionId.value)}/engines/${encodeURIComponent(id)}`;

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
