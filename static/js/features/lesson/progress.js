/**
 * How far one has come in a lesson. It stays in this browser: by the lesson's name, and for one version of it, since an answer
 * to another text may be an answer to another question.
 *
 * @typedef {{state: "open"|"right"|"shown", said: string, hints: number}} Answered
 *   shown: one has looked at the answer; said: what one has answered last, or the program one has written; hints: how many were taken
 * @typedef {{version: string, at: string|null, done: readonly string[], of: number, answers: Readonly<Record<string, Answered>>}} Progress
 *   at: the step one is at; done: ids of steps; of: how many steps there are
 */
import { recall, remember } from "../../core/preferences.js";

const KEPT = "lesson.";
/** A program that one writes is no larger. */
const LONGEST = 20_000;

/** @param {string} version @param {number} of @returns {Progress} */
export const newProgress = (version, of) => ({ version, at: null, done: [], of, answers: {} });

/** @type {Answered} */
export const UNANSWERED = { state: "open", said: "", hints: 0 };

/** What is kept of a lesson; null where nothing is, or not of this version. @param {string} name @param {string} [version] @returns {Progress|null} */
export function keptProgress(name, version) {
  const kept = parsed(recall(KEPT + name));
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

/** @param {string|null} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} name @param {Progress|null} progress null: begin anew */
export function keepProgress(name, progress) {
  remember(KEPT + name, progress && JSON.stringify(progress, (_, value) => (isTooLong(value) ? "" : value)));
}

/** @param {unknown} value */
const isTooLong = (value) => typeof value === "string" && value.length > LONGEST;

/** The progress in words: "3 of 8 steps". @param {Pick<Progress, "done"|"of">} progress @returns {string} */
export const progressWords = ({ done, of }) => `${done.length} of ${of} ${of === 1 ? "step" : "steps"} done`;
