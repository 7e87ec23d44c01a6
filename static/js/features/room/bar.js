/** The bar of a room, below the toolbar: the state of the class, and signals to the teacher. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { say } from "../../core/messages.js";
import * as store from "../../core/store.js";
import { openDialog, showTab } from "../../core/view_actions.js";
import { countText } from "../../core/tensor/elements.js";
import { Menu } from "../../ui/menu.js";
import { PROBLEMS } from "../../core/room.js";
import { backToClass } from "./following.js";
import { countWords, language, numberAnd, placeOf, refusal, Refused, shown, words } from "./lesson.js";
import { spacedCode } from "./model.js";
import * as state from "./state.js";
/** @import {RoomState} from "../../core/types.js" */
/** @import {Label} from "../lesson/words.js" */

export function RoomBar() {
  const { you, room, hasEnded, refusal: refused } = state.view.value;
  if (hasEnded) return html`<${Ended} />`;
  const problem = problemWords();
  if (!you || !room)
    return html`<section class="room-bar" aria-label=${words("room")} lang=${language.value}><span role="status">${problem || words("joining")}</span></section>`;
  return html`<section class=${`room-bar as-${you.role}`} aria-label=${words("room")} lang=${language.value}>
      ${state.isTeacher.value ? html`<${Teacher} room=${room} />` : state.isScreen.value ? html`<${Screen} room=${room} />` : html`<${Member} you=${you} room=${room} />`}
    </section>
    ${problem && html`<div class="room-bar problem" role="status" lang=${language.value}>${problem}</div>`}
    ${refused && html`<${RefusedHere} error=${refused} />`}`;
}

/** What the server refused; of an answer, what the page expects. @param {{error: import("../lesson/refused.js").Refusal}} props */
function RefusedHere({ error }) {
  const { poll } = state.view.value.room ?? {};
  const name = error.kind === "answer" && poll ? ANSWERS[poll.kind] : null;
  if (!name) return html`<div class="room-bar problem" role="alert"><${Refused} error=${error} /></div>`;
  return html`<div class="room-bar problem" role="alert" lang=${language.value}>${words(name)}</div>`;
}

/** The expected answer, by the kind of poll. @type {Record<import("../../core/types.js").RoomPoll["kind"], Label>} */
const ANSWERS = {
  number: "answerNumber",
  choice: "answerChoice",
  cell: "answerCell",
  shape: "answerShape",
  step: "answerStep",
};
/** A problem of the connection in the language of the lesson; what the server says is English. */
function problemWords() {
  const said = state.problem.value;
  const names = /** @type {(keyof typeof PROBLEMS)[]} */ (Object.keys(PROBLEMS));
  const name = names.find((each) => PROBLEMS[each] === said);
  return name ? words(name) : said;
}

function Ended() {
  return html`<section class="room-bar" aria-label=${words("room")} lang=${language.value}><span role="status"><strong>${words("roomEnded")}</strong>${!state.isTeacher.value && ` ${words("roomDeleted")}`}</span></section>`;
}

/** @param {{you: import("../../core/types.js").RoomSelf, room: RoomState}} props */
function Member({ you, room }) {
  return html`<${Way} room=${room} />
    ${!state.isOwnCopy.value && html`<span class="quiet room-count">${countWords("personHere", "peopleHere", room.members)}</span>`}
    <span class="spring"></span>
    ${room.paused && html`<strong class="room-attention">${words("attention")}</strong>`}
    <div class="room-says" role="group" aria-label=${words("tellTeacher")}>
      <button class="plain" aria-pressed=${you.hand} onClick=${() => state.raiseHand(!you.hand)}><${Hand} />${words(you.hand ? "lowerHand" : "raiseHand")}</button>
      <button class="plain" aria-pressed=${you.lost} onClick=${() => state.sayLost(!you.lost)}>${words("lost")}</button>
    </div>
    ${!state.isOwnCopy.value && html`<button class="plain" title=${words("exploreTitle")} onClick=${() => state.exploreCopy().catch((error) => say({ kind: "error", text: refusal(error).text }))}>${words("explore")}</button>`}
    <span class="room-name" title=${`${words("teacherSees")} ${words(room.records === "none" ? "anonymous" : "recorded")}`}>${words("youAre")} <strong lang="en">${you.name}</strong></span>`;
}

function Hand() {
  return html`<svg class="icon room-hand" viewBox="0 0 16 16" aria-hidden="true"><path d="M5 8.500V3.500a1 1 0 0 1 2 0V7M7 7V2.500a1 1 0 0 1 2 0V7M9 7V3.500a1 1 0 0 1 2 0V9M11 6.500a1 1 0 0 1 2 0V10a4.500 4.500 0 0 1-8.500 2L2.600 8.900a1 1 0 0 1 1.700-1L5 9" /></svg>`;
}

