/** Above the cells: which team, which view, what meets, and what the marks mean. */
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { keepRunning, running, ticksASecond, toggleRunning } from "../../grid/clockwork.js";
import * as looking from "../../grid/looking.js";
import * as store from "../../store.js";
import { Icon } from "../../ui/icons.js";

/** @type {{id: looking.View, title: string}[]} */
const VIEWS = [{ id: "processes", title: "Processes" }, { id: "motion", title: "Data moving" }, { id: "compare", title: "Compare" }, { id: "whole", title: "Whole" }];

const SPEEDS = [1, 2, 4, 10, 30];

export function GridHead() {
  const grid = /** @type {import("../../grid/record.js").GridRecord} */ (store.grid.value);
  return html`<div class="grid-head">
    ${VIEWS.length > 1 && html`<span class="grid-views" role="group" aria-label="View of the grid">
      ${VIEWS.map(({ id, title }) => html`<button aria-pressed=${looking.view.value === id} onClick=${() => (looking.view.value = id)}>${title}</button>`)}</span>`}
    ${grid.info.teams.length > 1 && html`<${TeamMenu} grid=${grid} />`}
    <span class="spring"></span>
    ${looking.view.value === "processes" && html`<${Clockwork} />`}
    ${looking.view.value === "processes" && html`<span class="grid-meets">${meets()}</span>`}
  </div>`;
}

/** The common clock: all processes go on, tick by tick. */
function Clockwork() {
  useEffect(keepRunning, []);
  const setSpeed = (/** @type {Event} */ event) => (ticksASecond.value = Number(/** @type {HTMLSelectElement} */ (event.currentTarget).value));
  return html`<span class="grid-clockwork"><button class="plain" onClick=${toggleRunning} title="All processes go on, tick by tick"><${Icon} name=${running.value ? "pause" : "continue"} />${running.value ? "Pause" : "Play"}</button>
    <label><span class="hidden">Ticks a second</span><select onChange=${setSpeed}>${SPEEDS.map((speed) => html`<option value=${speed} selected=${speed === ticksASecond.value}>${speed} ticks/s</option>`)}</select></label></span>`;
}

/** @param {{grid: import("../../grid/record.js").GridRecord}} props */
function TeamMenu({ grid }) {
  const choose = (/** @type {Event} */ event) => looking.chooseTeam(Number(/** @type {HTMLSelectElement} */ (event.currentTarget).value));
  return html`<label>Team <select onChange=${choose}>
    ${grid.info.teams.map(({ replicas, partitions, opener }, number) => html`<option value=${number} selected=${number === looking.team.value}>
      ${number}: ${replicas} × ${partitions}${opener ? `, opened by ${grid.nameOf(opener.process)} on line ${store.draftLine(opener.line)}` : ""}</option>`)}
  </select></label>`;
}

/** The meeting whose groups are coloured, in words. @returns {string} */
function meets() {
  const meeting = looking.meeting.value;
  if (!meeting) return "Nobody meets here.";
  const { kind, line, groups, channel } = meeting.info;
  const count = groups.length === 1 ? "one group" : `${groups.length} groups`;
  return `${kind}, line ${store.draftLine(line)}${channel ? `, channel ${channel}` : ""}: ${count}`;
}
