/** The room of a page: its bar, its dialogs, and how a page comes into one. */
import { effect } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { hideValues, hideWays } from "../../core/hidden_values.js";
import { keepPresenting } from "../../core/preferences.js";
import * as store from "../../core/store.js";
import { openDialog } from "../../core/view_actions.js";
import { panels } from "../layout/state.js";
import { spreadAhead } from "../tensor/ahead.js";
import { marksFor } from "../tensor/marks.js";
import { answerMarks } from "./answers_on_tensor.js";
import { AskDialog } from "./ask_dialog.js";
import { RoomBar } from "./bar.js";
import { coalesced } from "./coalesced.js";
import { EndDialog, RoomDialog } from "./dialogs.js";
import { beginWithClass, goWithRoom, listenToHands } from "./following.js";
import * as lesson from "./lesson.js";
import { isCovered, isWayCovered } from "./model.js";
import { fraction, placeOfThing, thingAt } from "./pointed.js";
import { PollCard } from "./poll_card.js";
import * as state from "./state.js";
/** @import {PointerPlace} from "../../core/types.js" */

/** @typedef {{room?: {id: string, screen: boolean}}} PageData */

/** Behind the address of a session that a playground has made: a room is to be opened. */
const OPENING = "#open-room";

/** Below the toolbar. */
export function Room() {
  if (state.room.value === null) return null;
  return html`<${RoomBar} /><${PollCard} /><${Pointer} />`;
}

/** In the menu of links: nobody opens a room who is in the class of another one. @returns {import("../../ui/menu.js").MenuItem[]} */
export function roomItems() {
  if (state.room.peek() !== null && !state.isTeacher.peek()) return [];
  const text = state.room.peek() === null ? "Open a room for a class…" : "Invite the class…";
  return [{ text, note: "they follow you, live", run: () => openDialog("room") }];
}

/** Of the dialogs that are open one is the room's. */
export function RoomDialogs() {
  if (store.dialog.value === "room") return html`<${RoomDialog} />`;
  if (state.roomDialog.value === "poll") return html`<${AskDialog} />`;
  if (state.roomDialog.value === "end") return html`<${EndDialog} />`;
  return null;
}

/**
 * Which room a page is in by its address, before anything is shown. The teacher's secret leaves the address, which people copy.
 *
 * @param {PageData} given @returns {state.GivenRoom|null}
 */
