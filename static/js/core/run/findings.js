/**
 * The findings of the shown run: loaded when the server reports more, and indexed by step and by op. A finding leads
 * to the step in which the op caused it.
 */
import { computed, effect, signal } from "@preact/signals";
import { LatestAnswer } from "../answers.js";
import { getJson, recordingPath } from "../api.js";
import { areMarksHidden, isHidden, isStepHidden } from "../hidden_values.js";
import { addTo } from "../kept.js";
import { asSentence, say } from "../messages.js";
import * as store from "../store.js";
import { inShownNames } from "./value_names.js";
/** @import {FindingGrade, FindingInfo, FindingMark} from "../types.js" */
/** @import {Program} from "./program.js" */

/** While a run is recorded the count grows many times per second. */
const PAUSE_MS = 300;

/** @type {LatestAnswer<import("../types.js").FindingsInfo>} */
const latest = new LatestAnswer();
/** The recording whose first finding the console has reported. */
let named = "";

/** Keep the findings of the shown run up to date. */
export function keepFindings() {
  effect(() => {
    const key = store.recordingKey.value;
    // The count includes inputs of the run.
    if (key === null || store.findingCount.value === 0) return latest.stop();
    const load = (/** @type {AbortSignal} */ stop) => getJson(`${recordingPath(key)}/findings`, stop);
    latest.ask(`${key} ${store.findingCount.value}`, load, store.findings.peek() === null ? 0 : PAUSE_MS);
  });
  effect(() => {
    const { question, value } = latest.outcome.value;
    const program = store.program.value;
    const key = store.recordingKey.peek();
    if (!value || key === null || !question?.startsWith(`${key} `)) return;
    const shown = program === null ? value : inNamesOfPage(program, value);
    store.findings.value = shown;
    if (program !== null) nameFirst(key, shown);
  });
}

/** The findings with sentences that name values as the page does. @param {Program} program @param {import("../types.js").FindingsInfo} found @returns {import("../types.js").FindingsInfo} */
function inNamesOfPage(program, found) {
  const entry = program.block(store.whereHere(() => store.outline.peek().block(0)) ?? 0).function;
  const inFunctionOf = (/** @type {number} */ op) => {
    const { operands, results } = program.op(op);
    const [value] = [...operands, ...results];
    return value === undefined ? entry : program.block(program.definition(value).block).function;
  };
  const said = (/** @type {FindingInfo} */ { op, sentence }) => {
    const [first = "", ...cause] = sentence.split("; the infinity is given in ");
    return [
      inShownNames(program, first, inFunctionOf(op)),
      ...cause.map((name) => inShownNames(program, name, entry)),
    ].join("; the infinity is given in ");
  };
  const causeName = (/** @type {import("../types.js").FindingCause} */ { op, name }) =>
    inShownNames(program, name, op === null ? entry : inFunctionOf(op));
  return {
    ...found,
    findings: found.findings.map((finding) => ({
      ...finding,
      sentence: said(finding),
      cause: finding.cause && { ...finding.cause, name: causeName(finding.cause) },
    })),
    inputs: found.inputs.map((input) => ({ ...input, sentence: inShownNames(program, input.sentence, entry) })),
  };
}

/** Whether the server continues an analysis that ran out of time. */
export const following = signal(false);

/** Continue the analysis for the same time again. */
export async function followFurther() {
  const key = store.recordingKey.value;
  if (key === null || following.value) return;
  following.value = true;
  try {
    const found = await getJson(`${recordingPath(key)}/findings?further=true`);
    const program = store.program.value;
    if (key === store.recordingKey.value)
      store.findings.value = program === null ? found : inNamesOfPage(program, found);
  } finally {
    following.value = false;
  }
}

const isHarmful = (/** @type {{grade: FindingGrade}} */ { grade }) => grade === "harmful";

/** The harmful non-finite inputs. @returns {readonly import("../types.js").BadInputInfo[]} */
export const harmfulInputs = () => (store.findings.value?.inputs ?? []).filter(isHarmful);

/** Report the first harmful finding in the console once; inputs come before ops. @param {string} key @param {import("../types.js").FindingsInfo} found */
function nameFirst(key, { inputs, findings }) {
  const harmful = inputs.find(isHarmful) ?? findings.find(isHarmful);
  if (!harmful || named === key) return;
  named = key;
  say({ kind: "finding", text: asSentence(harmful.sentence), recording: key });
}

/** The finding without line and op, where those are shown above: `first NaN: line 3, log, 2 of 8 elements`. @param {string} sentence @returns {{what: string, how: string}} */
export function partsOfSentence(sentence) {
  const [, what = "", how = ""] = /^first (.+?): line \d+, [^\s,;]+(?:[,;] )?(.*)$/.exec(sentence) ?? [
    null,
    "",
    sentence,
  ];
  return { what, how };
}

const GRADES = /** @type {const} */ (["harmful", "masked", "neutral"]);

/** The marks of each step, by process and step. */
const marksByStep = computed(() => {
  /** @type {Map<string, FindingMark[]>} */
  const found = new Map();
  for (const mark of store.findings.value?.marks ?? []) addTo(found, `${mark.process} ${mark.step}`, mark);
  return found;
});

/** Whether a finding is about a hidden value. @param {FindingInfo} finding @returns {boolean} */
export const isFindingHidden = ({ first, worst }) => [first, worst].some(isMarkHidden);

/** @param {FindingMark} mark */
function isMarkHidden({ address, process, step }) {
  const key = store.recordingKey.value ?? "";
  return areMarksHidden(key) || isHidden(key, address) || isStepHidden(key, process, step);
}

/** The findings of a step, the worst first, without those of hidden values. @param {number} process @param {number} step @returns {{mark: FindingMark, finding: FindingInfo}[]} */
export function findingsAt(process, step) {
  const all = store.findings.value?.findings ?? [];
  return (marksByStep.value.get(`${process} ${step}`) ?? [])
    .flatMap((mark) => {
      const finding = all[mark.finding];
      return finding && !isMarkHidden(mark) ? [{ mark, finding }] : [];
    })
    .sort((a, b) => GRADES.indexOf(a.finding.grade) - GRADES.indexOf(b.finding.grade));
}

/** @typedef {{step: number, tick: number, grade: FindingGrade}} MarkedStep */

/** Steps with findings that are not neutral, by process, without those of hidden values. */
const markedByProcess = computed(() => {
  const all = store.findings.value?.findings ?? [];
  /** @type {Map<number, MarkedStep[]>} */
  const found = new Map();
  for (const mark of store.findings.value?.marks ?? []) {
    const { process, step, tick } = mark;
    const grade = all[mark.finding]?.grade ?? "neutral";
    if (grade !== "neutral" && !isMarkHidden(mark)) addTo(found, process, { step, tick, grade });
  }
  return found;
});

/** The steps of a process, in order. @param {number} process @returns {readonly MarkedStep[]} */
export const markedSteps = (process) => markedByProcess.value.get(process) ?? [];
