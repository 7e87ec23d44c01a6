/** Runs of which XLA computes values: those before a line, from which the run is recorded, or all. */
import { signal } from "@preact/signals";
import { runProgram } from "../actions.js";
import { asSentence, reportError, say, withHint } from "../messages.js";
import * as store from "../store.js";
import { cancelJob, engines, findEngines, runJob } from "./engine_jobs.js";

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
  await compute(run.number, { against: "xla", start_at: at });
}

/** The devices of XLA besides the CPU, as far as they are known. */
export function otherEngines() {
  void findEngines();
  return (engines.value ?? []).filter(({ name }) => name !== "xla");
}

/** Run the program in the editor with the values that XLA computes. @param {string} engine `xla`, `gpu` or `tpu` */
export async function runOn(engine) {
  if (job.value) return say({ kind: "info", text: "XLA is already preparing a run." });
  if ((store.run.value === null || store.changed.value) && !(await runProgram())) return;
  const run = store.run.value;
  if (run !== null) await compute(run.number, { against: engine, records: true });
}

/** @param {number} run @param {{against: string, start_at?: number, records?: boolean}} request */
async function compute(run, request) {
  try {
    const ended = await runJob(run, request, (progress) => (job.value = progress));
    if (ended.state === "cancelled") return;
    if (ended.state !== "done") {
      say({ kind: "error", text: withHint(ended.message, ended.hint) });
      return;
    }
    if (store.run.value?.number !== run) return; // the page shows another run by now
    if (await runProgram(null, null, ended.id)) say({ kind: "info", text: asSentence(ended.message) });
  } catch (error) {
    reportError(error);
  } finally {
    job.value = null;
  }
}

export const cancel = () => cancelJob(job.value);
