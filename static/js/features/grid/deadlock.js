/** A deadlock: its sentences, and arrows over the cells from waiting processes to those that they wait for. */
import { html } from "htm/preact";
import { goToTick } from "../../core/actions.js";
import { chooseLockstep } from "../../core/grid/lockstep.js";
import * as store from "../../core/store.js";
import { showTab } from "../../core/view_actions.js";
import { placeOf } from "./layout.js";
import * as gridView from "./state.js";
import { Details } from "../../ui/details.js";
import { asSentence } from "../../core/messages.js";

/** Maximum number of processes with all arrows; a larger grid shows those of one. */
const MANY = 16;

/** Whether every process is shown at the step where the deadlock stopped it. @returns {boolean} */
function isThere() {
  const grid = store.grid.value;
  return (
    grid !== null &&
    grid.info.deadlock !== null &&
    grid.info.deadlock.waits.every(({ process }) => (store.ticks.value[process] ?? 0) >= grid.track(process).end - 1)
  );
}

export function DeadlockText() {
  store.gridVersion.value;
  const grid = store.grid.value;
  const report = grid?.info.deadlock;
  if (!grid || !report) return null;
  return html`<section class="grid-deadlock" aria-label="Deadlock">
    <p class="sentence"><span aria-hidden="true">✕</span> ${asSentence(report.sentence)}</p>
    <${Details} name="deadlock" open=${report.lines.length <= 4} summary=${`${report.waits.length} ${report.waits.length === 1 ? "process waits" : "processes wait"}`}>
      <ul>${report.lines.map((line) => html`<li>${line}.</li>`)}</ul><//>
    ${!isThere() && html`<button class="plain" onClick=${goToDeadlock}>Show where it stopped</button>`}
  </section>`;
}

/** Show every process at the step where the deadlock stopped it, and select the first of the cycle. */
export function goToDeadlock() {
  const grid = store.grid.value;
  const report = grid?.info.deadlock;
  if (!grid || !report) return;
  showTab("grid");
  gridView.view.value = "processes";
  chooseLockstep("all");
  goToTick(grid.lastTick, report.cycle[0] ?? report.waits[0]?.process ?? 0);
}

/** @param {{layout: import("./layout.js").Layout, members: number[]}} props */
export function DeadlockArrows({ layout, members }) {
  const report = store.grid.value?.info.deadlock;
  if (!report || !isThere()) return null;
  const first = members[0] ?? 0;
  const here = (/** @type {number} */ process) => process >= first && process < first + members.length;
  const only = members.length > MANY || gridView.hovered.value !== null ? gridView.explained.value : null;
  const arrows = arrowsOf(report, only).filter(({ from, to }) => here(from) && here(to));
  return html`<svg class="grid-arrows" aria-hidden="true" width=${layout.width} height=${layout.height} viewBox=${`0 0 ${layout.width} ${layout.height}`}>
    ${neverCame(report)
      .filter(here)
      .map((process) => html`<${NeverCame} layout=${layout} index=${process - first} />`)}
    ${arrows.map(({ from, to, inCycle }) => html`<${Arrow} key=${`${from} ${to}`} path=${arrowPath(layout, from - first, to - first)} inCycle=${inCycle} />`)}</svg>`;
}

/** @param {{path: {curve: string, head: string}, inCycle: boolean}} props */
function Arrow({ path, inCycle }) {
  return html`<g class=${inCycle ? "cycle" : ""}><path class="halo" d=${path.curve} /><path class="curve" d=${path.curve} /><path class="head" d=${path.head} /></g>`;
}

/** @param {{layout: import("./layout.js").Layout, index: number}} props */
function NeverCame({ layout, index }) {
  const { columns, cell, gap } = layout;
  return html`<rect class="never" x=${(index % columns) * (cell.width + gap) + 2} y=${Math.floor(index / columns) * (cell.height + gap) + 2}
    width=${cell.width - 4} height=${cell.height - 4} rx="3" />`;
}

/**
 * The arrows of a deadlock between cells. Pure functions.
 *
 * @typedef {{from: number, to: number, inCycle: boolean}} Arrow  processes
 */

/** Maximum number of arrows, those of the cycle first. */
const MOST_ARROWS = 64;

/**
 * @param {import("../../core/types.js").DeadlockReport} report @param {number|null} only the waits of this process only, and the cycle
 * @returns {Arrow[]}
 */
export function arrowsOf({ waits, cycle }, only = null) {
  const next = new Map(cycle.map((process, at) => [process, cycle[(at + 1) % cycle.length]]));
  const arrows = waits.flatMap(({ process, missing }) =>
    missing.map((to) => ({ from: process, to, inCycle: next.get(process) === to })),
  );
  const once = [...new Map(arrows.map((arrow) => [`${arrow.from} ${arrow.to}`, arrow])).values()];
  const shown = only === null ? once : once.filter(({ from, to, inCycle }) => inCycle || from === only || to === only);
  return shown.sort((a, b) => Number(b.inCycle) - Number(a.inCycle)).slice(0, MOST_ARROWS);
}

/** Processes that others wait for and that wait for none: they never arrived. @param {import("../../core/types.js").DeadlockReport} report @returns {number[]} */
export function neverCame({ waits }) {
  const waiting = new Set(waits.map(({ process }) => process));
  return [...new Set(waits.flatMap(({ missing }) => missing))].filter((process) => !waiting.has(process));
}

/** The path of an arrow: a curve and a head, between two cells of a layout. @param {import("./layout.js").Layout} layout @param {number} from index @param {number} to index @returns {{curve: string, head: string}} */
export function arrowPath(layout, from, to) {
  const { width, height } = layout.cell;
  const middle = (/** @type {number} */ index) => {
    const { x, y } = placeOf(layout, index);
    return { x: x + width / 2, y: y + height / 2 };
  };
  const [a, b] = [middle(from), middle(to)];
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const distance = Math.hypot(dx, dy) || 1;
  // Two processes that wait for each other have an arrow each: both bend to their own left.
  const bend = Math.min(0.22 * distance, 0.6 * Math.min(width, height));
  const control = { x: (a.x + b.x) / 2 + (dy / distance) * bend, y: (a.y + b.y) / 2 - (dx / distance) * bend };
  const short = Math.min(0.3 * Math.min(width, height), 0.3 * distance);
  const start = towards(a, control, short);
  const end = towards(b, control, short);
  const angle = Math.atan2(end.y - control.y, end.x - control.x);
  const reach = Math.max(5, Math.min(10, 0.12 * Math.min(width, height)));
  const wing = (/** @type {number} */ side) =>
    `L${round(end.x - reach * Math.cos(angle + side))} ${round(end.y - reach * Math.sin(angle + side))}`;
  return {
    curve: `M${round(start.x)} ${round(start.y)}Q${round(control.x)} ${round(control.y)} ${round(end.x)} ${round(end.y)}`,
    head: `M${round(end.x)} ${round(end.y)}${wing(0.5)}${wing(-0.5)}z`,
  };
}

/** @param {{x: number, y: number}} from @param {{x: number, y: number}} to @param {number} by */
function towards(from, to, by) {
  const distance = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) / distance) * by, y: from.y + ((to.y - from.y) / distance) * by };
}

/** @param {number} number @returns {number} */
const round = (number) => Math.round(10 * number) / 10;
