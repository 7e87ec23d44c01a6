/** The room of this page: the role of this browser, the state of the room, and the WebSocket. */
import { batch, computed, signal } from "@preact/signals";
import { sendJson } from "../../core/api.js";
import { recall, recallJson, remember } from "../../core/preferences.js";
import { RoomLine, typedName } from "../../core/room.js";
import * as store from "../../core/store.js";
import { askOf, words } from "./lesson.js";
import { hear, isLeading, NOTHING } from "./model.js";
import { textOfHtml } from "./questions.js";
/** @import {RoomMessage} from "../../core/types.js" */

/**
 * @typedef {{id: string, owner?: string|null, isScreen?: boolean, isOwn?: boolean}} GivenRoom
 *   isOwn: the page shows a member's own copy
 */

/** Null outside rooms. */
export const room = signal(/** @type {GivenRoom|null} */ (null));
export const view = signal(NOTHING);
/** The reason why the WebSocket is closed. */
export const problem = signal("");
/** Whether this page follows the class; the leader does not follow. */
export const isFollowing = signal(true);
/** The leader's pointer. */
export const pointed = signal(/** @type {import("../../core/types.js").PointerPlace|null} */ (null));
/** The open dialog of the room, besides those of the page: join links, or a new poll. */
export const roomDialog = signal(/** @type {"door"|"poll"|"records"|"end"|null} */ (null));

export const you = computed(() => view.value.you);
export const roomState = computed(() => view.value.room);
export const isTeacher = computed(() => you.value?.role === "owner");
export const isScreen = computed(() => you.value?.role === "screen");
export const isOwnCopy = computed(() => room.value?.isOwn === true);
/** The member whose page the teacher's page shows; meanwhile it does not lead. */
export const watched = signal(/** @type {string|null} */ (null));
export const watchedMember = computed(() => view.value.members.find(({ name }) => name === watched.value) ?? null);
export const leads = computed(() => isLeading(view.value) && !isOwnCopy.value && watched.value === null);
export const poll = computed(() => withWords(roomState.value?.poll ?? null));

/** A question of the lesson appears in the language of this page. @param {import("../../core/types.js").RoomPoll|null} asked */
function withWords(asked) {
  if (!asked?.lesson_ask) return asked;
  const ask = askOf(asked.lesson_ask);
  if (!ask) return { ...asked, question: words("lessonQuestion") };
  return { ...asked, question: textOfHtml(ask.html), options: ask.options.map(({ html }) => textOfHtml(html)) };
}

/** @type {RoomLine|null} */
let line = null;

/** Names of copies that the page chooses. */
const UNASKED = ["state", "pointer", "where", "progress"];

/** @param {RoomMessage} message */
export function tell(message) {
  if (!UNASKED.includes(message.type) && view.peek().refusal) view.value = { ...view.peek(), refusal: null };
  line?.send(message);
}

/** Headers that identify the member in a request. @returns {Record<string, string>} */
export function roomHeaders() {
  const owner = room.peek()?.owner;
  if (owner) return { "X-Room-Owner": owner };
  return line?.member ? { "X-Room-Member": line.member } : {};
}

/** Join a room. @param {GivenRoom} given */
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
  view.value = { ...view.peek(), sent: { poll: asked.id, value }, isKept: false, refusal: null };
  tell({ type: "answer", poll: asked.id, value });
}

/** Raise or lower the hand; the page shows it immediately. @param {boolean} up */
export const raiseHand = (up) => changeSelf({ hand: up }, { type: "hand", up });

/** @param {boolean} lost */
export const sayLost = (lost) => changeSelf({ lost }, { type: "lost", lost });

/** @param {Partial<import("../../core/types.js").RoomSelf>} changes @param {RoomMessage} message */
function changeSelf(changes, message) {
  const { you } = view.peek();
  if (you) view.value = { ...view.peek(), you: { ...you, ...changes } };
  tell(message);
}

/** The rooms of the sessions of this browser. @param {string} session */
const keptAs = (session) => `room-of.${session}`;

/** The room that this browser remembers for a session: the teacher's own, or that of a copy. @param {string} session @returns {GivenRoom|null} */
export function rememberedRoom(session) {
  const stored = recallJson(keptAs(session));
  return typeof stored?.id === "string" ? stored : null;
}

/** @param {string} session @param {GivenRoom} given */
export const rememberRoom = (session, given) => remember(keptAs(session), JSON.stringify(given));

/** The stored secret of the teacher for a room. @param {string} id @returns {string|null} */
export const rememberedOwner = (id) => recall(`room-owner.${id}`);

/** @param {string} id @param {string} owner */
export const rememberOwner = (id, owner) => remember(`room-owner.${id}`, owner);

/** Remove everything about an ended room from this browser. */
function forgetRoom() {
  const id = room.peek()?.id ?? "";
  remember(keptAs(store.sessionId.peek()), null);
  remember(`room-owner.${id}`, null);
  remember(`room-member.${id}`, null);
  remember(typedName(id), null);
}

/** @param {string} id @param {string} [part] */
export const roomPath = (id, part = "") => `/api/rooms/${encodeURIComponent(id)}${part}`;

/** Open a room for this session and join it as its teacher. @param {{name: string, language: string}|null} lesson @param {string} records a `RecordsKind` @returns {Promise<import("../../core/types.js").NewRoom>} */
export async function openRoom(lesson, records) {
  const session = store.sessionId.peek();
  const body = {
    session,
    run: store.run.peek()?.number ?? null,
    records,
    ...{ lesson: lesson?.name, language: lesson?.language },
  };
  /** @type {import("../../core/types.js").NewRoom} */
  const made = await sendJson("/api/rooms", body);
  rememberRoom(session, { id: made.id, owner: made.owner });
  rememberOwner(made.id, made.owner);
  joinRoom({ id: made.id, owner: made.owner });
  return made;
}

/** End the room; it is deleted with all answers. */
export async function endRoom() {
  const id = room.peek()?.id ?? "";
  await sendJson(roomPath(id), {}, { method: "DELETE", headers: roomHeaders() });
}

/** Copy a run into a session of one's own; the room is remembered. @param {number|null} run @param {string|null} [text] a text that replaces the run's @returns {Promise<string>} where it is */
export async function copyOf(run, text = null) {
  const id = room.peek()?.id ?? "";
  /** @type {import("../../core/types.js").NewCopy} */
  const made = await sendJson(roomPath(id, "/copies"), { run, text }, { headers: roomHeaders() });
  rememberRoom(made.id, { id, isOwn: true });
  return made.url;
}

/** Continue in a copy at the same step. */
export async function exploreCopy() {
  const url = await copyOf(store.run.peek()?.number ?? null);
  location.assign(`${url}?step=${store.position.peek()}`);
}

/** The join address of the room. @param {string} id @returns {string} */
export const roomAddress = (id) => `${location.origin}/room/${id}`;
