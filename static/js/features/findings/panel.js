/** Findings of the run, grouped by op; each links to its step. */
import { countText } from "../../core/tensor/elements.js";
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { keysOf } from "../../core/keys.js";
import { asSentence, reportError } from "../../core/messages.js";
import { hasEngine } from "../../core/source.js";
import { isRecordingRest, isShort } from "../../core/run/rest.js";
import { followFurther, following, harmfulInputs, isFindingHidden, partsOfSentence } from "../../core/run/findings.js";
import { shortName } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { Icon } from "../../ui/icons.js";
import { command } from "../../core/commands.js";
import { uncover } from "../layout/drawer.js";
import { RecordRest } from "../../ui/record_rest.js";
import { goToMark, goToValue, nextOrigin, previousOrigin } from "./go.js";
import { COUNTED, countGrades, GRADE_WORDS, GRADES, groupsOf, inputsOf } from "./model.js";
import { addPanel } from "../layout/panels.js";
/** @import {FindingGrade} from "../../core/types.js" */

addPanel({
  id: "findings",
  title: "Findings",
  dock: "inspector",
  order: 3,
  help: "findings",
  Panel: FindingsPanel,
  Badge: FindingsBadge,
});

const shownGrades = signal(/** @type {ReadonlySet<FindingGrade>} */ (new Set(["harmful"])));
const words = signal("");
const ASSUMED = "not fully followed";

export function FindingsPanel() {
  const { findings: all, inputs } = store.findings.value ?? { findings: [], inputs: [] };
  const findings = all.filter((finding) => !isFindingHidden(finding));
  if (findings.length < all.length && findings.length + inputs.length === 0)
    return html`<p class="empty findings-empty">Findings are hidden because the lesson asks about one. Answer the question or show the answer to see them.</p>`;
  const count = findings.length + inputs.length;
  if (count === 0) return html`<p class="empty findings-empty">${nothingFound()} <${RecordRest} /></p><${Rest} />`;
  const filter = { grades: shownGrades.value, words: words.value };
  const [groups, given] = [groupsOf(findings, filter), inputsOf(inputs, filter)];
  return html`<div class="findings">
    <div class="findings-head">
      <input type="search" aria-label="Filter findings" placeholder="Filter" title="Filter by words: NaN, exponential, line 15" value=${words.value}
        onInput=${(/** @type {Event} */ event) => (words.value = /** @type {HTMLInputElement} */ (event.currentTarget).value)} />
      <${Grades} counts=${countGrades([...findings, ...inputs])} />
      <${Origins} /></div>
    <${Rest} /><${SoFar} />
    ${groups.length + given.length === 0 && html`<p class="empty">${hiddenWords(count)} ${!words.value.trim() && html`<button class="plain" onClick=${showAll}>Show ${count === 1 ? "it" : "them"}</button>`}</p>`}
    ${given.length > 0 && html`<${Given} inputs=${given} />`}
    <ul class="finding-groups">${groups.map((group) => html`<${Group} key=${group.op} group=${group} />`)}</ul>
  </div>`;
}

/** A note that the rest of the run is not recorded. */
function SoFar() {
  if (!isShort.value && !isRecordingRest.value) return null;
  return html`<p class="findings-rest">${countText(store.steps.value)} steps are recorded so far. <${RecordRest} /></p>`;
}

/** Notes about checks that exceeded their time limit, and about those that need the values of other hosts. */
function Rest() {
  const { rest = "", elsewhere = "" } = store.findings.value ?? {};
  const go = () => followFurther().catch(reportError);
  return html`${rest && html`<p class="findings-rest" role="status">${asSentence(rest)} ${hasEngine() && html`<button class="plain" disabled=${following.value} onClick=${go}>${following.value ? "Following…" : "Go on"}</button>`}</p>`}
    ${elsewhere && html`<p class="findings-rest" role="status">${asSentence(elsewhere)}</p>`}`;
}

/** The badge of the tab: the number of harmful findings. */
export function FindingsBadge() {
  const count = countGrades([
    ...(store.findings.value?.findings ?? []).filter((finding) => !isFindingHidden(finding)),
    ...harmfulInputs(),
  ]).harmful;
  if (count === 0) return null;
  return html` <span class="badge alarm" title=${`${countText(count)} harmful: ${COUNTED}`}>${countText(count)}</span>`;
}

function nothingFound() {
  if (store.run.value === null) return "Run the program to see its findings.";
  if (store.findings.value === null && store.findingCount.value > 0) return "Loading the findings…";
  const { kind } = store.recordingState.value;
  const sofar = kind === "done" || kind === "failed" ? "" : " so far";
  return `No findings${sofar}: no op produced a NaN or an infinity, and no index was out of bounds.`;
}

/** @param {number} count @returns {string} */
const hiddenWords = (count) =>
  words.value.trim()
    ? "No matches."
    : count === 1
      ? "The only finding is harmless."
      : `All ${countText(count)} findings are harmless.`;