/** Whether this page follows the class, and the button to return. @param {{room: RoomState}} props */
function Way({ room }) {
  if (state.isOwnCopy.value)
    return html`<span role="status">${words("ownCopy", countText(room.position.step))}</span><${Back} />`;
  if (state.leads.value)
    return html`<span role="status"><strong>${words("haveChalk")}</strong> ${words("classFollows")}</span>
      <button class="plain" onClick=${() => state.tell({ type: "chalk", to: null })}>${words("giveChalk")}</button>`;
  const following = room.chalk ? words("followingChalk", room.chalk) : words("following");
  if (state.isFollowing.value) return html`<span role="status" class="room-follows">${following}</span>`;
  return html`<span role="status">${words("followingPaused")}</span><${Back} />`;
}

function Back() {
  return html`<button class="primary" aria-keyshortcuts="F" onClick=${backToClass}>${words("backToClass")} <kbd>F</kbd></button>`;
}

/** Whether the projector shows how to join in the whole window: until the class moves, or after a click. */
const isJoining = signal(/** @type {boolean|null} */ (null));

/** For the last row of a lecture hall: where the class is, and how to join. @param {{room: RoomState}} props */
function Screen({ room }) {
  const { position, lesson_step, poll } = room;
  const moved = `${position.run} ${position.process} ${position.step} ${position.tab} ${lesson_step} ${poll?.id}`;
  const first = useRef(moved);
  const isLarge = isJoining.value ?? (first.current === moved && room.members === 0);
  useEffect(() => {
    if (first.current !== moved) isJoining.value = false;
  }, [moved]);
  return html`<span class="room-screen-where"><strong>${lesson_step ? placeOf(lesson_step).title : room.title}</strong>
      <span role="status">${words("atStepOf", countText(position.step), countText(store.steps.value))}${store.grid.value && words("ofProcess", position.process)}</span></span>
    <span class="spring"></span>
    ${room.paused && html`<strong class="room-attention">${words("lookHere")}</strong>`}
    <span class="quiet">${countWords("personHere", "peopleHere", room.members)}</span>
    <${Join} code=${room.code} />
    ${isLarge && html`<div class="room-screen-join"><${Join} code=${room.code} /></div>`}`;
}

/** How to join; the picture switches between a corner and the whole window. @param {{code: string}} props */
function Join({ code }) {
  const picture = state.roomPath(state.room.value?.id ?? "", "/qr.svg");
  return html`<span class="room-join"><span>${location.host}/join</span> <strong class="room-code">${spacedCode(code)}</strong></span>
    <button class="room-screen-qr" title=${words("larger")} onClick=${() => (isJoining.value = isJoining.peek() === false)}>
      <img src=${picture} alt=${words("joinPicture")} /></button>`;
}

/** @param {{room: RoomState}} props */
function Teacher({ room }) {
  const { counts } = state.view.value;
  const { members = room.members, following = room.following, lost = 0, hand = 0 } = counts ?? {};
  return html`<button class="room-code" title=${words("inviteTitle")} onClick=${() => openDialog("room")}>${spacedCode(room.code)}</button>
    <span role="status" class="room-counts">${countWords("personHere", "peopleHere", members)}, ${numberAnd("isFollowing", "areFollowing", following)}${hand > 0 && html`, <strong>${numberAnd("handUp", "handsUp", hand)}</strong>`}${lost > 0 && html`, <strong>${numberAnd("isLost", "areLost", lost)}</strong>`}</span>
    ${state.watched.value !== null && html`<span role="status">${words("youWatch", state.watched.value, countText(room.position.step))}</span><${Back} />`}
    ${room.chalk && html`<span>${words("hasChalk", room.chalk)}</span><button class="plain" onClick=${() => state.tell({ type: "chalk", to: null })}>${words("takeChalk")}</button>`}
    ${room.chalk && !state.isFollowing.value && html`<${Back} />`}
    <span class="spring"></span>
    <button class="plain" onClick=${() => (state.roomDialog.value = "poll")}>${words("askClass")}</button>
    <button class="plain" aria-pressed=${room.paused} title=${words("pauseTitle")} onClick=${() => state.tell({ type: "settings", paused: !room.paused })}>${words(room.paused ? "goOn" : "pauseClass")}</button>
    <button class="plain" onClick=${() => showTab("class")}>${words("theClass")}</button>
    <${Menu} label=${words("roomMenu")} content=${html`${words("room")} <span class="arrow" aria-hidden="true">▾</span>`} items=${roomItems} />`;
}

/** @returns {import("../../ui/menu.js").MenuItem[]} */
function roomItems() {
  const room = state.roomState.peek();
  if (!room) return [];
  const language = shown()?.language;
  const screen = `${state.roomAddress(state.room.peek()?.id ?? "")}?screen${language ? `&language=${language}` : ""}`;
  return [
    { text: words("inviteClass"), run: () => openDialog("room") },
    {
      text: words("lockRoom"),
      checked: room.locked,
      run: () => state.tell({ type: "settings", locked: !room.locked }),
    },
    { text: words("projector"), run: () => void window.open(screen, "_blank", "noopener") },
    { text: words("recordsMenu"), run: () => (state.roomDialog.value = "records") },
    { text: words("endRoom"), run: () => (state.roomDialog.value = "end") },
  ];
}
