/** The cells of the grid, one per process: its state, its op, its copy of the selected value, its group. */
import { html } from "htm/preact";
import { useRef } from "preact/hooks";
import { showProcess } from "../../core/actions.js";
import { toggleLockstep } from "../../core/grid/lockstep.js";
import { namesOf } from "../../core/grid/record.js";
import { shortName } from "../../core/run/op_names.js";
import * as store from "../../core/store.js";
import { ProcessMark } from "../../ui/process_marks.js";
import { shortRange, summary, Thumbnail, thumbnail } from "../../ui/thumbnails.js";
import { neighbour, placeOf } from "./layout.js";
import { STATE_WORDS } from "./process_view.js";
import * as gridView from "./state.js";
/** @import {Layout} from "./layout.js" */
/** @import {ProcessView as Seen} from "./process_view.js" */

/** @param {{layout: Layout, members: number[], all: readonly (Seen|null)[]}} props */
export function Cells({ layout, members, all }) {
  const kept = useRef(/** @type {Map<number, {signature: string, node: import("preact").VNode}>} */ (new Map()));
  const first = members[0] ?? 0;
  const placed = layout.order?.map((index) => first + index) ?? members;
  const rows = Array.from({ length: layout.rows }, (_, row) =>
    placed.slice(row * layout.columns, (row + 1) * layout.columns),
  );
  const reached =
    gridView.focused.value !== null && members.includes(gridView.focused.value)
      ? gridView.focused.value
      : store.process.value;
  return html`<div class=${`grid-cells ${layout.level}`} role="grid" aria-label="Processes" aria-rowcount=${layout.rows} aria-colcount=${layout.columns} aria-multiselectable="true"
    style=${{ width: `${layout.width}px`, height: `${layout.height}px` }} onKeyDown=${(/** @type {KeyboardEvent} */ event) => onKey(event, layout, members)}
    onPointerLeave=${() => (gridView.hovered.value = null)}>
    ${rows.map(
      (row, number) => html`<div role="row" key=${number} aria-rowindex=${number + 1}>
      ${row.map((process) => cell(kept.current, { process, index: process - first, seen: all[process - first] ?? null, layout, reached: process === reached }))}</div>`,
    )}
  </div>`;
}

/** @typedef {{process: number, index: number, seen: Seen|null, layout: Layout, reached: boolean}} CellProps */

/** Reuse the node of an unchanged cell: of many cells few change. @param {Map<number, {signature: string, node: import("preact").VNode}>} kept @param {CellProps} props */
function cell(kept, props) {
  const { process, index, seen, layout, reached } = props;
  const told = whatIsTold(process, seen, layout);
  const scale = layout.level === "tile" ? null : gridView.colourScale.value;
  const signature = JSON.stringify([told, layout, index, reached, scale]);
  const before = kept.get(process);
  if (before?.signature === signature && before.node.props?.info === infoOf(seen, layout)) return before.node;
  const node = html`<${Cell} key=${process} ...${props} told=${told} info=${infoOf(seen, layout)} scale=${scale} />`;
  kept.set(process, { signature, node: /** @type {any} */ (node) });
  return node;
}

/** @param {Seen|null} seen @param {Layout} layout */
function infoOf(seen, { level }) {
  if (level === "tile" || !seen?.address) return null;
  return thumbnail(store.recordingKey.value ?? "", seen.address) ?? null;
}

/** The content of a process's cell. @param {number} process @param {Seen|null} seen @param {Layout} layout */
function whatIsTold(process, seen, { level }) {
  const group = gridView.groups.value.get(process) ?? -1;
  // Tiles have no space for the op; the details beside show it.
  const op = seen?.op == null || level === "tile" ? null : store.program.value?.op(seen.op);
  const grid = store.grid.value;
  const waits = seen && seen.waitsFor.length > 0 && grid ? namesOf(grid, seen.waitsFor, level === "full" ? 3 : 6) : "";
  return {
    name: grid?.nameOf(process) ?? "",
    state: seen?.state ?? null,
    group,
    op: op ? shortName(op) : "",
    line: op ? store.draftLine(op.line) : null,
    waits,
    shown: process === store.process.value,
    chosen: typeof store.lockstep.value === "object" && store.lockstep.value.has(process),
    lit: group >= 0 && gridView.lit.value === group,
    dim: gridView.lit.value !== null && gridView.lit.value !== group,
  };
}

