/** The room of this page: who one is in it, what it is now, and the line to it. */
import { batch, computed, signal } from "@preact/signals";
import { getJson, sendJson } from "../../core/api.js";
import { recall, remember } from "../../core/preferences.js";
import { RoomLine } from "../../core/room.js";
import * as store from "../../core/store.js";
import { askOf } from "./lesson.js";
import { hear, isLeading, NOTHING } from "./model.js";
import { textOfHtml } from "./questions.js";
/** @import {RoomMessage} from "../../core/types.js" */

/**
 * @typedef {{id: string, owner?: string|null, isScreen?: boolean, isOwn?: boolean}} GivenRoom
 *   isOwn: the page shows a copy of one's own
 */

/** Null: the page is in no room. */
export const room = signal(/** @type {GivenRoom|null} */ (null));
export const view = signal(NOTHING);
/** Why the line is not open. */
export const problem = signal("");
/** Whether one goes with the class; whoever leads it does not follow. */
export const isFollowing = signal(true);
/** Where whoever leads points. */
export const pointed = signal(/** @type {import("../../core/types.js").PointerPlace|null} */ (null));
/** Which of the room's dialogs is open beside those of the page: what newcomers need, the question to ask. */
export const roomDialog = signal(/** @type {"door"|"poll"|"end"|null} */ (null));

export const you = computed(() => view.value.you);
export const roomState = computed(() => view.value.room);
export const isTeacher = computed(() => you.value?.role === "owner");
export const isScreen = computed(() => you.value?.role === "screen");
export const isOwnCopy = computed(() => room.value?.isOwn === true);
export const leads = computed(() => isLeading(view.value) && !isOwnCopy.value);
export const poll = computed(() => withWords(roomState.value?.poll ?? null));

/** A question of the lesson is written in the lesson, in the language of this page. @param {import("../../core/types.js").RoomPoll|null} asked */
function withWords(asked) {
  if (!asked?.lesson_ask) return asked;
  const ask = askOf(asked.lesson_ask);
  if (!ask) return { ...asked, question: "A question of the lesson: go back to the class to read it." };
  return { ...asked, question: textOfHtml(ask.html), options: ask.options.map(({ html }) => textOfHtml(html)) };
}

/** @type {RoomLine|null} */
let line = null;

/** What the page says by itself. */
const UNASKED = ["state", "pointer", "where", "progress"];

/** @param {RoomMessage} message */
export function tell(message) {
  if (!UNASKED.includes(message.type) && view.peek().refusal) view.value = { ...view.peek(), refusal: "" };
  line?.send(message);
}

/** Who one is in the room, for a request. @returns {Record<string, string>} */
export function roomHeaders() {
  const owner = room.peek()?.owner;
  if (owner) return { "X-Room-Owner": owner };
  return line?.member ? { "X-Room-Member": line.member } : {};
}

/** Go into a room. @param {GivenRoom} given */
export function joinRoom(given) {
  line?.close();
  batch(() => {
    room.value = given;
    view.value = NOTHING;
    isFollowing.value = given.isOwn !== true;
  });
  line = new RoomLine(
    given.id,
    { owner: given.owner ?? null, isScreen: given.isScreen === true },
    {
      onMessage: (message) => {
        if (message.type === "pointer") pointed.value = message.at;
        else view.value = hear(view.peek(), message);
        if (message.type === "ended") forgetRoom();
      },
      onProblem: (said) => (problem.value = said),
    },
  );
}

/** Answer the poll. @param {import("../../core/types.js").PollValue} value */
export function answerPoll(value) {
  const asked = poll.peek();
  if (!asked) return;
  view.value = { ...view.peek(), sent: { poll: asked.id, value }, isKept: false, refusal: "" };
  tell({ type: "answer", poll: asked.id, value });
}

/** Up or down, at once on this page too. @param {boolean} up */
export const raiseHand = (up) => changeSelf({ hand: up }, { type: "hand", up });

/** @param {boolean} lost */
export const sayLost = (lost) => changeSelf({ lost }, { type: "lost", lost });

/** @param {Partial<import("../../core/types.js").RoomSelf>} changes @param {RoomMessage} message */
function changeSelf(changes, message) {
  const { you } = view.peek();
  if (you) view.value = { ...view.peek(), you: { ...you, ...changes } };
  tell(message);
}

/** Which room the sessions of this browser belong to. @param {string} session */
const keptAs = (session) => `room-of.${session}`;

/** The room that a session of this browser is in: the teacher's own, or a copy that was made in it. @param {string} session @returns {GivenRoom|null} */
export function rememberedRoom(session) {
  try {
    const found = JSON.parse(recall(keptAs(session)) ?? "null");
    return typeof found?.id === "string" ? found : null;
  } catch {
    return null;
  }
}

/** @param {string} session @param {GivenRoom} given */
export const rememberRoom = (session, given) => remember(keptAs(session), JSON.stringify(given));

/** The teacher's secret for a room that was opened by its link in this browser. @param {string} id @returns {string|null} */
export const rememberedOwner = (id) => recall(`room-owner.${id}`);

/** @param {string} id @param {string} owner */
export const rememberOwner = (id, owner) => remember(`room-owner.${id}`, owner);

/** Nothing of an ended room stays in this browser. */
function forgetRoom() {
  const id = room.peek()?.id ?? "";
  remember(keptAs(store.sessionId.peek()), null);
  remember(`room-owner.${id}`, null);
  remember(`room-member.${id}`, null);
}

/** @param {string} id @param {string} [part] */
export const roomPath = (id, part = "") => `/api/rooms/${encodeURIComponent(id)}${part}`;

/** Open a room for the session of this page, and go into it as its teacher. @param {string|null} lesson @returns {Promise<import("../../core/types.js").NewRoom>} */
export async function openRoom(lesson) {
  const session = store.sessionId.peek();
  const body = { session, run: store.run.peek()?.number ?? null, lesson };
  /** @type {import("../../core/types.js").NewRoom} */
  const made = await sendJson("/api/rooms", body);
  rememberRoom(session, { id: made.id, owner: made.owner });
  rememberOwner(made.id, made.owner);
  joinRoom({ id: made.id, owner: made.owner });
  return made;
}

/** End the room: it is deleted with all answers. */
export async function endRoom() {
  const id = room.peek()?.id ?? "";
  await sendJson(roomPath(id), {}, { method: "DELETE", headers: roomHeaders() });
}

/** What the page is told before it joins. @param {string} id @returns {Promise<import("../../core/types.js").RoomInfo>} */
export const roomInfo = (id) => getJson(roomPath(id));

/** A session of one's own with a run of this one; the way back to the class is kept. @param {number|null} run @param {string|null} [text] another one than that of the run @returns {Promise<string>} where it is */
export async function copyOf(run, text = null) {
  const id = room.peek()?.id ?? "";
  /** @type {import("../../core/types.js").NewCopy} */
  const made = await sendJson(roomPath(id, "/copies"), { run, text }, { headers: roomHeaders() });
  rememberRoom(made.id, { id, isOwn: true });
  return made.url;
}

/** Go on by oneself in a copy, at the same step. */
export async function exploreCopy() {
  const url = await copyOf(store.run.peek()?.number ?? null);
  location.assign(`${url}?step=${store.position.peek()}`);
}

/** The address of the room for newcomers. @param {string} id @returns {string} */
export const roomAddress = (id) => `${location.origin}/room/${id}`;
