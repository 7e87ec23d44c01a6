/**
 * The view state of the grid, for the views of the grid panel only.
 *
 * @typedef {"processes"|"motion"|"compare"|"assembled"} View
 */
import { computed, signal } from "@preact/signals";
import { isHidden } from "../../core/hidden_values.js";
import { presenter } from "../../core/preferences.js";
import * as store from "../../core/store.js";
import { scaleOfWords } from "../../core/word_size.js";
import { arrivals, commonScale, thumbnail } from "../../ui/thumbnails.js";
import { currentExecution, processView } from "./process_view.js";

export const view = signal(/** @type {View} */ ("processes"));

/** Scale of the text in cells, larger in presenter mode. */
export const scaleOfCells = () => (presenter.value ? scaleOfWords(document.body) : 1);

/** The chosen launch group; null for that of the shown process. */
const chosenTeam = signal(/** @type {number|null} */ (null));

export const team = computed(() => {
  store.gridVersion.value;
  const grid = store.grid.value;
  if (grid === null) return 0;
  const chosen = chosenTeam.value;
  return chosen !== null && chosen < grid.info.teams.length ? chosen : teamAround(grid, store.process.value);
});

/** The launch group of a process; for a single process, the group that it launched. @param {import("../../core/grid/record.js").GridRecord} grid @param {number} process @returns {number} */
function teamAround(grid, process) {
  const own = grid.teamOf(process);
  if (grid.members(own).length > 1) return own;
  const tick = store.ticks.value[process] ?? 0;
  const opened = grid.info.teams.findLastIndex(({ opener, begin }) => opener?.process === process && begin <= tick + 1);
  return opened < 0 ? own : opened;
}

/** @param {number|null} number */
export const chooseTeam = (number) => (chosenTeam.value = number);

/** The chosen shape of the cells: the name of a mesh, or empty for replicas and partitions; null: a named mesh, if there is one. */
export const chosenShape = signal(/** @type {string|null} */ (null));

/** The meshes that the text states, which are those of the first launch group. */
export const meshes = computed(() => {
  store.gridVersion.value;
  return team.value === 0 ? (store.grid.value?.info.meshes ?? []) : [];
});

/** The mesh in whose shape the cells are drawn. */
export const mesh = computed(() => {
  const chosen = chosenShape.value;
  return meshes.value.find(({ name }) => (chosen === null ? name.startsWith("@") : name === chosen)) ?? null;
});

/** One colour scale for the selected value in all processes. */
export const colourScale = computed(() => {
  arrivals.value;
  const key = store.recordingKey.value ?? "";
  return commonScale(all.value.map((seen) => (seen?.address ? thumbnail(key, seen.address) : null)));
});

/** Processes under the pointer and the keyboard cursor. */
export const hovered = signal(/** @type {number|null} */ (null));
export const focused = signal(/** @type {number|null} */ (null));

/** The process in the details. */
export const explained = computed(() => hovered.value ?? focused.value ?? store.process.value);

/** All processes of the launch group, in the order of their cells. */
export const all = computed(() => {
  store.ticks.value;
  store.held.value;
  const members = store.grid.value?.members(team.value) ?? [];
  return members.map((process) => store.inGrid((grid, program) => processView(grid, program, process)));
});

/** Whether a question asks for the selected value in any process: pictures of the others would reveal it. */
export const isCovered = computed(() =>
  all.value.some((seen) => Boolean(seen?.address) && isHidden(store.recordingKey.value ?? "", seen?.address ?? "")),
);

/** The execution chosen in the list; null follows the position. */
export const chosenExecution = signal(/** @type {number|null} */ (null));

export const execution = computed(() => {
  const chosen = chosenExecution.value;
  const found = chosen === null ? null : store.inGrid((grid) => grid.execution(chosen));
  return found ?? currentExecution(all.value, store.process.value);
});

/** The index of each process's group in the op. @type {import("@preact/signals").ReadonlySignal<ReadonlyMap<number, number>>} */
export const groups = computed(() => {
  const found = execution.value;
  return new Map((found?.info.groups ?? []).flatMap((group, number) => group.map((process) => [process, number])));
});

/** The highlighted group: that of the process under the pointer. */
export const lit = computed(() => (hovered.value === null ? null : (groups.value.get(hovered.value) ?? null)));

/** Colours of groups; they repeat, and the number tells groups apart. */
export const GROUP_COLOURS = 8;

/** @param {number} group @returns {string} */
export const groupColour = (group) => `var(--group-${group % GROUP_COLOURS})`;
