/** The breakpoints, one row each: enabled or not, with their conditions, hit counts and log messages. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { goTo } from "../../core/actions.js";
import { namesOf as namesOfProcesses } from "../../core/grid/record.js";
import { keysOf } from "../../core/keys.js";
import { isOnLine, opsOf, titleOf } from "../../core/run/breakpoints.js";
import { knownStops, whyOff } from "../../core/run/stops.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { countText } from "../../core/tensor/elements.js";
import { changeBreakpoint, editBreakpoint, removeBreakpoint, removeBreakpoints } from "../../core/view_actions.js";
import { signOf, SIGNS, whyLoose } from "../../ui/breakpoint_signs.js";
import { ListFilter } from "../../ui/list_filter.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { command } from "../../core/commands.js";
import { matching, parseFilter } from "../../core/search/filter.js";
import { nonfinite } from "../../core/search/nonfinite.js";
import { revealLine } from "../../core/cursor.js";
import { addPanel } from "../layout/panels.js";
import { itemsToAdd, namesOf } from "./kinds.js";
/** @import {BreakpointInfo, BreakpointPart} from "../../core/types.js" */

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
  const points = store.breakpoints.value;
  const shown = points.length > 1 ? points.filter(passes) : points;
  return html`<div class="section">
    <h3>Breakpoints<span class="spring"></span>
      ${points.length > 1 && html`<button onClick=${removeBreakpoints}>Remove all</button>`}
      <${Menu} label="Add a breakpoint" content=${html`Add <span aria-hidden="true">▾</span>`} items=${itemsToAdd} /></h3>
    ${points.length === 0 && html`<p class="empty">Click left of a line number, or press ${keysOf(command("toggleBreakpoint"))[0]}, to stop there.</p>`}
    ${points.length > 1 && html`<${ListFilter} label="Filter breakpoints" by="line, name, op, scope, nan" text=${filterText.value} setText=${(/** @type {string} */ typed) => (filterText.value = typed)} note=${noteText(shown.length)} />`}
    ${shown.map((point, at) => html`<${Breakpoint} key=${isOnLine(point) ? `line ${point.at}` : at} point=${point} />`)}
  </div>`;
}

/** @param {number} shown @returns {string} */
const noteText = (shown) => (filterText.value.trim() !== "" && shown === 0 ? "No matches." : "");

/** The ops at which the breakpoint may stop in the shown run. @param {BreakpointInfo} point @returns {number[]} */
function opsHere(point) {
  const program = store.program.value;
  return program ? [...(opsOf(point, program, store.lineMap.value.toRun) ?? [])] : [];
}

/** The text of a line of the editor. @param {number} line @returns {string} */
const textOf = (line) => (store.draft.value.split("\n")[line - 1] ?? "").trim();

/** Whether the breakpoint, or an op at which it stops, matches the filter. @param {BreakpointInfo} point @returns {boolean} */
function passes(point) {
  const { words, nonfinite: isBad } = parseFilter(filterText.value);
  const program = store.program.value;
  const ops = opsHere(point);
  if (isBad && !ops.some((op) => nonfinite().lines.has(program?.op(op).line ?? 0))) return false;
  const { condition = "", log = "" } = point;
  const text = `${titleOf(point)} ${isOnLine(point) ? textOf(Number(point.at)) : ""} ${condition} ${log}`.toLowerCase();
  const inText = words.every((word) => text.includes(word));
  return inText || (program !== null && ops.some((op) => matching(program, "ops", words)[op] === 1));
}

/** @param {{point: BreakpointInfo}} props */
function Breakpoint({ point }) {
  const isEdited = store.editedBreakpoint.value === point;
  const sign = signOf(point);
  const title = titleOf(point);
  const toggle = () => changeBreakpoint(point, { off: !point.off });
  return html`<div class=${`breakpoint ${point.off ? "off" : ""}`}>
    <div class="breakpoint-row">
      <input type="checkbox" checked=${!point.off} onChange=${toggle} aria-label=${`Enable the breakpoint: ${title}`} title="Enabled" />
      <span class=${`dot ${sign}`} role="img" aria-label=${SIGNS[sign]} title=${SIGNS[sign]}></span>
      <${Title} point=${point} />
      <${Count} point=${point} />
      ${store.grid.value && html`<${Limit} point=${point} grid=${store.grid.value} />`}
      <button class="remove" aria-expanded=${isEdited} onClick=${() => editBreakpoint(isEdited ? null : point)} aria-label=${`Edit the breakpoint: ${title}`} title="Edit condition, hit count and log message"><${Icon} name="rename" /></button>
      <button class="remove" onClick=${() => removeBreakpoint(point)} aria-label=${isOnLine(point) ? `Remove breakpoint on line ${point.at}` : `Remove the breakpoint: ${title}`} title="Remove"><${Icon} name="close" /></button>
    </div>
    <${Texts} point=${point} isEdited=${isEdited} />
  </div>`;
}

/** A button that shows the line in the program. @param {{point: BreakpointInfo}} props */
function Title({ point }) {
  const [op] = opsHere(point);
  const program = store.program.value;
  const line = isOnLine(point)
    ? Number(point.at)
    : op === undefined
      ? null
      : store.draftLine(program?.op(op).line ?? 0);
  const title = isOnLine(point)
    ? html`<span class="line">${titleOf(point)}</span>`
    : html`<span>${titleOf(point)}</span>`;
  return html`<button class="go" disabled=${line === null} onClick=${() => line !== null && revealLine(line)}>${title}<code>${notesOf(point)}</code></button>`;
}

