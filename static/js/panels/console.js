/** The console: what is wrong with the program, and what happened: why it stopped, what the server said. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { chooseInputs, goToIn } from "../actions.js";
import { revealLine } from "../editor/cursor.js";
import * as store from "../store.js";
import { MOST_PRINTS } from "../run/prints.js";
import { Ask } from "../ui/ask.js";
import { goThere } from "./grid/story.js";
import { FillQueueLine } from "./grid_queues.js";

const MARKS = { error: "✕", warning: "!", note: "·", info: "·", stop: "■", program: "›" };

export function ConsolePanel() {
  const list = useRef(/** @type {HTMLDivElement|null} */ (null));
  const lines = store.consoleLines.value;
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [lines, store.prints.value]);
  const problems = store.diagnostics.value;
  return html`<div class="console" ref=${list} tabindex="0" role="log" aria-label="Console"><${Ask} about="console" title="Console" />
    <${Printed} />
    <ul>
      ${lines.map(({ kind, text, times }) => html`<li class=${kind}><span class="kind" aria-hidden="true">${MARKS[kind]}</span><span>${text}</span>${times && html`<span class="badge">${times} times</span>`}</li>`)}
      <${Unbound} /><${Standstill} /><${FillQueueLine} />
      ${problems.map((problem) => html`<${Problem} problem=${problem} />`)}
    </ul>
    ${lines.length + problems.length + store.prints.value.length === 0 && html`<p class="empty">Reasons of stops, messages and problems of the program are listed here.</p>`}
  </div>`;
}

/** What the program prints, each with the step, which is a way there. */
function Printed() {
  const prints = store.prints.value;
  const total = store.printCount.value;
  const grid = store.grid.value;
  if (prints.length === 0) return null;
  return html`<ul aria-label="Printed by the program">${prints.map(({ process, step, text }) => html`<li class="program"><span class="kind" aria-hidden="true">${MARKS.program}</span>
      <button onClick=${() => goToIn(process, step)}>${grid && html`${grid.nameOf(process)} `}step ${step.toLocaleString("en")}</button> <span class="print">${text}</span></li>`)}
    ${prints.length >= MOST_PRINTS && total > prints.length && html`<li class="note"><span class="kind" aria-hidden="true">${MARKS.note}</span>
      <span>The program has printed ${total.toLocaleString("en")} times; the first ${prints.length.toLocaleString("en")} are here.</span></li>`}</ul>`;
}

/** A run that stopped at what code outside of the program makes: where its values are chosen. */
function Unbound() {
  const { kind, diagnostic } = store.recordingState.value;
  if (kind !== "failed" || diagnostic?.kind !== "unbound") return null;
  const row = store.run.value?.arguments.find(({ outside }) => outside?.line === diagnostic.line) ?? null;
  const skips = row !== null && row.type === "";
  return html`<li class="info"><span class="kind" aria-hidden="true">${MARKS.info}</span>
    <span class="hint">${asSentence(diagnostic.hint ?? "")}</span> <button class="plain bind" onClick=${() => chooseInputs(row)}>${skips ? "Skip it …" : "Bind values …"}</button></li>`;
}

/** A run whose processes wait for each other: the way to the picture of it. */
function Standstill() {
  store.gridVersion.value;
  const story = store.grid.value?.info.story;
  if (!story) return null;
  const hint = store.recordingState.value.diagnostic?.hint ?? "";
  return html`<li class="info"><span class="kind" aria-hidden="true">${MARKS.info}</span>
    <span class="hint">${asSentence(hint)}</span> <button class="plain bind" onClick=${goThere}>See who waits for whom</button></li>`;
}

/** @param {string} hint @returns {string} */
const asSentence = (hint) => hint && `${hint[0]?.toUpperCase()}${hint.slice(1)}.`;

/** @param {{problem: import("../types.js").Diagnostic}} props */
function Problem({ problem }) {
  const { severity, op, label, message, hint, line, column, from, to } = problem;
  const rule = [op, label].filter(Boolean).join(" ");
  return html`<li class=${severity}><span class="kind" aria-hidden="true">${MARKS[severity]}</span>
    <span><button onClick=${() => revealLine(line, { from, to })}>${rule && html`<code>${rule}</code> `}${message}
      <span class="place"> line ${line}:${column}</span></button>
      ${hint && html` <span class="hint">${hint}</span>`}</span></li>`;
}
