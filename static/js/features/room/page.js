/** The room of a page: its bar, its dialogs, and how the page joins it. */
import { effect } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { hide } from "../../core/hidden_values.js";
import { showToAudience } from "../../core/preferences.js";
import * as store from "../../core/store.js";
import { heldAxes } from "../../core/tensor/axes.js";
import { openDialog } from "../../core/view_actions.js";
import { panels } from "../layout/state.js";
import { spreadAhead } from "../tensor/ahead.js";
import { placeInPicture } from "../tensor/cursor_target.js";
import { marksFor } from "../tensor/marks.js";
import { AskDialog } from "./ask_dialog.js";
import { RoomBar } from "./bar.js";
import { coalesced } from "./coalesced.js";
import { EndDialog, RoomDialog } from "./dialogs.js";
import { beginWithClass, goWithRoom, listenToHands } from "./following.js";
import * as lesson from "./lesson.js";
import { isAsked } from "./model.js";
import { fraction, placeOfThing, thingAt } from "./pointed.js";
import { PollCard } from "./poll_card.js";
import { RecordsDialog } from "./records.js";
import * as state from "./state.js";
/** @import {Layout} from "../../core/tensor/axes.js" */
/** @import {PointerPlace} from "../../core/types.js" */
/** @import {Mark} from "../tensor/marks.js" */

/** @typedef {{room?: {id: string, screen: boolean, language?: string, labels?: Record<string, string>}}} PageData labels: without a lesson, those of the browser's language */

/** Fragment of a new session's address that opens the dialog of a room. */
const OPENING = "#open-room";

/** Below the toolbar. */
export function Room() {
  if (state.room.value === null) return null;
  return html`<${RoomBar} /><${PollCard} /><${Pointer} />`;
}

/** Whether a member's room has ended, and with it the session that this page shows. */
export const isOver = () => state.view.value.hasEnded && !state.isTeacher.value;

/** Menu items for a room; a member of a room cannot open another one. @returns {import("../../ui/menu.js").MenuItem[]} */
export function roomItems() {
  if (state.room.peek() !== null && !state.isTeacher.peek()) return [];
  const text = lesson.words(state.room.peek() === null ? "openForClass" : "inviteClass");
  return [{ text, note: lesson.words("followYou"), run: () => openDialog("room") }];
}

/** The open dialog of the room, if any. */
export function RoomDialogs() {
  if (store.dialog.value === "room") return html`<${RoomDialog} />`;
  if (state.roomDialog.value === "poll") return html`<${AskDialog} />`;
  if (state.roomDialog.value === "records") return html`<${RecordsDialog} />`;
  if (state.roomDialog.value === "end") return html`<${EndDialog} />`;
  return null;
}

/**
 * The room in the address, before anything is shown. The teacher's secret is removed from the address, which people copy.
 *
 * @param {PageData} given @returns {state.GivenRoom|null}
 */