/** A note about where the breakpoint stops, else its line. @param {BreakpointInfo} point @returns {string} */
function notesOf(point) {
  const loose = whyLoose(point);
  if (loose || !isOnLine(point)) return loose;
  const line = Number(point.at);
  const at = stopsOn(line);
  return at === null || at === line ? textOf(line) : `stops on line ${at}`;
}

/** The number of stops in the recording, a button that goes to the next one, round. @param {{point: BreakpointInfo}} props */
function Count({ point }) {
  const list = knownStops(point);
  if (!list || list.problem) return null;
  const { steps } = list;
  const isAll = !list.isShort(store.outline.value);
  const next = steps.find((step) => step > store.position.value) ?? steps[0];
  const text = `${countText(steps.length)}${isAll ? "" : "…"}`;
  const title = `${text} stops in the recorded steps${next === undefined ? "" : `; go to step ${countText(next)}`}`;
  return html`<button class="badge" disabled=${next === undefined} title=${title} aria-label=${title} onClick=${() => goTo(next ?? 0)}>${text}</button>`;
}

/** The fields of a breakpoint that is edited, and those with a text. @param {{point: BreakpointInfo, isEdited: boolean}} props */
function Texts({ point, isEdited }) {
  const why = whyOff(point);
  const named = ["value", "read"].includes(point.kind);
  const words = named ? "value" : "%x";
  return html`<div class="breakpoint-texts">
    ${isEdited && !isOnLine(point) && html`<${Place} point=${point} />`}
    ${(isEdited || point.condition) && html`<${Text} point=${point} part="condition" label="if" hint=${`max(abs(${words})) > 10`} isFirst=${isEdited} />`}
    ${(isEdited || point.hits) && html`<${Text} point=${point} part="hits" label="hits" hint="3, >= 3, % 10" />`}
    ${(isEdited || point.log) && html`<${Text} point=${point} part="log" label="log" hint=${`max is {max(${words})}, and go on`} />`}
    ${why && html`<p class="note">${why}</p>`}
  </div>`;
}

/** The name at which a breakpoint stops. @param {{point: BreakpointInfo}} props */
function Place({ point }) {
  const program = store.program.value;
  const names = program === null ? [] : namesOf(point.kind, program);
  const onInput = (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLInputElement} */ (event.currentTarget);
    if (value.trim() !== "") changeBreakpoint(point, { at: value.trim() });
  };
  return html`<label><span>at</span><input value=${point.at} list="breakpoint-names" onInput=${onInput} autocomplete="off" spellcheck=${false} />
    <datalist id="breakpoint-names">${names.map((name) => html`<option value=${name}></option>`)}</datalist></label>`;
}

/** A text of a breakpoint, with its error. @param {{point: BreakpointInfo, part: BreakpointPart, label: string, hint: string, isFirst?: boolean}} props */
function Text({ point, part, label, hint, isFirst = false }) {
  const field = useRef(/** @type {HTMLInputElement|null} */ (null));
  useEffect(() => {
    if (!isFirst) return;
    field.current?.focus();
    field.current?.closest(".breakpoint")?.scrollIntoView({ block: "nearest" });
  }, [isFirst]);
  const onInput = () => changeBreakpoint(point, { [part]: field.current?.value ?? "" });
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" || event.key === "Escape") editBreakpoint(null);
  };
  const problem = knownStops(point)?.problem;
  const isWrong = problem?.part === part;
  const id = `breakpoint-${part}-problem`;
  return html`<label><span>${label}</span><input ref=${field} value=${point[part] ?? ""} placeholder=${hint} disabled=${isFile()} onInput=${onInput} onKeyDown=${onKey}
      aria-label=${`${TITLES[part]}: ${titleOf(point)}`} aria-invalid=${isWrong} aria-describedby=${isWrong ? id : undefined} autocomplete="off" spellcheck=${false} /></label>
    ${isWrong && html`<${Problem} id=${id} problem=${problem} text=${point[part] ?? ""} />`}`;
}

const TITLES = { condition: "Condition", hits: "Hit count", log: "Log message" };

/** An error, under its place in the text. @param {{id: string, problem: import("../../core/types.js").BreakpointProblem, text: string}} props */
function Problem({ id, problem: { part, message, hint, start, end }, text }) {
  const place =
    part === "condition" &&
    html`<code>${text.slice(0, start)}<mark>${text.slice(start, end) || "‸"}</mark>${text.slice(end)}</code> `;
  const words = [message, ...(hint ? [hint] : [])].map((each) => whole(each)).join(" ");
  return html`<p id=${id} class="problem">${place}${words}</p>`;
}

/** A sentence. @param {string} words @returns {string} */
const whole = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.?!)]$/.test(words) ? "" : "."}`;

/** The choice of the processes that stop. @param {{point: BreakpointInfo, grid: import("../../core/grid/record.js").GridRecord}} props */
function Limit({ point, grid }) {
  const limit = point.processes;
  const [shown, chosen] = [store.process.value, store.lockstep.value];
  const some = typeof chosen === "object" && chosen.size > 0 ? [...chosen].sort((a, b) => a - b) : null;
  const options = [
    ["", "all processes"],
    [String(shown), `only ${grid.nameOf(shown)}`],
    ...(some ? [[some.join(), `only ${namesOfProcesses(grid, some, 4)}`]] : []),
  ];
  const now = limit?.join() ?? "";
  if (limit && !options.some(([value]) => value === now))
    options.push([now, `only ${namesOfProcesses(grid, limit, 4)}`]);
  const choose = (/** @type {Event} */ event) => {
    const { value } = /** @type {HTMLSelectElement} */ (event.currentTarget);
    changeBreakpoint(point, { processes: value === "" ? undefined : value.split(",").map(Number) });
  };
  const label = `Processes that stop on ${titleOf(point)}`;
  return html`<select aria-label=${label} onChange=${choose}>
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
