/**
 * The progress in a lesson. It is stored in this browser by the name and version of the lesson, since another version
 * may ask other questions.
 *
 * @typedef {{state: "open"|"right"|"shown", said: string, hints: number}} Answered
 *   shown: the answer was shown; said: the last answer, or the edited program; hints: how many were taken
 * @typedef {{version: string, at: string|null, done: readonly string[], of: number, answers: Readonly<Record<string, Answered>>}} Progress
 *   at: the current step; done: ids of steps; of: the number of steps
 */
import { recallJson, remember } from "../../core/preferences.js";

const KEPT = "lesson.";
/** Maximum length of a stored program. */
const LONGEST = 20_000;

/** @param {string} version @param {number} of @returns {Progress} */
export const newProgress = (version, of) => ({ version, at: null, done: [], of, answers: {} });

/** @type {Answered} */
export const UNANSWERED = { state: "open", said: "", hints: 0 };

/** The stored progress; null for none, or for another version. @param {string} name @param {string} [version] @returns {Progress|null} */
export function keptProgress(name, version) {
  const kept = recallJson(KEPT + name);
  if (typeof kept?.version !== "string" || (version !== undefined && kept.version !== version)) return null;
  const strings = (/** @type {unknown} */ list) =>
    Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
  return {
    version: kept.version,
    at: typeof kept.at === "string" ? kept.at : null,
    done: strings(kept.done),
    of: Number.isSafeInteger(kept.of) ? kept.of : 0,
    answers: Object.fromEntries(Object.entries(kept.answers ?? {}).map(([id, answer]) => [id, answered(answer)])),
  };
}

/** @param {any} kept @returns {Answered} */
function answered(kept) {
  const { state, said, hints } = kept ?? {};
  return {
    state: ["right", "shown"].includes(state) ? state : "open",
    said: typeof said === "string" ? said : "",
    hints: Number.isSafeInteger(hints) ? hints : 0,
  };
}

/** @param {string} name @param {Progress|null} progress null: begin anew */
export function keepProgress(name, progress) {
  globalThis.dispatchEvent?.(new CustomEvent("hloscope-lesson", { detail: progress })); // for static/js/scorm.js
  remember(KEPT + name, progress && JSON.stringify(progress, (_, value) => (isTooLong(value) ? "" : value)));
}

/** @param {unknown} value */
const isTooLong = (value) => typeof value === "string" && value.length > LONGEST;
