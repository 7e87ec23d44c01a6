/** The timeline of several processes: a row each over the common clock. Choosing a place chooses process and tick. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import * as actions from "../actions.js";
import * as looking from "../grid/looking.js";
import { strips, stripArrivals } from "../grid/strips.js";
import { drawRows, rowHeight, TOP } from "../grid/timeline_drawing.js";
import { CHUNK } from "../run/outline.js";
import { spelled } from "../run/families.js";
import * as store from "../store.js";
import { Ask } from "../ui/ask.js";
import { keepDrawn } from "../ui/keep_drawn.js";
import { paneSize, Splitter } from "../ui/splitter.js";
import { cleared, coloursOf } from "./grid/tiles.js";

const PAGE = 100;
/** Rows that are lower have no room for a name. */
const NAMED = 11;
const MOST_MARKS = 2_000;

/** @typedef {{process: number, tick: number}} Spot */
const hovered = signal(/** @type {Spot|null} */ (null));
const size = paneSize("timeline", 124, 56, () => window.innerHeight * 0.5);

export function GridTimeline() {
  const track = useRef(/** @type {HTMLDivElement|null} */ (null));
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  useEffect(() => keepDrawn(canvas.current, look), []);
  store.gridVersion.value;
  const grid = /** @type {import("../grid/record.js").GridRecord} */ (store.grid.value);
  const process = store.process.value;
  const at = Math.min(store.ticks.value[process] ?? 0, grid.lastTick);
  return html`<${Splitter} label="Height of the timeline" pane=${size} grows="up" />
    <div class="timeline several" style=${{ height: `${size.size.value}px` }}>
    <${Names} grid=${grid} />
    <div class="track" ref=${track} role="slider" tabindex="0" aria-label="Timeline" aria-orientation="horizontal" aria-valuemin="0" aria-valuemax=${grid.lastTick}
      aria-valuenow=${at} aria-valuetext=${`tick ${at} of ${grid.lastTick}, process ${grid.nameOf(process)}. ${store.stop.value.sentence}`} aria-describedby="timeline-keys"
      onKeyDown=${onKey} onPointerDown=${onPointer} onPointerMove=${onHover} onPointerLeave=${() => (hovered.value = null)}>
      <canvas ref=${canvas}></canvas>
      <${Tip} track=${track} grid=${grid} />
    </div><p id="timeline-keys" class="hidden">Left and right step the process, up and down choose another.</p></div>`;
}

/** @param {{grid: import("../grid/record.js").GridRecord}} props */
function Names({ grid }) {
  const members = grid.members(looking.team.value);
  const row = rowHeight({ width: 0, height: size.size.value - 8 }, members.length);
  const named = row >= NAMED;
  return html`<div class="lane" aria-hidden=${named ? "true" : null}>${named
    ? members.map((process, index) => html`<span class=${process === store.process.value ? "row-name shown" : "row-name"} style=${{ top: `${4 + TOP + index * row}px`, height: `${row}px` }}>${grid.nameOf(process)}</span>`)
    : html`<span>${members.length} processes</span><${Ask} about="timeline" title="Timeline" />`}</div>`;
}

/** @param {{track: {current: HTMLDivElement|null}, grid: import("../grid/record.js").GridRecord}} props */
function Tip({ track, grid }) {
  const spot = hovered.value;
  if (spot === null) return null;
  const moment = store.inGrid(() => grid.moment(spot.process, spot.tick));
  const op = moment?.op == null ? null : store.program.value?.op(moment.op);
  const width = track.current?.clientWidth ?? 0;
  const x = Math.min((spot.tick / Math.max(1, grid.lastTick)) * width, width - 240);
  return html`<div class="tip" aria-hidden="true" style=${{ left: `${x}px` }}>${grid.nameOf(spot.process)} · tick ${spot.tick.toLocaleString("en")}${op ? ` · line ${store.draftLine(op.line)} · ${spelled(op)}` : ""}${moment?.state === "waiting" ? " · waits" : ""}</div>`;
}

/** @param {HTMLCanvasElement} canvas @returns {(() => void)|null} */
function look(canvas) {
  stripArrivals.value;
  const picture = pictureFor(canvas.clientWidth);
  return picture && (() => draw(canvas, picture));
}

/** @param {HTMLCanvasElement} canvas @param {import("../grid/timeline_drawing.js").Picture} picture */
function draw(canvas, picture) {
  const drawn = { width: canvas.clientWidth, height: canvas.clientHeight };
  const context = cleared(canvas, drawn);
  if (context && drawn.width > 0) drawRows(context, drawn, picture, coloursOf(canvas));
}