export function roomOfPage({ room }) {
  listenToHands();
  if (!room) return null;
  const { id, screen: isScreen } = room;
  const owner = ownerInAddress();
  if (owner !== null) {
    state.rememberOwner(id, owner);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  if (isScreen) showLarge();
  return { id, owner: isScreen ? null : (owner ?? state.rememberedOwner(id)), isScreen };
}

/** Ids of a lesson's steps stand behind the # too. */
const ownerInAddress = () => /^#owner=([\w-]{16,100})$/.exec(location.hash)?.[1] ?? null;

/** What is read from the last row, with nothing that one would press. */
function showLarge() {
  document.body.classList.add("room-screen");
  keepPresenting();
}

/** Once the session is shown: go into the room of the address, or into that which this browser knows of the session. @param {state.GivenRoom|null} given */
export function enterRoom(given) {
  const found = given ?? state.rememberedRoom(store.sessionId.peek());
  marksFor.value = answerMarks;
  if (given) beginWithClass();
  goWithRoom();
  tellPointer();
  effect(coverAsked);
  effect(shareLesson);
  if (found) {
    spreadAhead();
    state.joinRoom(found);
  } else if (location.hash === OPENING) {
    history.replaceState(history.state, "", location.pathname + location.search);
    openDialog("room");
  }
}

/** What the class is asked is covered until the answer is shown. */
function coverAsked() {
  const target = state.poll.value?.target ?? null;
  const isHere = target !== null && target.run === store.run.value?.number;
  const covers = isHere && isCovered(state.view.value);
  const named = (/** @type {string} */ address) => `${store.recordingKey.value} ${address}`;
  const made = isHere && isWayCovered(state.view.value) ? madeOf(target) : [];
  hideValues([...(covers ? [target.address] : []), ...made].map(named), "room");
  hideWays(made.map(named));
}

/** Of a poll for an element: the values whose elements are asked for. @param {import("../../core/types.js").PollTarget} target @returns {string[]} */
function madeOf({ address, read_by: by }) {
  if (by) return [by.address];
  const ask = lesson.askOf(state.poll.value?.lesson_ask ?? "");
  return (ask?.hides ?? []).map((hidden) => hidden.address).filter((each) => each !== address);
}

/** Exercises of the lesson are checked, and copies made, for members of the room, who need not have signed in. */
function shareLesson() {
  const given = state.room.value;
  if (given === null || state.isTeacher.value) return;
  lesson.exercises.checkPath = (step) => state.roomPath(given.id, `/changes/${encodeURIComponent(step)}`);
  lesson.exercises.headers = state.roomHeaders;
  lesson.exercises.copy = ({ run }, text) => state.copyOf(run, text);
}

const SEND_MS = 80;
/** A pointer that rests for so long points at nothing. */
const RESTS_MS = 4_000;

const say = coalesced(SEND_MS, (/** @type {PointerPlace|null} */ at) => state.tell({ type: "pointer", at }));

let wasPointing = false;

/** Say where the pointer of this page is, while it leads. */
function tellPointer() {
  let timer = 0;
  const nowhere = () => {
    if (wasPointing) say(null);
    wasPointing = false;
  };
  window.addEventListener(
    "pointermove",
    (event) => {
      if (!state.leads.peek()) return;
      clearTimeout(timer);
      const at = placeOf(event);
      if (!at) return nowhere();
      wasPointing = true;
      say(at);
      timer = window.setTimeout(nowhere, RESTS_MS);
    },
    { passive: true },
  );
  document.documentElement.addEventListener("pointerleave", nowhere);
}

/** @param {PointerEvent} event @returns {PointerPlace|null} */
function placeOf({ target, clientX, clientY }) {
  const host = target instanceof Element ? target.closest(".panel") : null;
  const panel = host?.id.replace(/^panel-/, "") ?? "";
  if (!host || !isShown(panel)) return null;
  const { left, top, width, height } = host.getBoundingClientRect();
  const thing = thingAt(host, /** @type {Element} */ (target), { x: clientX, y: clientY });
  return { panel, x: fraction((clientX - left) / width), y: fraction((clientY - top) / height), thing };
}

/** The teacher's own panel is nobody else's. @param {string} id */
const isShown = (id) => id !== "class" && panels.peek().some((panel) => panel.id === id);

/** A dot over the panel that is pointed at, where it is seen here. */
function Pointer() {
  const at = state.pointed.value;
  const [, moved] = useState(0);
  useEffect(() => {
    const again = () => moved((count) => count + 1);
    const types = /** @type {const} */ (["resize", "scroll"]);
    for (const type of types) window.addEventListener(type, again, { capture: true, passive: true });
    return () => types.forEach((type) => window.removeEventListener(type, again, { capture: true }));
  }, []);
  if (!at || state.leads.value || !state.isFollowing.value) return null;
  const panel = document.getElementById(`panel-${at.panel}`);
  const box = panel?.getBoundingClientRect();
  if (!panel || !box || box.width === 0) return null;
  const found = (at.thing && placeOfThing(panel, at.thing)) ?? {
    x: box.left + at.x * box.width,
    y: box.top + at.y * box.height,
  };
  // What is scrolled out of sight here is pointed at from the edge.
  const style = {
    left: `${Math.min(box.right, Math.max(box.left, found.x))}px`,
    top: `${Math.min(box.bottom, Math.max(box.top, found.y))}px`,
  };
  return html`<div class="room-pointer" style=${style} aria-hidden="true"></div>`;
}
