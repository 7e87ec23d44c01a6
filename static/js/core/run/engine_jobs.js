/** Jobs of a second engine on the server, such as XLA: start one, follow it to its end, cancel it. */
import { signal } from "@preact/signals";
import { getJson, sendJson, sessionPath } from "../api.js";
import { reportError } from "../messages.js";
import * as store from "../store.js";
/** @import {EngineJob} from "../types.js" */

const POLL_MS = 400;

/** The devices of XLA on the server; null before the first request. */
export const engines = signal(/** @type {import("../types.js").EngineInfo[]|null} */ (null));

/** Load the devices once; a server without a second engine reports it when a job is requested. */
export async function findEngines() {
  if (engines.value) return;
  engines.value = [];
  engines.value = await getJson("/api/engines").then(
    (found) => found.engines,
    () => [],
  );
}

/** @param {EngineJob|null} job @returns {boolean} */
export const isRunning = (job) => job?.state === "waiting" || job?.state === "running";

/**
 * Start a job for a run and poll it until it ends.
 *
 * @param {number} run @param {{against: string, start_at?: number, records?: boolean}} request @param {(job: EngineJob) => void} onProgress called with each state before the last
 * @returns {Promise<EngineJob>} its last state
 */
export async function runJob(run, request, onProgress) {
  /** @type {EngineJob} */
  let job = await sendJson(`${sessionPath(store.sessionId.value)}/runs/${run}/engines`, request);
  while (isRunning(job)) {
    onProgress(job);
    await new Promise((done) => setTimeout(done, POLL_MS));
    job = await getJson(jobPath(job));
  }
  return job;
}

/** @param {EngineJob|null} job nothing happens if there is none */
export async function cancelJob(job) {
  if (!job) return;
  try {
    await sendJson(jobPath(job), undefined, { method: "DELETE" });
  } catch (error) {
    reportError(error);
  }
}

/** @param {EngineJob} job */
const jobPath = ({ id }) => `${sessionPath(store.sessionId.value)}/engines/${encodeURIComponent(id)}`;