/** @param {number} width @returns {import("../grid/timeline_drawing.js").Picture|null} */
function pictureFor(width) {
  store.gridVersion.value;
  const grid = store.grid.value;
  if (!grid) return null;
  const team = looking.team.value;
  const members = grid.members(team);
  const here = strips(grid, team, Math.min(4096, width));
  if (!here) return null;
  const first = members[0] ?? 0;
  return {
    strips: here, first, begin: grid.team(team).begin, ends: members.map((process) => endOf(grid, process)), ticks: store.ticks.value,
    shown: store.process.value, lastTick: grid.lastTick, meetings: meetingsHere(grid), broken: brokenOf(grid).filter((process) => members.includes(process)),
    marks: store.inGrid((known, program) => markTicks(known, program.opsAt(store.runBreakpoints.value))) ?? [], together: () => true,
  };
}

/** Who waits when it comes to a standstill waits for ever. @param {import("../grid/record.js").GridRecord} grid @param {number} process @returns {number} */
function endOf(grid, process) {
  const { state, end } = grid.track(process);
  return state === "waiting" || state === "hungry" ? grid.lastTick : end;
}

/** What is here of the meetings, and the next page of them. @param {import("../grid/record.js").GridRecord} grid */
function meetingsHere(grid) {
  store.inGrid(() => grid.allMeetings());
  return [...grid.pages.values()].flatMap(({ meetings }) => meetings);
}

/** Those at whom it came to a standstill, or who failed. @param {import("../grid/record.js").GridRecord} grid @returns {number[]} */
function brokenOf(grid) {
  const failed = grid.info.tracks.flatMap(({ state }, process) => (state === "failed" ? [process] : []));
  return [...new Set([...failed, ...(grid.info.story?.waits.map(({ process }) => process) ?? [])])];
}

/** Ticks at which the shown process is at a breakpoint. @param {import("../grid/record.js").GridRecord} grid @param {Set<number>} ops @returns {number[]} */
function markTicks(grid, ops) {
  if (ops.size === 0) return [];
  const clock = grid.clock(store.process.value, {});
  /** @type {number[]} */
  const marks = [];
  store.outline.value.stepChunks.forEach((chunk, number) => {
    for (let at = 0; chunk && at < chunk.count && marks.length < MOST_MARKS; at++) {
      if (ops.has(/** @type {number} */ (chunk.op[at]))) marks.push(clock.tickOf(number * CHUNK + at));
    }
  });
  return marks;
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const { process, ticks, grid } = store;
  const at = ticks.value[process.value] ?? 0;
  const members = grid.value?.members(looking.team.value) ?? [];
  const to = (/** @type {number} */ by) => actions.showProcess(Math.max(members[0] ?? 0, Math.min(process.value + by, members.at(-1) ?? 0)));
  const acts = /** @type {Record<string, () => void>} */ ({
    ArrowRight: actions.stepInto, ".": actions.stepInto, ArrowLeft: actions.stepBack, ",": actions.stepBack,
    ArrowUp: () => to(-1), ArrowDown: () => to(1),
    PageUp: () => actions.goToTick(at + PAGE), PageDown: () => actions.goToTick(at - PAGE),
    Home: () => actions.goToTick(0), End: () => actions.goToTick(grid.value?.lastTick ?? 0),
  });
  const act = acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

/** @param {PointerEvent} event @returns {Spot|null} */
function spotAt(event) {
  const grid = store.grid.value;
  if (!grid) return null;
  const { left, top, width, height } = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
  const share = Math.max(0, Math.min(1, (event.clientX - left) / width));
  const members = grid.members(looking.team.value);
  const row = Math.floor((event.clientY - top - TOP) / rowHeight({ width, height }, members.length));
  return { tick: Math.round(share * grid.lastTick), process: members[Math.max(0, Math.min(row, members.length - 1))] ?? 0 };
}

/** @param {PointerEvent} event */
function onPointer(event) {
  const track = /** @type {HTMLElement} */ (event.currentTarget);
  track.setPointerCapture(event.pointerId);
  const spot = spotAt(event);
  if (spot) actions.goToTick(spot.tick, spot.process);
}

/** @param {PointerEvent} event */
function onHover(event) {
  const spot = spotAt(event);
  hovered.value = spot;
  if (spot && event.buttons === 1 && spot.tick !== store.ticks.value[store.process.value]) actions.goToTick(spot.tick);
}
