/**
 * Following the class. The leader's page sends its position; followers move with it until they act themselves: a
 * step, a scroll, a click on a value or a tab. They return only on request.
 */
import { batch, computed, effect, untracked } from "@preact/signals";
import { arriveInRun, goToIn } from "../../core/actions.js";
import { changedKeys } from "../../core/keys.js";
import { reportError, say } from "../../core/messages.js";
import { elementAtCursor } from "../../core/position_url.js";
import { showRun } from "../../core/session.js";
import * as store from "../../core/store.js";
import { askTopLine, chooseValue, showTab } from "../../core/view_actions.js";
import { aimOnceShown } from "../sessions/current.js";
import { coalesced } from "./coalesced.js";
import * as lesson from "./lesson.js";
import { isSamePlace, Way } from "./model.js";
import * as state from "./state.js";
/** @import {RoomPosition} from "../../core/types.js" */

const LEAD_MS = 50;
const WHERE_MS = 1_000;
/** Events in the room's own controls, in overlays, or in a question that the class is at, do not end the following. */
const OF_ROOM = ".room-bar, .room-card, .panel-class, .lesson-ask, dialog, [role=menu]";

/** Tab from control to control does not end the following. */
const MOVES_FOCUS = ["Tab", "Shift", "Control", "Alt", "Meta"];

const way = new Way();
/** Each move cancels the previous one, which may still wait for another run. */
let turn = 0;

/** The position of this page. @type {import("@preact/signals").ReadonlySignal<RoomPosition|null>} */
const here = computed(() => {
  const run = store.run.value?.number;
  if (run === undefined) return null;
  return {
    run,
    step: store.position.value,
    process: store.process.value,
    tab: store.stageTab.value,
    value: store.chosenValue.value,
    path: store.chosenPath.value,
    element: elementAtCursor(),
    line: store.topLine.value,
  };
});

/** Keep the page in step with its room from now on. */
export function goWithRoom() {
  effect(follow);
  effect(lead);
  effect(noticeOwnWay);
  effect(sayWhere);
  effect(keepLeader);
  lesson.onAnswered(({ lesson_step, right, id, said }) =>
    // Exercises are recorded where they are checked.
    state.tell({ type: "progress", lesson_step, right, ...(lesson.askOf(id) && { ask: id, said }) }),
  );
}

/** Follow the class again. */
export function backToClass() {
  const given = state.room.peek();
  if (given === null) return say({ kind: "info", text: lesson.words("noRoom") });
  if (given.isOwn) return location.assign(state.roomAddress(given.id));
  way.target = null;
  if (state.watched.peek() !== null) begins = true;
  batch(() => {
    state.watched.value = null;
    state.isFollowing.value = true;
  });
}

/** Show what a member's page shows, and stay with it; the class stays where it is. @param {string} name */
export function watch(name) {
  way.target = null;
  state.watched.value = name;
}

function breakAway() {
  if (state.isFollowing.peek() && !state.leads.peek() && !state.isOwnCopy.peek() && !state.isScreen.peek())
    state.isFollowing.value = false;
}

/** A leader who came by the link of the room starts at the position of the class. */
function follow() {
  const room = state.roomState.value;
  const seen = state.watchedMember.value;
  if (seen) return untracked(() => goTo(seen));
  if (!room || state.isOwnCopy.value || !state.isFollowing.value || (state.leads.value && !begins)) return;
  begins = false;
  untracked(() => goTo(room));
}

/** Whether a leading page still has to move to the class. */
let begins = false;

/** The page was opened by the link of the room. */
export function beginWithClass() {
  begins = true;
}

/** @param {Pick<import("../../core/types.js").RoomState, "position"|"lesson_step">} place of the class, or of a member */
function goTo({ position, lesson_step }) {
  way.lessonStep = lesson_step ?? lesson.currentStep.peek();
  if (lesson_step && lesson_step !== lesson.currentStep.peek()) lesson.goToLessonStep(lesson_step, { moves: false });
  if (state.isScreen.peek()) askTopLine(position.line);
  if (way.target && isSamePlace(way.target, position)) return;
  way.leadTo(position, here.peek());
  void arrive(position);
}

/** @param {RoomPosition} position */
async function arrive(position) {
  const mine = ++turn;
  try {
    if (position.run !== store.run.peek()?.number) {
      await showRun(position.run);
      if (mine !== turn) return;
      arriveInRun();
    }
    if (position.process !== store.process.peek() || position.step !== store.position.peek())
      goToIn(position.process, position.step);
    look(position);
  } catch (error) {
    reportError(error);
  }
}

