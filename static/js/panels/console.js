/** The console: what is wrong with the program, and what happened: why it stopped, what the server said. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { revealLine } from "../editor/cursor.js";
import * as store from "../store.js";
import { Ask } from "../ui/ask.js";

const MARKS = { error: "✕", warning: "!", note: "·", info: "·", stop: "■", program: "›" };

export function ConsolePanel() {
  const list = useRef(/** @type {HTMLDivElement|null} */ (null));
  const lines = store.consoleLines.value;
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [lines]);
  const problems = store.diagnostics.value;
  return html`<div class="console" ref=${list} tabindex="0" role="log" aria-label="Console"><${Ask} about="console" title="Console" />
    <ul>
      ${lines.map(({ kind, text, times }) => html`<li class=${kind}><span class="kind" aria-hidden="true">${MARKS[kind]}</span><span>${text}</span>${times && html`<span class="badge">${times} times</span>`}</li>`)}
      ${problems.map((problem) => html`<${Problem} problem=${problem} />`)}
    </ul>
    ${lines.length + problems.length === 0 && html`<p class="empty">Reasons of stops, messages and problems of the program are listed here.</p>`}
  </div>`;
}

/** @param {{problem: import("../types.js").Diagnostic}} props */
function Problem({ problem }) {
  const { severity, op, label, message, hint, line, column, from, to } = problem;
  const rule = [op, label].filter(Boolean).join(" ");
  return html`<li class=${severity}><span class="kind" aria-hidden="true">${MARKS[severity]}</span>
    <span><button onClick=${() => revealLine(line, { from, to })}>${rule && html`<code>${rule}</code> `}${message}
      <span class="place"> line ${line}:${column}</span></button>
      ${hint && html` <span class="hint">${hint}</span>`}</span></li>`;
}