function showAll() {
  shownGrades.value = new Set(GRADES);
}

/** The filter by grade. @param {{counts: Record<FindingGrade, number>}} props */
function Grades({ counts }) {
  const toggle = (/** @type {FindingGrade} */ grade) => {
    const set = new Set(shownGrades.value);
    if (!set.delete(grade)) set.add(grade);
    shownGrades.value = set;
  };
  return html`<div class="grades" role="group" aria-label="Grades">${GRADES.filter((grade) => counts[grade] > 0).map(
    (
      grade,
    ) => html`<button class=${`chip grade-${grade}`} aria-pressed=${shownGrades.value.has(grade)} title=${`${GRADE_WORDS[grade]}; ${COUNTED}`} onClick=${() => toggle(grade)}>
      <span class="mark" aria-hidden="true"></span>${countText(counts[grade])} ${grade}</button>`,
  )}</div>`;
}

/** Buttons that go from one origin of a NaN to the next. */
function Origins() {
  const title = (/** @type {string} */ id) => `${command(id).title} (${keysOf(command(id))[0] ?? "no key"})`;
  return html`<div class="origins" role="group" aria-label="Origins of NaN and infinity">
    <button class="plain" onClick=${previousOrigin} title=${title("previousOrigin")} aria-label="Previous origin"><${Icon} name="previous" />origin</button>
    <button class="plain" onClick=${nextOrigin} title=${title("nextOrigin")} aria-label="Next origin">origin<${Icon} name="next" /></button></div>`;
}

/** Close a drawer, which would cover the target. @param {() => Promise<void>} go @returns {(event: Event) => void} */
const going = (go) => (event) => {
  uncover("findings", event.currentTarget);
  go().catch(reportError);
};

/** Non-finite inputs, before the findings. @param {{inputs: readonly import("../../core/types.js").BadInputInfo[]}} props */
function Given({ inputs }) {
  return html`<ul class="finding-groups" aria-label="Inputs"><li><h4>Given to the run</h4>
    <ul>${inputs.map(({ address, kind, grade, index, sentence, followed }) => {
      const go = going(() => goToValue(address, index));
      return html`<li key=${`${address} ${kind}`} class=${`finding-row given grade-${grade}`}><button class="go" onClick=${go} title=${GRADE_WORDS[grade]}>
        <span class="mark" aria-hidden="true"></span><span class="kind">input</span> <span class="sentence">${sentence}.</span></button>
        ${!followed && html`<div class="more"><span class="quiet">${ASSUMED}</span></div>`}</li>`;
    })}</ul></li></ul>`;
}

/** @param {{group: import("./model.js").Group}} props */
function Group({ group }) {
  const op = store.program.value?.ops[group.op];
  if (!op) return null;
  return html`<li><h4><code>${shortName(op)}</code> <span class="quiet">line ${store.draftLine(op.line)}</span></h4>
    <ul>${group.findings.map((finding) => html`<${Finding} key=${finding.kind} finding=${finding} />`)}</ul></li>`;
}

/** @param {{finding: import("../../core/types.js").FindingInfo}} props */
function Finding({ finding }) {
  const { title, grade, count, first, worst, sentence, cause, followed } = finding;
  const { what, how } = partsOfSentence(sentence);
  const go = (/** @type {typeof first} */ mark) => going(() => goToMark(mark));
  const isHere = first.process === store.process.value && first.step === store.position.value;
  return html`<li class=${`finding-row grade-${grade}`} aria-current=${isHere ? "step" : undefined}>
    <button class="go" onClick=${go(first)} title=${GRADE_WORDS[grade]}>
      <span class="mark" aria-hidden="true"></span><span class="kind">${what || title}</span>${how && html` <span class="sentence">${whole(asSentence(how))}</span>`}</button>
    <div class="more">
      ${!followed && html`<span class="quiet">${ASSUMED}</span>`}
      ${count > 1 && html`<span class="quiet">the first of ${countText(count)} steps</span>`}
      ${count > 1 && worst.step !== first.step && html`<button class="link" onClick=${go(worst)}>worst: step ${countText(worst.step)}</button>`}
      ${cause && html`<${Cause} cause=${cause} />`}</div></li>`;
}

/** A sentence in which `-Inf` does not break after its minus. @param {string} sentence */
const whole = (sentence) =>
  sentence.split("-Inf").map((part, at) => (at === 0 ? part : html`<span class="unbroken">-Inf</span>${part}`));

/** Goes to the value that made others non-finite, which the sentence names with its line. @param {{cause: import("../../core/types.js").FindingCause}} props */
function Cause({ cause: { address, name, index } }) {
  return html`<button class="link" onClick=${going(() => goToValue(address, index))}>Go to <code>${name}</code></button>`;
}
