/** XLA as the second engine: the comparison that the server makes, and the file of values that comes of it. */
import { signal } from "@preact/signals";
import { getJson, sendForm, sendJson, sessionPath } from "../../core/api.js";
import { reportError } from "../../core/messages.js";
import * as store from "../../core/store.js";
import { compareWithValues, showTab } from "../../core/view_actions.js";

/** @typedef {import("../../core/types.js").EngineJob} EngineJob */

const POLL_MS = 400;

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

/** @param {EngineJob|null} found @returns {boolean} whether it goes on */
export const isGoing = (found) => found?.state === "waiting" || found?.state === "running";

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
  if (run === undefined || isGoing(job.value)) return;
  showTab("compare");
  refusal.value = null;
  try {
    const body = { against: againstOf(flags.value, chosen.value) };
    job.value = await sendJson(`${sessionPath(store.sessionId.value)}/runs/${run}/engines`, body);
    await follow();
  } catch (error) {
    const { message, hint = "" } = /** @type {import("../../core/api.js").ApiError} */ (error);
    job.value = null;
    refusal.value = { message, hint };
  }
}

async function follow() {
  while (job.value && isGoing(job.value)) {
    await new Promise((done) => setTimeout(done, POLL_MS));
    job.value = await getJson(jobPath(job.value));
  }
  if (job.value?.state === "done" && job.value.file) compareWithValues(job.value.file);
}

/** @param {EngineJob} found */
const jobPath = ({ id }) => `${sessionPath(store.sessionId.value)}/engines/${encodeURIComponent(id)}`;

export async function cancel() {
  if (!job.value) return;
  try {
    await sendJson(jobPath(job.value), undefined, { method: "DELETE" });
  } catch (error) {
    reportError(error);
  }
}

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
