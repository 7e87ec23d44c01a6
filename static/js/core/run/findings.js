/**
 * What went wrong in the run that is shown: fetched when the server says that there is more, and looked up by step
 * and by op. Who goes to a finding goes to the step in which the op did it.
 *
 * @typedef {import("../types.js").FindingInfo} FindingInfo
 * @typedef {import("../types.js").FindingMark} FindingMark
 * @typedef {import("../types.js").FindingGrade} FindingGrade
 */
import { computed, effect } from "@preact/signals";
import { LatestAnswer } from "../answers.js";
import { getJson, recordingPath } from "../api.js";
import { say } from "../messages.js";
import * as store from "../store.js";

/** While a run is recorded the count grows many times a second. */
const PAUSE_MS = 300;

/** @type {LatestAnswer<import("../types.js").FindingsInfo>} */
const latest = new LatestAnswer();
/** The recording whose first finding the console has named. */
let named = "";

/** Keep the findings of the run that is shown up to date. */
export function keepFindings() {
  effect(() => {
    const key = store.recordingKey.value;
    if (key === null || store.findingCount.value === 0) return latest.stop();
    const load = (/** @type {AbortSignal} */ stop) => getJson(`${recordingPath(key)}/findings`, stop);
    latest.ask(`${key} ${store.findingCount.value}`, load, store.findings.peek() === null ? 0 : PAUSE_MS);
  });
  effect(() => {
    const { question, value } = latest.outcome.value;
    const key = store.recordingKey.peek();
    if (!value || key === null || !question?.startsWith(`${key} `)) return;
    store.findings.value = value;
    nameFirst(key, value.findings);
  });
}

/** The console says once what does harm first. @param {string} key @param {readonly FindingInfo[]} found */
function nameFirst(key, found) {
  const harmful = found.find(({ grade }) => grade === "harmful");
  if (!harmful || named === key) return;
  named = key;
  say({ kind: "finding", text: capital(harmful.sentence) });
}

/** @param {string} sentence */
export const capital = (sentence) => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`.replace(/\.\.$/, ".");

const GRADES = /** @type {const} */ (["harmful", "masked", "neutral"]);

/** @template K, V @param {Map<K, V[]>} map @param {K} key @param {V} value */
function add(map, key, value) {
  const others = map.get(key);
  if (others) others.push(value);
  else map.set(key, [value]);
}

/** The marks of each step, by process and step. */
const marksByStep = computed(() => {
  /** @type {Map<string, FindingMark[]>} */
  const found = new Map();
  for (const mark of store.findings.value?.marks ?? []) {
    add(found, `${mark.process} ${mark.step}`, mark);
  }
  return found;
});

/** What went wrong in a step, the worst first. @param {number} process @param {number} step @returns {{mark: FindingMark, finding: FindingInfo}[]} */
export function findingsAt(process, step) {
  const all = store.findings.value?.findings ?? [];
  return (marksByStep.value.get(`${process} ${step}`) ?? [])
    .flatMap((mark) => {
      const finding = all[mark.finding];
      return finding ? [{ mark, finding }] : [];
    })
    .sort((a, b) => GRADES.indexOf(a.finding.grade) - GRADES.indexOf(b.finding.grade));
}

/** How bad a step is: the worst of what went wrong in it; null if nothing did. @param {number} process @param {number} step @returns {FindingGrade|null} */
export const gradeAt = (process, step) => findingsAt(process, step)[0]?.finding.grade ?? null;

/** @typedef {{step: number, tick: number, grade: FindingGrade}} MarkedStep */

/** Steps in which something went wrong that does not seem to be meant, by process. */
const markedByProcess = computed(() => {
  const all = store.findings.value?.findings ?? [];
  /** @type {Map<number, MarkedStep[]>} */
  const found = new Map();
  for (const { process, step, tick, finding } of store.findings.value?.marks ?? []) {
    const grade = all[finding]?.grade ?? "neutral";
    if (grade !== "neutral") add(found, process, { step, tick, grade });
  }
  return found;
});

/** Those of a process, in order. @param {number} process @returns {readonly MarkedStep[]} */
export const markedSteps = (process) => markedByProcess.value.get(process) ?? [];

const WORDS = /** @type {const} */ ({
  nan: "NaN",
  inf: "infinite",
  denormal: "denormal",
  wrap: "wrapped around",
  clamped_start: "clamped",
  dropped_update: "dropped",
  out_of_bounds: "out of bounds",
  swallowed_nan: "a NaN that was swallowed",
  collision: "overwritten by another update",
  divergence: "different between processes",
});

/** What happened in a step: `12 of 80 elements became +Inf`. @param {FindingMark} mark @param {FindingInfo} finding @returns {string} */
export function markWords({ elements, size, value }, { kind }) {
  const what = kind === "nan" || kind === "inf" ? `became ${value || WORDS[kind]}` : WORDS[kind];
  if (size <= 1) return kind === "nan" || kind === "inf" ? what : `is ${what}`;
  const verb = kind === "nan" || kind === "inf" ? "" : elements === 1 ? "is " : "are ";
  return `${elements.toLocaleString("en")} of ${size.toLocaleString("en")} elements ${verb}${what}`;
}
