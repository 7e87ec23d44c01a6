/** The breakpoints: a line each, to go to or to take away. */
import { html } from "htm/preact";
import { toggleBreakpoint } from "../actions.js";
import { command } from "../commands.js";
import { revealLine } from "../editor/cursor.js";
import { keysOf } from "../keys.js";
import * as store from "../store.js";
import { Ask } from "../ui/ask.js";
import { Icon } from "../ui/icons.js";

export function BreakpointsPanel() {
  const lines = store.breakpoints.value;
  const text = store.draft.value.split("\n");
  return html`<section class="section" aria-labelledby="breakpoints-title">
    <h3 id="breakpoints-title">Breakpoints<span class="spring"></span><${Ask} about="breakpoints" title="Breakpoints" />
      ${lines.length > 1 && html`<button onClick=${() => (store.breakpoints.value = [])}>Remove all</button>`}</h3>
    ${lines.length === 0 && html`<p class="empty">Click left of a line number, or press ${keysOf(command("toggleBreakpoint"))[0]}, to stop there.</p>`}
    ${lines.map((line) => html`<${Breakpoint} key=${line} line=${line} text=${(text[line - 1] ?? "").trim()} />`)}
  </section>`;
}

/** @param {{line: number, text: string}} props */
function Breakpoint({ line, text }) {
  const at = stopsOn(line);
  const note = at === null ? "no op of this run starts here or after it" : at === line ? "" : `stops on line ${at}`;
  return html`<div class="breakpoint"><span class=${at === null ? "dot hollow" : "dot"}></span>
    <button class="go" onClick=${() => revealLine(line)}><span class="line">line ${line}</span><code>${note || text}</code></button>
    <button class="remove" onClick=${() => toggleBreakpoint(line)} aria-label=${`Remove the breakpoint on line ${line}`}><${Icon} name="close" /></button>
  </div>`;
}

/** The line of the editor on which it stops. @param {number} line @returns {number|null} */
function stopsOn(line) {
  const program = store.program.value;
  if (program === null) return line;
  const { toRun, toDraft } = store.lineMap.value;
  const runLine = toRun(line);
  const snapped = runLine === null ? null : program.snap(runLine);
  return snapped === null ? null : toDraft(snapped);
}
