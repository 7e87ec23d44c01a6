/** A run that is recorded from a line on: XLA computes the values before that line. */
import { signal } from "@preact/signals";
import { runProgram } from "../actions.js";
import { reportError, say } from "../messages.js";
import * as store from "../store.js";
import { cancelJob, runJob } from "./engine_jobs.js";

/** The job of XLA while it runs, else null. */
export const job = signal(/** @type {import("../types.js").EngineJob|null} */ (null));

/** Run to a line of the editor, with XLA up to that line. @param {number} line */
export async function runToLineWithXla(line) {
  const run = store.run.value;
  const at = store.lineMap.value.toRun(line);
  if (run === null || at === null || store.changed.value) {
    return say({ kind: "info", text: "Run the program as it is now first: XLA starts from the values of a run." });
  }
  if (job.value) return say({ kind: "info", text: "XLA is already preparing a run." });
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
  const ended = await runJob(run, { against: "xla", start_at: line }, (progress) => (job.value = progress));
  if (ended.state === "cancelled") return;
  if (ended.state !== "done") {
    say({ kind: "error", text: [ended.message, ended.hint].filter(Boolean).join(" ") });
    return;
  }
  if (store.run.value?.number !== run) return; // the page shows another run by now
  if (await runProgram(null, null, ended.id)) say({ kind: "info", text: `${capitalised(ended.message)}.` });
}

export const cancel = () => cancelJob(job.value);

/** @param {string} text */
const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);
