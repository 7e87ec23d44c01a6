/** XLA as the second engine: the comparison that the server makes, and the file of values that comes of it. */
import { signal } from "@preact/signals";
import { getJson, sendForm, sessionPath } from "../../core/api.js";
import { reportError } from "../../core/messages.js";
import { cancelJob, isRunning, runJob } from "../../core/run/engine_jobs.js";
import * as store from "../../core/store.js";
import { compareWithValues, showTab } from "../../core/view_actions.js";
/** @import {EngineJob} from "../../core/types.js" */

/** The comparison that was asked for last; null: none was. */
export const job = signal(/** @type {EngineJob|null} */ (null));
/** The devices that XLA can use where the server runs; null: nobody has asked. */
export const engines = signal(/** @type {import("../../core/types.js").EngineInfo[]|null} */ (null));
/** The one that is chosen. */
export const chosen = signal("xla");
/** Flags of XLA, as somebody has typed them. */
export const flags = signal("");
/** Why no comparison could begin. */
export const refusal = signal(/** @type {{message: string, hint: string}|null} */ (null));

/** What a job is asked for. @param {string} text flags, as they were typed @param {string} [name] of an engine @returns {string} */
export const againstOf = (text, name = "xla") => (text.trim() ? `${name}:${text.trim()}` : name);

/** Ask once which devices there are; a server that has no second engine says so when a comparison is asked for. */
export async function findEngines() {
  if (engines.value) return;
  engines.value = [];
  engines.value = await getJson("/api/engines").then(
    (found) => found.engines,
    () => [],
  );
}

/** Have XLA run the program of the shown run, and put its values beside ours. */
export async function compareWithXla() {
  const run = store.run.value?.number;
  if (run === undefined || isRunning(job.value)) return;
  showTab("compare");
  refusal.value = null;
  try {
    const request = { against: againstOf(flags.value, chosen.value) };
    job.value = await runJob(run, request, (progress) => (job.value = progress));
    if (job.value.state === "done" && job.value.file) compareWithValues(job.value.file);
  } catch (error) {
    const { message, hint = "" } = /** @type {import("../../core/api.js").ApiError} */ (error);
    job.value = null;
    refusal.value = { message, hint };
  }
}

export const cancel = () => cancelJob(job.value);

/** Compare the shown run with values from a file. @param {File} file */
export async function addValues(file) {
  const form = new FormData();
  form.append("file", file);
  try {
    const kept = await sendForm(`${sessionPath(store.sessionId.value)}/files`, form);
    compareWithValues(kept.file);
  } catch (error) {
    reportError(error);
  }
}
