/** The timeline of several processes: a row each over the common clock. A click selects process and tick. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import * as actions from "../../core/actions.js";
import { AnswerCache } from "../../core/answers.js";
import { getBytes } from "../../core/api.js";
import { gridPath } from "../../core/grid/loading.js";
import { findingsAt, markedSteps } from "../../core/run/findings.js";
import { shortName } from "../../core/run/op_names.js";
import { eachStop, isNowhere, shownStops } from "../../core/run/stops.js";
import * as store from "../../core/store.js";
import { countText } from "../../core/tensor/elements.js";
import { clearCanvas, coloursOf } from "../../drawing/canvas.js";
import { actOnKey, shareAt, STEPPING } from "../../ui/acts.js";
import { keepDrawn } from "../../ui/canvas.js";
import { observeRoom } from "../../ui/element_size.js";
import * as gridView from "../grid/state.js";
import { drawRows, rowHeight, TOP } from "./draw_process_rows.js";
import { capturePointer, PAGE, tipAt } from "./track.js";

/** Minimum height of rows with names. */
const NAMED = 11;
const MOST_MARKS = 2_000;

/** @typedef {{process: number, tick: number}} Spot */
const hovered = signal(/** @type {Spot|null} */ (null));
/** Space for the rows, in pixels. */
const room = signal({ width: 0, height: 116 });

export function GridTimeline() {
  const track = useRef(/** @type {HTMLDivElement|null} */ (null));
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  useEffect(() => keepDrawn(canvas.current, look), []);
  useEffect(() => observeRoom(track.current, room), []);
  store.gridVersion.value;
  const grid = /** @type {import("../../core/grid/record.js").GridRecord} */ (store.grid.value);
  const process = store.process.value;
  const at = Math.min(store.ticks.value[process] ?? 0, grid.lastTick);
  return html`<div class="timeline several">
    <${Names} grid=${grid} />
    <div class="track" ref=${track} role="slider" tabindex="0" aria-label="Timeline" aria-orientation="horizontal" aria-valuemin="0" aria-valuemax=${grid.lastTick}
      aria-valuenow=${at} aria-valuetext=${`tick ${countText(at)} of ${countText(grid.lastTick)}, process ${grid.nameOf(process)}. ${store.stop.value.sentence}`} aria-describedby="timeline-keys"
      onKeyDown=${onKey} onPointerDown=${onPointer} onPointerMove=${onHover} onPointerLeave=${() => (hovered.value = null)}>
      <canvas ref=${canvas}></canvas>
      <${Tip} track=${track} grid=${grid} />
    </div><p id="timeline-keys" class="hidden">Left and right step the process, up and down choose another.</p></div>`;
}

/** @param {{grid: import("../../core/grid/record.js").GridRecord}} props */
function Names({ grid }) {
  const members = grid.members(gridView.team.value);
  const row = rowHeight(room.value, members.length);
  const named = row >= NAMED;
  return html`<div class="lane" aria-hidden=${named ? "true" : null}>${
    named
      ? members.map(
          (process, index) =>
            html`<span class=${process === store.process.value ? "row-name shown" : "row-name"} style=${{ top: `${4 + TOP + index * row}px`, height: `${row}px` }}>${grid.nameOf(process)}</span>`,
        )
      : html`<span>${members.length} processes</span>`
  }</div>`;
}

/** @param {{track: {current: HTMLDivElement|null}, grid: import("../../core/grid/record.js").GridRecord}} props */
function Tip({ track, grid }) {
  const spot = hovered.value;
  if (spot === null) return null;
  const position = store.inGrid(() => grid.positionAt(spot.process, spot.tick));
  const op = position?.op == null ? null : store.program.value?.op(position.op);
  const [worst] = position === null ? [] : findingsAt(spot.process, position.step);
  const wrong = worst ? ` · ${worst.mark.words}` : "";
  const where = op ? ` · line ${store.draftLine(op.line)} · ${shortName(op)}` : "";
  const text = `${grid.nameOf(spot.process)} · tick ${countText(spot.tick)}${where}${position?.state === "waiting" ? " · waits" : ""}${wrong}`;
  return tipAt(track, spot.tick / Math.max(1, grid.lastTick), 240, text);
}

/** @param {HTMLCanvasElement} canvas @returns {(() => void)|null} */
function look(canvas) {
  const picture = pictureFor(canvas.clientWidth);
  return picture && (() => draw(canvas, picture));
}

/** @param {HTMLCanvasElement} canvas @param {import("./draw_process_rows.js").Picture} picture */
function draw(canvas, picture) {
  const drawn = { width: canvas.clientWidth, height: canvas.clientHeight };
  const context = clearCanvas(canvas, drawn);
  if (context && drawn.width > 0) drawRows(context, drawn, picture, coloursOf(canvas));
}

