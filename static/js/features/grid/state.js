/**
 * What of the grid is looked at, and how: read by the views of the grid panel and by nobody else.
 *
 * @typedef {"processes"|"motion"|"compare"|"assembled"|"queues"} View
 */
import { computed, signal } from "@preact/signals";
import { isHidden } from "../../core/hidden_values.js";
import { presenter } from "../../core/preferences.js";
import * as store from "../../core/store.js";
import { scaleOfWords } from "../../core/word_size.js";
import { arrivals, rangeOfAll, thumbnail } from "../../ui/thumbnails.js";
import { currentMeeting, processView } from "./process_view.js";

export const view = signal(/** @type {View} */ ("processes"));

/** Of the words in cells, which before an audience are larger than usual. */
export const scaleOfCells = () => (presenter.value ? scaleOfWords(document.body) : 1);

/** The team that was chosen; null for that of the shown process. */
const chosenTeam = signal(/** @type {number|null} */ (null));

export const team = computed(() => {
  store.gridVersion.value;
  const grid = store.grid.value;
  if (grid === null) return 0;
  const chosen = chosenTeam.value;
  return chosen !== null && chosen < grid.info.teams.length ? chosen : teamAround(grid, store.process.value);
});

/** The team of a process; of one that is alone, the team that it has opened. @param {import("../../core/grid/record.js").GridRecord} grid @param {number} process @returns {number} */
function teamAround(grid, process) {
  const own = grid.teamOf(process);
  if (grid.members(own).length > 1) return own;
  const tick = store.ticks.value[process] ?? 0;
  const opened = grid.info.teams.findLastIndex(({ opener, begin }) => opener?.process === process && begin <= tick + 1);
  return opened < 0 ? own : opened;
}

/** @param {number|null} number */
export const chooseTeam = (number) => (chosenTeam.value = number);

/** One scale of colours for the selected value in all processes. */
export const colourRange = computed(() => {
  arrivals.value;
  const key = store.recordingKey.value ?? "";
  return rangeOfAll(all.value.map((seen) => (seen?.address ? thumbnail(key, seen.address) : null)));
});

/** Processes under the pointer and under the keys. */
export const hovered = signal(/** @type {number|null} */ (null));
export const focused = signal(/** @type {number|null} */ (null));

/** The one that is explained beside the cells. */
export const explained = computed(() => hovered.value ?? focused.value ?? store.process.value);

/** All processes of the team as they are to be seen, in the order of their cells. */
export const all = computed(() => {
  store.ticks.value;
  store.held.value;
  const members = store.grid.value?.members(team.value) ?? [];
  return members.map((process) => store.inGrid((grid, program) => processView(grid, program, process)));
});

/** Whether a lesson asks what the selected value is in any process: pictures of all processes would tell. */
export const isCovered = computed(() =>
  all.value.some((seen) => Boolean(seen?.address) && isHidden(store.recordingKey.value ?? "", seen?.address ?? "")),
);

/** The meeting that was chosen in the list of meetings; null follows the position. */
export const chosenMeeting = signal(/** @type {number|null} */ (null));

export const meeting = computed(() => {
  const chosen = chosenMeeting.value;
  const found = chosen === null ? null : store.inGrid((grid) => grid.meeting(chosen));
  return found ?? currentMeeting(all.value, store.process.value);
});

/** Which group of the meeting's op each process is in: its place in the list of groups. @type {import("@preact/signals").ReadonlySignal<ReadonlyMap<number, number>>} */
export const groups = computed(() => {
  const found = meeting.value;
  return new Map((found?.info.groups ?? []).flatMap((group, number) => group.map((process) => [process, number])));
});

/** The group that is lit: that of the process under the pointer. */
export const lit = computed(() => (hovered.value === null ? null : (groups.value.get(hovered.value) ?? null)));

/** Colours to tell groups apart; further groups begin again, and their number tells them apart. */
export const GROUP_COLOURS = 8;

/** @param {number} group @returns {string} */
export const groupColour = (group) => `var(--group-${group % GROUP_COLOURS})`;
