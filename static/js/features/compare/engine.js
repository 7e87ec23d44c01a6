/** XLA as the second engine: the comparison on the server, and the file of values that it produces. */
import { signal } from "@preact/signals";
import { uploadArrays } from "../../core/tensor/compared.js";
import { reportError } from "../../core/messages.js";
import { cancelJob, isRunning, runJob } from "../../core/run/engine_jobs.js";
import * as store from "../../core/store.js";
import { compareWithValues, showTab } from "../../core/view_actions.js";
/** @import {EngineJob} from "../../core/types.js" */

/** The last requested comparison; null for none. */
export const job = signal(/** @type {EngineJob|null} */ (null));
/** The chosen device. */
export const chosen = signal("xla");
/** Typed flags of XLA. */
export const flags = signal("");
/** The reason why no comparison could start. */
export const refusal = signal(/** @type {{message: string, hint: string}|null} */ (null));

/** The request of a job. @param {string} text flags, as they were typed @param {string} [name] of an engine @returns {string} */
export const againstOf = (text, name = "xla") => (text.trim() ? `${name}:${text.trim()}` : name);

/** Run the program of the shown run with XLA, and compare the values. */
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
export const addValues = (file) => uploadArrays(file).then((kept) => compareWithValues(kept.file), reportError);
