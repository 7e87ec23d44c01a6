/** The breakpoints, one row each, with buttons that show and remove them. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { namesOf } from "../../core/grid/record.js";
import { keysOf } from "../../core/keys.js";
import * as store from "../../core/store.js";
import { limitBreakpoint, removeBreakpoints, toggleBreakpoint } from "../../core/view_actions.js";
import { ListFilter } from "../../ui/list_filter.js";
import { Icon } from "../../ui/icons.js";
import { command } from "../../core/commands.js";
import { matching, parseFilter } from "../../core/search/filter.js";
import { nonfinite } from "../../core/search/nonfinite.js";
import { revealLine } from "../../core/cursor.js";
import { addPanel } from "../layout/panels.js";

addPanel({
  id: "breakpoints",
  title: "Breakpoints",
  dock: "breakpoints",
  order: 1,
  help: "breakpoints",
  Panel: BreakpointsPanel,
});

const filterText = signal("");

export function BreakpointsPanel() {
  const lines = store.breakpoints.value;
  const text = store.draft.value.split("\n");
  const shown = lines.length > 1 ? lines.filter((line) => passes(line, text[line - 1] ?? "")) : lines;
  return html`<div class="section">
    <h3>Breakpoints<span class="spring"></span>
      ${lines.length > 1 && html`<button onClick=${removeBreakpoints}>Remove all</button>`}</h3>
    ${lines.length === 0 && html`<p class="empty">Click left of a line number, or press ${keysOf(command("toggleBreakpoint"))[0]}, to stop there.</p>`}
    ${lines.length > 1 && html`<${ListFilter} label="Filter breakpoints" by="line, name, op, scope, nan" text=${filterText.value} setText=${(/** @type {string} */ typed) => (filterText.value = typed)} note=${noteText(shown.length)} />`}
    ${shown.map((line) => html`<${Breakpoint} key=${line} line=${line} text=${(text[line - 1] ?? "").trim()} />`)}
  </div>`;
}

/** @param {number} shown @returns {string} */
const noteText = (shown) => (filterText.value.trim() !== "" && shown === 0 ? "No matches." : "");

/** Whether the line, or an op at which the breakpoint stops, matches the filter. @param {number} line @param {string} text @returns {boolean} */
function passes(line, text) {
  const { words, nonfinite: isBad } = parseFilter(filterText.value);
  const program = store.program.value;
  const runLine = store.lineMap.value.toRun(line);
  const ops = program && runLine !== null ? [...program.opsAt([runLine])] : [];
  if (isBad && !ops.some((op) => nonfinite().lines.has(program?.op(op).line ?? 0))) return false;
  const inText = words.every((word) => `line ${line} ${text}`.toLowerCase().includes(word));
  return inText || (program !== null && ops.some((op) => matching(program, "ops", words)[op] === 1));
}

/** @param {{line: number, text: string}} props */
function Breakpoint({ line, text }) {
  const at = stopsOn(line);
  const note =
    at === null ? "no op of this run starts at or after this line" : at === line ? "" : `stops on line ${at}`;
  return html`<div class="breakpoint"><span class=${at === null ? "dot hollow" : "dot"}></span>
    <button class="go" onClick=${() => revealLine(line)}><span class="line">line ${line}</span><code>${note || text}</code></button>
    ${store.grid.value && html`<${Limit} line=${line} grid=${store.grid.value} />`}
    <button class="remove" onClick=${() => toggleBreakpoint(line)} aria-label=${`Remove breakpoint on line ${line}`}><${Icon} name="close" /></button>
  </div>`;
}

/** The choice of the processes that stop. @param {{line: number, grid: import("../../core/grid/record.js").GridRecord}} props */
function Limit({ line, grid }) {
  const limit = store.breakpointLimits.value.get(line);
  const [shown, chosen] = [store.process.value, store.lockstep.value];
  const some = typeof chosen === "object" && chosen.size > 0 ? [...chosen].sort((a, b) => a - b) : null;
  const options = [
    ["", "all processes"],
    [String(shown), `only ${grid.nameOf(shown)}`],
    ...(some ? [[some.join(), `only ${namesOf(grid, some, 4)}`]] : []),
  ];
  const now = limit?.join() ?? "";
  if (limit && !options.some(([value]) => value === now)) options.push([now, `only ${namesOf(grid, limit, 4)}`]);
  const choose = (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.currentTarget);
    limitBreakpoint(line, value === "" ? null : value.split(",").map(Number));
  };
  return html`<select aria-label=${`Processes that stop on line ${line}`} onChange=${choose}>
    ${options.map(([value, text]) => html`<option value=${value} selected=${value === now}>${text}</option>`)}</select>`;
}

/** The line of the editor on which the breakpoint stops. @param {number} line @returns {number|null} */
function stopsOn(line) {
  const program = store.program.value;
  if (program === null) return line;
  const { toRun, toDraft } = store.lineMap.value;
  const runLine = toRun(line);
  const snapped = runLine === null ? null : program.snap(runLine);
  return snapped === null ? null : toDraft(snapped);
}
