/** The console: diagnostics of the program, messages, and a prompt for expressions and commands. */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { goToIn } from "../../core/actions.js";
import { areMarksHidden, isAnythingHidden } from "../../core/hidden_values.js";
import { onFrame } from "../../core/idle.js";
import { asSentence, reportError } from "../../core/messages.js";
import { isFile } from "../../core/source.js";
import { MOST_PRINTS } from "../../core/run/prints.js";
import * as store from "../../core/store.js";
import { chooseInputs } from "../../core/view_actions.js";
import { goToFirst } from "../findings/go.js";
import { goToDeadlock } from "../grid/deadlock.js";
import { replaceText, revealLine } from "../../core/cursor.js";
import { FillQueueLine } from "../queues/panel.js";
import { addPanel } from "../layout/panels.js";
import { Evaluated, Prompt } from "./prompt.js";

addPanel({
  id: "console",
  title: "Console",
  dock: "console",
  order: 1,
  help: "console",
  Panel: ConsolePanel,
  canClose: true,
  height: () => 168,
  focus: (host) =>
    /** @type {HTMLElement|null} */ (
      host.querySelector('[role="combobox"]') ?? host.querySelector('[role="log"]')
    )?.focus(),
});

export const MARKS = {
  ...{ error: "✕", warning: "!", note: "·", info: "·", stop: "■", program: "›", finding: "✖" },
  expression: "›",
  log: "◆",
};
/** Lines that may tell a value that a lesson asks about. */
const TELLING = ["finding", "expression", "log"];

export function ConsolePanel() {
  const list = useRef(/** @type {HTMLDivElement|null} */ (null));
  const isMarked = areMarksHidden(store.recordingKey.value ?? "");
  const lines = store.consoleLines.value.filter(
    ({ kind }) => !TELLING.includes(kind) || !(isAnythingHidden() || (kind === "finding" && isMarked)),
  );
  // The panel has its size only in the frame that shows it.
  const toTheEnd = () => list.current?.scrollTo(0, list.current.scrollHeight);
  useEffect(() => onFrame(toTheEnd), [store.consoleLines.value, store.prints.value]);
  const problems = store.diagnostics.value;
  return html`<div class="console" ref=${list} tabindex="0" role="log" aria-label="Console">
    <${Printed} />
    <ul>
      ${lines.map((line) => html`<${Line} line=${line} />`)}
      <${Unbound} /><${Deadlock} /><${FillQueueLine} />
      ${problems.map((problem) => html`<${Problem} problem=${problem} />`)}
    </ul>
    ${lines.length + problems.length + store.prints.value.length === 0 && html`<p class="empty">Stops, messages and program errors appear here.</p>`}
  </div>${isFile() || html`<${Prompt} />`}`;
}

/** @param {{line: import("../../core/store.js").ConsoleLine}} props */
function Line({ line }) {
  const { kind, times } = line;
  if (kind === "expression") return html`<${Evaluated} line=${line} />`;
  return html`<li class=${kind}><span class="kind" aria-hidden="true">${MARKS[kind]}</span><${Message} line=${line} />${times && html`<span class="badge">${times} times</span>`}</li>`;
}

/** A message; that of a step has a button that goes there. @param {{line: import("../../core/store.js").ConsoleLine}} props */
function Message({ line: { kind, text, place, recording } }) {
  if (kind === "finding")
    return html`<button disabled=${recording !== store.recordingKey.value} title="Go there" onClick=${() => goToFirst().catch(reportError)}>${text}</button>`;
  if (!place) return html`<span>${text}</span>`;
  const { process, step } = place;
  const isHere = recording === store.recordingKey.value;
  return html`<button disabled=${!isHere} onClick=${() => goToIn(process, step)}>${store.grid.value && html`${store.grid.value.nameOf(process)} `}step ${countText(step)}</button> <span class="print">${text}</span>`;
}

/** Printed texts, each with a button that goes to its step. */
function Printed() {
  const prints = store.prints.value;
  const total = store.printCount.value;
  const grid = store.grid.value;
  if (prints.length === 0) return null;
  if (isAnythingHidden())
    return html`<p class="empty">The output is hidden because the lesson asks about a value. Answer the question or show the answer to see it.</p>`;
  return html`<ul aria-label="Printed by the program">${prints.map(
    ({ process, step, text }) => html`<li class="program"><span class="kind" aria-hidden="true">${MARKS.program}</span>
      <button onClick=${() => goToIn(process, step)}>${grid && html`${grid.nameOf(process)} `}step ${countText(step)}</button> <span class="print">${text}</span></li>`,
  )}
    ${
      prints.length >= MOST_PRINTS &&
      total > prints.length &&
      html`<li class="note"><span class="kind" aria-hidden="true">${MARKS.note}</span>
      <span>The program has printed ${countText(total)} times; the first ${countText(prints.length)} are here.</span></li>`
    }</ul>`;
}

/** For a run that waits for results of code outside the program: a button that opens their inputs. */
function Unbound() {
  const { kind, diagnostic } = store.recordingState.value;
  if (kind !== "failed" || diagnostic?.kind !== "unbound") return null;
  const row = store.run.value?.arguments.find(({ outside }) => outside?.line === diagnostic.line) ?? null;
  const skips = row !== null && row.type === "";
  return html`<li class="info"><span class="kind" aria-hidden="true">${MARKS.info}</span>
    <span class="hint">${asSentence(diagnostic.hint ?? "")}</span> <button class="plain bind" onClick=${() => chooseInputs(row)}>${skips ? "Skip it…" : "Bind values…"}</button></li>`;
}

/** For a deadlock: a button that shows its picture. */
function Deadlock() {
  store.gridVersion.value;
  const report = store.grid.value?.info.deadlock;
  if (!report) return null;
  const hint = store.recordingState.value.diagnostic?.hint ?? "";
  return html`<li class="info"><span class="kind" aria-hidden="true">${MARKS.info}</span>
    <span class="hint">${asSentence(hint)}</span> <button class="plain bind" onClick=${goToDeadlock}>Show what each process waits for</button></li>`;
}

/** @param {{problem: import("../../core/types.js").Diagnostic}} props */
function Problem({ problem }) {
  const { severity, op, label, message, hint, line, column, from, to } = problem;
  const rule = [op, label].filter(Boolean).join(" ");
  const name = suggestedName(problem);
  return html`<li class=${severity}><span class="kind" aria-hidden="true">${MARKS[severity]}</span>
    <span><button onClick=${() => revealLine(line, { from, to })}>${rule && html`<code>${rule}</code> `}${message}
      <span class="place"> line ${line}:${column}</span></button>
      ${hint && html` <span class="hint">${hint}</span>`}
      ${name && html` <button class="plain bind" onClick=${() => replaceText({ from, to }, name)}>Replace with <code>${name}</code></button>`}</span></li>`;
}

/** The name that an error suggests in place of the one that it marks. @param {import("../../core/types.js").Diagnostic} problem @returns {string|null} */
function suggestedName({ hint, from, to }) {
  const name = /^did you mean '([^' ]+)'\?$/.exec(hint ?? "")?.[1] ?? null;
  return /^[\w.$%@#-]+$/.test(store.draft.value.slice(from, to)) ? name : null;
}
