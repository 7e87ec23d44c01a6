/** The breakpoints, one row each: enabled or not, with their conditions, hit counts and log messages. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { namesOf as namesOfProcesses } from "../../core/grid/record.js";
import { keysOf } from "../../core/keys.js";
import { isOnLine, titleOf } from "../../core/run/breakpoints.js";
import { shortName } from "../../core/run/op_names.js";
import { opsHere, whyOff } from "../../core/run/stops.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { changeBreakpoint, editBreakpoint, removeBreakpoint, removeBreakpoints } from "../../core/view_actions.js";
import { SHAPES, signOf, SIGNS, whyLoose } from "../../ui/breakpoint_signs.js";
import { ListFilter } from "../../ui/list_filter.js";
import { Icon } from "../../ui/icons.js";
import { Menu } from "../../ui/menu.js";
import { command } from "../../core/commands.js";
import { matching, parseFilter } from "../../core/search/filter.js";
import { nonfinite } from "../../core/search/nonfinite.js";
import { revealLine } from "../../core/cursor.js";
import { addPanel } from "../layout/panels.js";
import { itemsToAdd } from "./kinds.js";
import { Count, Texts } from "./texts.js";
import { Choice } from "../../ui/fields.js";
/** @import {BreakpointInfo} from "../../core/types.js" */

addPanel({
  id: "breakpoints",
  title: "Breakpoints",
  dock: "breakpoints",
  order: 1,
  help: "breakpoints",
  Head: BreakpointsHead,
  Panel: BreakpointsPanel,
  height,
});

/** Heights in pixels of a row and of a field below it; of the head, the filter and a sentence. */
const [ROW, FIELD, REST] = [24, 30, 112];

/** The height at which all breakpoints and their fields are visible, up to 40 % of the window. */
function height() {
  const rows = store.breakpoints.value.map((point) => {
    const texts = [point.condition, point.hits, point.log].filter(Boolean);
    return ROW + FIELD * (point === store.editedBreakpoint.value ? 4 : texts.length);
  });
  return Math.min(0.4 * window.innerHeight, rows.reduce((sum, row) => sum + row, REST)); // prettier-ignore
}

const filterText = signal("");

function BreakpointsHead() {
  return html`<span class="spring"></span>
    ${store.breakpoints.value.length > 1 && html`<button onClick=${removeBreakpoints} title="Remove all" aria-label="Remove all breakpoints"><${Icon} name="delete" /></button>`}
    <${Menu} label="Add a breakpoint" content=${html`Add <span aria-hidden="true">▾</span>`} items=${itemsToAdd} />`;
}

export function BreakpointsPanel() {
  const points = store.breakpoints.value;
  const shown = points.length > 1 ? points.filter(passes) : points;
  return html`<div class="section">
    ${points.length === 0 && html`<p class="empty">Click left of a line number, or press ${keysOf(command("toggleBreakpoint"))[0]}, to stop there.</p>`}
    ${points.length > 1 && html`<${ListFilter} label="Filter breakpoints" by="line, name, op, scope, nan" text=${filterText.value} setText=${(/** @type {string} */ typed) => (filterText.value = typed)} note=${noteText(shown.length)} />`}
    ${shown.map((point, at) => html`<${Breakpoint} key=${isOnLine(point) ? `line ${point.at}` : at} point=${point} />`)}
  </div>`;
}

/** @param {number} shown @returns {string} */
const noteText = (shown) => (filterText.value.trim() !== "" && shown === 0 ? "No matches." : "");

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
  const [sign, why] = [signOf(point), whyOff(point)];
  const title = titleOf(point);
  const toggle = () => changeBreakpoint(point, { off: !point.off });
  return html`<div class=${`breakpoint ${point.off ? "off" : ""}`}>
    <div class="breakpoint-row">
      <input type="checkbox" checked=${!point.off} onChange=${toggle} aria-label=${`Enable the breakpoint: ${title}`} title="Enabled" />
      <span class=${`dot ${sign}`} style=${SHAPES[sign]} role="img" aria-label=${SIGNS[sign]} title=${SIGNS[sign]}></span>
      <${Title} point=${point} />
      <${Count} point=${point} />
      ${store.grid.value && html`<${Limit} point=${point} grid=${store.grid.value} />`}
      ${!isFile() && html`<button class="remove" aria-expanded=${isEdited} onClick=${() => editBreakpoint(isEdited ? null : point)} aria-label=${`Edit the breakpoint: ${title}`} title="Edit condition, hit count and log message"><${Icon} name="rename" /></button>`}
      <button class="remove" onClick=${() => removeBreakpoint(point)} aria-label=${isOnLine(point) ? `Remove breakpoint on line ${point.at}` : `Remove the breakpoint: ${title}`} title="Remove"><${Icon} name="close" /></button>
    </div>
    <div class="breakpoint-texts">
      <${Texts} point=${point} isEdited=${isEdited} />
      ${why && html`<p class="note">${why}</p>`}</div>
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
  return html`<button class="go" disabled=${line === null} title=${line === null ? "" : textOf(line)} onClick=${() => line !== null && revealLine(line)}>${title}<code>${notesOf(point)}</code></button>`;
}

/** A note about where the breakpoint stops, else its line. @param {BreakpointInfo} point @returns {string} */
function notesOf(point) {
  const loose = whyLoose(point);
  if (loose || !isOnLine(point)) return loose;
  const line = Number(point.at);
  const at = stopsOn(line);
  if (at !== null && at !== line) return `stops on line ${at}`;
  const [program, [op]] = [store.program.value, opsHere(point)];
  if (program === null || op === undefined) return textOf(line);
  // The kind of the op first: a narrow row cuts the end.
  const { results } = program.op(op);
  return [shortName(program.op(op)), ...results.map((value) => program.value(value).name)].join(" ");
}

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
  const choose = (/** @type {string} */ value) =>
    changeBreakpoint(point, { processes: value === "" ? undefined : value.split(",").map(Number) });
  return html`<${Choice} aria-label=${`Processes that stop on ${titleOf(point)}`} options=${options} value=${now} choose=${choose} />`;
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