/** @param {number} width @returns {import("./draw_process_rows.js").Picture|null} */
function pictureFor(width) {
  store.gridVersion.value;
  const grid = store.grid.value;
  if (!grid) return null;
  const team = gridView.team.value;
  const members = grid.members(team);
  const here = stripsOf(grid, team, Math.min(4096, width));
  if (!here) return null;
  const first = members[0] ?? 0;
  return {
    strips: here,
    first,
    begin: grid.team(team).begin,
    ends: members.map((process) => endOf(grid, process)),
    ticks: store.ticks.value,
    shown: store.process.value,
    lastTick: grid.lastTick,
    executions: executionsHere(grid),
    broken: brokenOf(grid).filter((process) => members.includes(process)),
    findings: members.flatMap((process) => markedSteps(process).map(({ tick, grade }) => ({ process, tick, grade }))),
    marks: store.inGrid((known) => markTicks(known)) ?? [],
  };
}

/** A process in a deadlock waits to the end. @param {import("../../core/grid/record.js").GridRecord} grid @param {number} process @returns {number} */
function endOf(grid, process) {
  const { state, end } = grid.track(process);
  return state === "waiting" || state === "awaiting_item" ? grid.lastTick : end;
}

/** The loaded executions; requests the next page. @param {import("../../core/grid/record.js").GridRecord} grid */
function executionsHere(grid) {
  store.inGrid(() => grid.allExecutions());
  return [...grid.pages.values()].flatMap(({ executions }) => executions);
}

/** The processes in a deadlock, and those that failed. @param {import("../../core/grid/record.js").GridRecord} grid @returns {number[]} */
function brokenOf(grid) {
  const failed = grid.info.tracks.flatMap(({ state }, process) => (state === "failed" ? [process] : []));
  return [...new Set([...failed, ...(grid.info.deadlock?.waits.map(({ process }) => process) ?? [])])];
}

/** Ticks at which the shown process stops. @param {import("../../core/grid/record.js").GridRecord} grid @returns {number[]} */
function markTicks(grid) {
  const stops = shownStops.value;
  if (isNowhere(stops)) return [];
  const clock = grid.clock(store.process.value, {});
  /** @type {number[]} */
  const marks = [];
  eachStop(stops, store.outline.value, (step) => marks.length < MOST_MARKS && marks.push(clock.tickOf(step)));
  return marks;
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const process = store.process.value;
  const at = store.ticks.value[process] ?? 0;
  const members = store.grid.value?.members(gridView.team.value) ?? [];
  const to = (/** @type {number} */ by) =>
    actions.showProcess(Math.max(members[0] ?? 0, Math.min(process + by, members.at(-1) ?? 0)));
  actOnKey(event, {
    ...STEPPING,
    ".": actions.stepInto,
    ",": actions.stepBack,
    ArrowUp: () => to(-1),
    ArrowDown: () => to(1),
    PageUp: () => actions.goToTick(at + PAGE),
    PageDown: () => actions.goToTick(at - PAGE),
    Home: () => actions.goToTick(0),
    End: () => actions.goToTick(store.grid.value?.lastTick ?? 0),
  });
}

/** @param {PointerEvent} event @returns {Spot|null} */
function spotAt(event) {
  const grid = store.grid.value;
  if (!grid) return null;
  const { top, width, height } = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
  const members = grid.members(gridView.team.value);
  const row = Math.floor((event.clientY - top - TOP) / rowHeight({ width, height }, members.length));
  return {
    tick: Math.round(shareAt(event) * grid.lastTick),
    process: members[Math.max(0, Math.min(row, members.length - 1))] ?? 0,
  };
}

/** @param {PointerEvent} event */
function onPointer(event) {
  capturePointer(event);
  const spot = spotAt(event);
  if (spot) actions.goToTick(spot.tick, spot.process);
}

/** @param {PointerEvent} event */
function onHover(event) {
  const spot = spotAt(event);
  hovered.value = spot;
  if (spot && event.buttons === 1 && spot.tick !== store.ticks.value[store.process.value])
    actions.goToTick(spot.tick, undefined, "browse");
}

/** Times at which each process of a launch group ran: a byte per column of the timeline, requested for its width. */

/** @typedef {{rows: number, columns: number, ticks: number, shares: Uint8Array}} Strips */

/** @type {AnswerCache<Strips>} */
const kept = new AnswerCache(2, { asksAgain: true });
/** @type {{ofTeam: string, strips: Strips}|null} */
let latest = null;

/**
 * The strips for a timeline with this number of columns; the previous ones until they arrive.
 *
 * @param {import("../../core/grid/record.js").GridRecord} grid @param {number} team @param {number} columns @returns {Strips|null}
 */
function stripsOf(grid, team, columns) {
  kept.arrivals.value;
  const ticks = Math.max(1, grid.info.ticks);
  const ofTeam = `${grid.key} ${team}`;
  const question = `${ofTeam} ${columns} ${ticks} ${grid.over ? "over" : grid.stamp}`;
  const strips = columns > 0 ? kept.read(question, () => fetchStrips(grid.key, team, columns, ticks)) : undefined;
  if (strips && !(strips instanceof Error)) latest = { ofTeam, strips };
  return latest?.ofTeam === ofTeam ? latest.strips : null;
}

/** @param {string} key @param {number} team @param {number} columns @param {number} ticks @returns {Promise<Strips>} */
async function fetchStrips(key, team, columns, ticks) {
  const bytes = await getBytes(`${gridPath(key)}/strips?team=${team}&from=0&to=${ticks}&columns=${columns}`);
  return { rows: bytes.byteLength / columns, columns, ticks, shares: new Uint8Array(bytes) };
}