/** @param {CellProps & {told: ReturnType<typeof whatIsTold>, info: import("../../core/types.js").ThumbnailInfo|null, scale: import("../../drawing/scale.js").Scale|null}} props */
function Cell({ process, index, layout, reached, told, info, scale }) {
  const { x, y, column } = placeOf(layout, index);
  const { state, group, shown, chosen } = told;
  const style = {
    left: `${x}px`,
    top: `${y}px`,
    width: `${layout.cell.width}px`,
    height: `${layout.cell.height}px`,
    "--group": group >= 0 ? gridView.groupColour(group) : null,
  };
  return html`<div class=${classesOf(told)} role="gridcell" id=${`cell-${process}`} tabindex=${reached ? 0 : -1} aria-colindex=${column + 1} aria-label=${labelOf(told)} aria-selected=${chosen} aria-current=${shown ? "true" : null}
    style=${style} onClick=${(/** @type {MouseEvent} */ event) => onClick(event, process)} onFocus=${() => (gridView.focused.value = process)}
    onBlur=${() => (gridView.focused.value = null)} onPointerEnter=${() => (gridView.hovered.value = process)}>
    ${layout.level !== "tile" && state !== null && html`<${Inside} level=${layout.level} told=${told} info=${info} scale=${scale} />`}
  </div>`;
}

/** @param {ReturnType<typeof whatIsTold>} told @returns {string} */
const classesOf = ({ state, group, shown, chosen, lit, dim }) =>
  ["grid-cell", state, group >= 0 && "grouped", shown && "shown", chosen && "chosen", lit && "lit", dim && "dim"]
    .filter(Boolean)
    .join(" ");

/** A process in words. @param {ReturnType<typeof whatIsTold>} told @returns {string} */
const labelOf = ({ name, state, op, line, waits, group, shown }) =>
  [
    `process ${name}`,
    state === null ? "not here yet" : STATE_WORDS[state],
    op && `${op}, line ${line}`,
    waits && `waits for ${waits}`,
    group >= 0 && `group ${group}`,
    shown && "shown",
  ]
    .filter(Boolean)
    .join(", ");

/** @param {{level: string, told: ReturnType<typeof whatIsTold>, info: import("../../core/types.js").ThumbnailInfo|null, scale: import("../../drawing/scale.js").Scale|null}} props */
function Inside({ level, told, info, scale }) {
  const { name, group, op, line, waits } = told;
  const state = /** @type {NonNullable<typeof told.state>} */ (told.state);
  const head = html`<span class="head"><${ProcessMark} state=${state} /><span class="name">${name}</span>${group >= 0 && html`<span class="group">${group}</span>`}</span>`;
  if (level === "compact") return html`${head}<${Thumbnail} info=${info} scale=${scale} />`;
  return html`${head}
    <span class="op"><span class="word">${op || STATE_WORDS[state]}</span>${line !== null && html`<span class="line">line ${line}</span>`}</span>
    <${Thumbnail} info=${info} scale=${scale} />
    <span class="note">${waits ? `waits for ${waits}` : info ? shortRange(summary(info).range) : ""}</span>`;
}

/** A click shows the process; Ctrl+click adds it to those that step together, or removes it. @param {MouseEvent} event @param {number} process */
function onClick(event, process) {
  if (event.ctrlKey || event.metaKey) toggleLockstep(process);
  else showProcess(process);
}

/** @param {KeyboardEvent} event @param {Layout} layout @param {number[]} members */
function onKey(event, layout, members) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const process = gridView.focused.value ?? store.process.value;
  if (event.key === "Enter") showProcess(process);
  else if (event.key === " ") toggleLockstep(process);
  else {
    const first = members[0] ?? 0;
    const from = layout.slots?.[process - first] ?? process - first;
    const to = neighbour(layout, members.length, from, event.key);
    if (to === null) return;
    document.getElementById(`cell-${first + (layout.order?.[to] ?? to)}`)?.focus();
  }
  event.preventDefault();
}