/** @param {RoomPosition} position */
function look({ tab, value, path, element }) {
  const isOther = value !== store.chosenValue.peek() || String(path) !== String(store.chosenPath.peek());
  batch(() => {
    if (isOther && (value === null || store.program.peek()?.values[value] !== undefined)) chooseValue(value, path);
    if (tab && tab !== store.stageTab.peek() && isPanelHere(tab)) showTab(tab, lesson.shown() !== null);
  });
  if (element && !isAnsweringByClick() && String(element) !== String(elementAtCursor())) aimOnceShown(element);
}

/** Another version, or another run, may lack a panel. @param {string} tab */
const isPanelHere = (tab) => document.getElementById(`panel-${tab}`) !== null || !["grid", "queues"].includes(tab);

/** Members answer such a poll by clicking on elements. */
const isAnsweringByClick = () => state.poll.peek()?.kind === "cell" && state.poll.peek()?.open === true;

/** Whether the page is still moving to the class. @param {RoomPosition} place */
const isOnWay = (place) => way.target !== null && !way.hasActed && !isSamePlace(way.target, place);

const sayState = coalesced(LEAD_MS, (/** @type {RoomPosition} */ position, /** @type {string|null} */ step) => {
  if (state.leads.peek()) state.tell({ type: "state", position, lesson_step: step });
});

function lead() {
  const place = here.value;
  const step = lesson.currentStep.value;
  void state.you.value; // after each welcome too
  if (!state.leads.value || !place || begins) return;
  if (isOnWay(place)) return;
  way.target = place;
  way.act(); // A leader moves on their own, also with the focus in a question of the lesson.
  sayState(place, step);
}

/** A former leader follows from there on. */
function keepLeader() {
  if (state.leads.value) untracked(() => (state.isFollowing.value = true));
}

function noticeOwnWay() {
  const place = here.value;
  const lessonStep = lesson.currentStep.value;
  if (!place) return;
  untracked(() => {
    // The element of an answer stays selected after the poll; it never counts as leaving the class.
    if (way.target && isAnsweringByClick()) way.target = { ...way.target, element: place.element };
    if (way.isLeft(place, lessonStep)) breakAway();
  });
}

const tellWhere = coalesced(WHERE_MS, (/** @type {import("../../core/types.js").SentWhere} */ message) =>
  state.tell(message),
);

function sayWhere() {
  const place = here.value;
  const isOwn = state.isOwnCopy.value;
  const following = state.isFollowing.value && !isOwn;
  const lesson_step = lesson.currentStep.value;
  if (!place || state.you.value?.role !== "member") return;
  untracked(() => tellWhere({ type: "where", following, position: place, lesson_step, own: isOwn }));
}

/** Listen to input events in the capture phase, before the page handles them. */
export function listenToHands() {
  const listen = (/** @type {string} */ type, /** @type {(event: Event) => void} */ hear) =>
    window.addEventListener(type, (event) => isOnPage(event) && hear(event), { capture: true, passive: true });
  listen("pointerdown", () => way.act());
  listen("keydown", (event) => MOVES_FOCUS.includes(/** @type {KeyboardEvent} */ (event).key) || way.act());
  for (const type of ["wheel", "touchmove"]) listen(type, ({ target }) => isIn(target, "#main") && breakAway());
  listen("scroll", ({ target }) => way.hasActed && isIn(target, "#main") && breakAway());
  window.addEventListener("keydown", goBackByKey, { capture: true });
}

/** @param {Event} event */
const isOnPage = ({ target }) => state.room.peek() !== null && !isIn(target, OF_ROOM);

/** @param {EventTarget|null} target @param {string} selector */
const isIn = (target, selector) => target instanceof Element && target.closest(selector) !== null;

/** A single letter is for typing in text fields; changed key bindings replace it. @param {KeyboardEvent} event */
function goBackByKey(event) {
  const isTyping = isIn(event.target, "input, textarea, select, [contenteditable=true]:not([aria-readonly=true])");
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
  const isAway = !state.isFollowing.peek() || state.isOwnCopy.peek() || state.watched.peek() !== null;
  if (event.key !== "f" || !isPlain || isTyping || !isAway || state.room.peek() === null) return;
  if (changedKeys.peek().backToClass !== undefined) return;
  event.preventDefault();
  event.stopPropagation();
  backToClass();
}
