/** Why the processes cannot go on: the sentences, and arrows over the cells from those who wait to those they wait for. */
import { html } from "htm/preact";
import { goToTick } from "../../actions.js";
import * as looking from "../../grid/looking.js";
import { arrowPath, arrowsOf, neverCame } from "../../grid/story.js";
import * as store from "../../store.js";

/** A larger grid shows the arrows of one process at a time. */
const MANY = 16;

/** Whether everybody is where it came to a standstill. @returns {boolean} */
function isThere() {
  const grid = store.grid.value;
  return grid !== null && grid.info.story !== null && grid.info.story.waits.every(({ process }) => (store.ticks.value[process] ?? 0) >= grid.track(process).end - 1);
}

export function StoryText() {
  store.gridVersion.value;
  const grid = store.grid.value;
  const story = grid?.info.story;
  if (!grid || !story) return null;
  return html`<section class="grid-story" aria-label="Why nobody goes on">
    <p class="sentence"><span aria-hidden="true">✕</span> ${capital(story.sentence)}.</p>
    <details open=${story.lines.length <= 4}><summary>${story.waits.length} ${story.waits.length === 1 ? "process waits" : "processes wait"}</summary>
      <ul>${story.lines.map((line) => html`<li>${line}.</li>`)}</ul></details>
    ${!isThere() && html`<button class="plain" onClick=${goThere}>Show where it stands</button>`}
  </section>`;
}

/** Everybody goes where it came to a standstill; who began it is shown. */
export function goThere() {
  const grid = store.grid.value;
  const story = grid?.info.story;
  if (!grid || !story) return;
  store.stageTab.value = "grid";
  looking.view.value = "processes";
  store.together.value = "all";
  goToTick(grid.lastTick, story.cycle[0] ?? story.waits[0]?.process ?? 0);
}

/** @param {string} text @returns {string} */
const capital = (text) => `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}`;

/** @param {{layout: import("../../grid/layout.js").Layout, members: number[]}} props */
export function StoryArrows({ layout, members }) {
  const story = store.grid.value?.info.story;
  if (!story || !isThere()) return null;
  const first = members[0] ?? 0;
  const here = (/** @type {number} */ process) => process >= first && process < first + members.length;
  const only = members.length > MANY || looking.hovered.value !== null ? looking.explained.value : null;
  const arrows = arrowsOf(story, only).filter(({ from, to }) => here(from) && here(to));
  return html`<svg class="grid-arrows" aria-hidden="true" width=${layout.width} height=${layout.height} viewBox=${`0 0 ${layout.width} ${layout.height}`}>
    ${neverCame(story).filter(here).map((process) => html`<${NeverCame} layout=${layout} index=${process - first} />`)}
    ${arrows.map(({ from, to, inCycle }) => html`<${Arrow} key=${`${from} ${to}`} path=${arrowPath(layout, from - first, to - first)} inCycle=${inCycle} />`)}</svg>`;
}

/** @param {{path: {curve: string, head: string}, inCycle: boolean}} props */
function Arrow({ path, inCycle }) {
  return html`<g class=${inCycle ? "cycle" : ""}><path class="halo" d=${path.curve} /><path class="curve" d=${path.curve} /><path class="head" d=${path.head} /></g>`;
}

/** @param {{layout: import("../../grid/layout.js").Layout, index: number}} props */
function NeverCame({ layout, index }) {
  const { columns, cell, gap } = layout;
  return html`<rect class="never" x=${(index % columns) * (cell.width + gap) + 2} y=${Math.floor(index / columns) * (cell.height + gap) + 2}
    width=${cell.width - 4} height=${cell.height - 4} rx="3" />`;
}
