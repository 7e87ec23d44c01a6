/** Above the cells: the launch group, the view, the collective, and the legend of the marks. */
import { effect, signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { goToTick } from "../../core/actions.js";
import * as store from "../../core/store.js";
import { setHurried } from "../../core/view_actions.js";
import { eachFrame } from "../../ui/canvas.js";
import { Icon } from "../../ui/icons.js";
import * as gridView from "./state.js";
import { Choice } from "../../ui/fields.js";

/** @type {{id: gridView.View, title: string}[]} */
const VIEWS = [
  { id: "processes", title: "Processes" },
  { id: "motion", title: "Data moving" },
  { id: "compare", title: "Differences" },
  { id: "assembled", title: "Assembled" },
];

const SPEEDS = [1, 2, 4, 10, 30].map((speed) => [speed, `${speed} ticks/s`]);

export function GridHead() {
  const grid = /** @type {import("../../core/grid/record.js").GridRecord} */ (store.grid.value);
  return html`<div class="grid-head">
    <span class="grid-views" role="group" aria-label="View of the grid">
      ${VIEWS.map(({ id, title }) => html`<button aria-pressed=${gridView.view.value === id} onClick=${() => (gridView.view.value = id)}>${title}</button>`)}</span>
    ${grid.info.teams.length > 1 && html`<${TeamMenu} grid=${grid} />`}
    ${gridView.view.value === "processes" && gridView.meshes.value.length > 0 && html`<${ShapeMenu} />`}
    <span class="spring"></span>
    ${gridView.view.value === "processes" && html`<${Clockwork} />`}
    ${gridView.view.value === "processes" && html`<span class="grid-meets">${meets()}</span>`}
  </div>`;
}

/** The common clock: all processes advance tick by tick. */
function Clockwork() {
  useEffect(keepRunning, []);
  const setSpeed = (/** @type {number} */ speed) => (ticksASecond.value = speed);
  return html`<span class="grid-clock"><button class="plain" onClick=${toggleRunning} title="Advance all processes tick by tick"><${Icon} name=${running.value ? "pause" : "continue"} />${running.value ? "Pause" : "Play"}</button>
    <label><span class="hidden">Ticks per second</span><${Choice} options=${SPEEDS} value=${ticksASecond.value} choose=${setSpeed} /></label></span>`;
}

/** @param {{grid: import("../../core/grid/record.js").GridRecord}} props */
function TeamMenu({ grid }) {
  const options = grid.info.teams.map(({ replicas, partitions, opener }, number) => [
    number,
    `${number}: ${replicas} × ${partitions}${opener ? `, opened by ${grid.nameOf(opener.process)} on line ${store.draftLine(opener.line)}` : ""}`,
  ]);
  return html`<label>Launch group <${Choice} options=${options} value=${gridView.team.value} choose=${gridView.chooseTeam} /></label>`;
}

/** The shape of the cells: replicas and partitions, or a mesh of the text. */
function ShapeMenu() {
  const shown = gridView.mesh.value?.name ?? "";
  const choose = (/** @type {string} */ name) => (gridView.chosenShape.value = name);
  const options = [["", "replicas × partitions"], ...gridView.meshes.value.map((mesh) => [mesh.name, shapeOf(mesh)])];
  return html`<label>Shape <${Choice} options=${options} value=${shown} choose=${choose} /></label>`;
}

/** `@mesh: x 2 × y 4`. @param {import("../../core/types.js").MeshInfo} mesh @returns {string} */
const shapeOf = ({ name, axes }) => `${name}: ${axes.map((axis) => `${axis.name} ${axis.size}`).join(" × ")}`;

/** The axes of a mesh that the groups span: the mesh in whose shape cells are drawn, or else the first that has such axes. @param {readonly (string[]|null)[]} axes for each mesh @returns {string} */
function spanned(axes) {
  const { meshes, mesh } = gridView;
  const at = mesh.value ? meshes.value.indexOf(mesh.value) : axes.findIndex((found) => found !== null);
  const [name, found] = [meshes.value[at]?.name, axes[at]];
  if (name === undefined || found === undefined) return "";
  if (found === null) return `, not along axes of ${name}`;
  return found.length === 0 ? ", each process alone" : ` along ${found.join(" and ")} of ${name}`;
}

/** A description of the collective execution whose groups are coloured. @returns {string} */
function meets() {
  const execution = gridView.execution.value;
  if (!execution) return "No collective here.";
  const { kind, line, groups, channel } = execution.info;
  const count = groups.length === 1 ? "one group" : `${groups.length} groups`;
  return `${kind}, line ${store.draftLine(line)}${channel ? `, channel ${channel}` : ""}: ${count}${spanned(execution.info.axes)}`;
}

/** Run the common clock: all processes advance at this rate. */

/** Maximum rate, in ticks per second, that the eye can follow. */
const READABLE = 2;

export const running = signal(false);
export const ticksASecond = signal(4);

/** Keep the clock running. @returns {() => void} ends it */
export function keepRunning() {
  let due = 0;
  const step = (/** @type {number} */ now) => {
    if (now < due) return;
    due = Math.max(due, now - 100) + 1000 / ticksASecond.value;
    const grid = store.grid.value;
    const at = store.ticks.value[store.process.value] ?? 0;
    if (!grid || at >= grid.lastTick) running.value = false;
    else goToTick(at + 1);
  };
  const ends = [
    eachFrame(running, step),
    effect(() => setHurried(running.value && ticksASecond.value > READABLE)),
    () => (running.value = false),
  ];
  return () => ends.forEach((end) => end());
}

/** Restart at the end. */
export function toggleRunning() {
  const at = store.ticks.value[store.process.value] ?? 0;
  if (!running.value && at >= (store.grid.value?.lastTick ?? 0)) goToTick(0);
  running.value = !running.value;
}