export function roomOfPage({ room }) {
  listenToHands();
  if (!room) return null;
  const { id, screen: isScreen } = room;
  if (room.labels) lesson.withoutLesson.value = { language: room.language ?? "en", labels: room.labels };
  const owner = ownerInAddress();
  if (owner !== null) {
    state.rememberOwner(id, owner);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  if (isScreen) showLarge();
  return { id, owner: isScreen ? null : (owner ?? state.rememberedOwner(id)), isScreen };
}

/** The fragment may also be the id of a lesson's step. */
const ownerInAddress = () => /^#owner=([\w-]{16,100})$/.exec(location.hash)?.[1] ?? null;

/** Large text without controls, for a projector. */
function showLarge() {
  document.body.classList.add("room-screen");
  showToAudience();
}

/** After the session is shown: join the room of the address, or the one that this browser remembers for the session. @param {state.GivenRoom|null} given */
export function enterRoom(given) {
  const found = given ?? state.rememberedRoom(store.sessionId.peek());
  marksFor.value = answerMarks;
  if (given) beginWithClass();
  goWithRoom();
  tellPointer();
  effect(coverAsked);
  effect(shareLesson);
  effect(uncoverOnScreen);
  if (found) {
    spreadAhead();
    state.joinRoom(found);
  } else if (location.hash === OPENING) {
    history.replaceState(history.state, "", location.pathname + location.search);
    openDialog("room");
  }
}

/** Hide the target of a poll until its answer is shown. */
function coverAsked() {
  const poll = state.poll.value;
  const target = poll?.target ?? null;
  const isOpen = isAsked(state.view.value);
  lesson.heldAsk.value = isOpen ? (poll?.lesson_ask ?? null) : null;
  const isHere = isOpen && target !== null && target.run === store.run.value?.number;
  const cover = isHere ? poll?.cover : null;
  const ask = isOpen ? lesson.askOf(poll?.lesson_ask ?? "") : null;
  const ofLesson = (ask?.hides ?? []).filter(({ run }) => run === store.run.value?.number);
  const ofTarget = isHere && ask === null ? [poll?.kind === "cell" ? target.read_by?.address : target.address] : [];
  const covered = [...ofTarget, ...(cover?.addresses ?? [])].flatMap((address) => address ?? []);
  const addresses = [...ofLesson.map(({ address }) => address), ...covered];
  const values = addresses.map((address) => `${store.recordingKey.value} ${address}`);
  // The index map of a polled element shows which element its number was copied from.
  const ways = poll?.kind === "number" || poll?.kind === "cell" ? values : [];
  const marks = ask?.ask === "step" && store.recordingKey.value ? [store.recordingKey.value] : [];
  const sizes = ask === null || ofLesson.length === 0 ? [] : lesson.sizesOf(ask);
  const beyond = (cover?.beyond ?? []).map((from) => ({ ...from, key: store.recordingKey.value ?? "" }));
  hide({ values, ways, sizes, marks, beyond }, "room");
}

/** The projector never answers: what a question of the lesson covers there, the end of its poll uncovers. */
function uncoverOnScreen() {
  const poll = state.poll.value;
  if (state.isScreen.value && poll?.revealed && poll.lesson_ask) lesson.keepAnswer(poll.lesson_ask, { state: "shown" });
}

/** Members without a token check exercises and make copies through the room. */
function shareLesson() {
  const given = state.room.value;
  if (given === null || state.isTeacher.value) return;
  lesson.exercises.checkPath = (step) => state.roomPath(given.id, `/changes/${encodeURIComponent(step)}`);
  lesson.exercises.headers = state.roomHeaders;
  lesson.exercises.copy = ({ run }, text) => state.copyOf(run, text);
}

const SEND_MS = 80;
/** Timeout after which a resting pointer disappears. */
const RESTS_MS = 4_000;

const say = coalesced(SEND_MS, (/** @type {PointerPlace|null} */ at) => state.tell({ type: "pointer", at }));

let wasPointing = false;

/** Send the position of the pointer while this page leads. */
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

/** Only the teacher has the panel of the class. @param {string} id */
const isShown = (id) => id !== "class" && panels.peek().some((panel) => panel.id === id);

/** A dot at the leader's pointer, if the panel is visible here. */
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
  // A target that is scrolled out of view is marked at the edge.
  const style = {
    left: `${Math.min(box.right, Math.max(box.left, found.x))}px`,
    top: `${Math.min(box.bottom, Math.max(box.top, found.y))}px`,
  };
  return html`<div class="room-pointer" style=${style} aria-hidden="true"></div>`;
}

/** The answers of the open poll, if it is about the value at `address`. @param {string} address @param {Layout} layout @returns {Mark[]|null} */
function answerMarks(address, layout) {
  const poll = state.poll.value;
  const { results } = state.view.value;
  return poll?.kind === "cell" && poll.target?.address === address && results ? marksOf(results, layout) : null;
}

/** Only the marks in the shown slice. @param {import("../../core/types.js").PollResultsMessage} results @param {Layout} layout @returns {Mark[]} */
function marksOf({ heat = [], truth }, layout) {
  const right = new Set((truth?.cells ?? []).map(String));
  const most = Math.max(1, ...heat.map(({ count }) => count));
  const counts = new Map(heat.map(({ element, count }) => [String(element), count]));
  const clicked = heat.map(({ element }) => element);
  const unclicked = (truth?.cells ?? []).filter((cell) => !counts.has(String(cell)));
  return [...clicked, ...unclicked]
    .filter((element) => heldAxes(layout.slice).every((axis) => element[axis] === layout.slice.at[axis]))
    .map((element) => {
      const count = counts.get(String(element)) ?? 0;
      return { ...placeInPicture(element, layout), count, share: count / most, right: right.has(String(element)) };
    });
}
