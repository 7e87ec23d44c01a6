/** What a room keeps of its members, told before they join. */
import { html, render } from "htm/preact";
import { useState } from "preact/hooks";
import { recall, remember } from "../../core/preferences.js";
import { memberName, typedName } from "../../core/room.js";
import { wordsOf } from "./lesson.js";
/** @import {LessonInfo, RoomInfo} from "../../core/types.js" */

/** @typedef {RoomInfo & {language?: string, labels?: Record<string, string>}} LabelledRoom a room without a lesson has its labels itself */

const HOURS_PER_DAY = 24;
const LONGEST_NAME = 60;

/** Show the notice of a room that keeps records, until the member joins; the teacher, screens and members pass. @param {(LabelledRoom & {screen: boolean})|undefined} room @param {LessonInfo|null} lesson whose language the notice has @returns {Promise<void>} */
export function noticeBeforeJoining(room, lesson) {
  const isKnown = !room || recall(memberName(room.id)) !== null || recall(`room-owner.${room.id}`) !== null;
  if (isKnown || room.screen || room.records === "none" || location.hash.startsWith("#owner="))
    return Promise.resolve();
  const root = document.getElementById("app");
  if (!root) return Promise.resolve();
  return new Promise((resolve) => {
    const join = (/** @type {string} */ name) => {
      if (name) remember(typedName(room.id), name);
      host.remove();
      resolve();
    };
    const host = document.createElement("div");
    host.className = "room-notice";
    root.replaceChildren(host);
    render(html`<${Notice} room=${room} lesson=${lesson} join=${join} />`, host);
  });
}

/** @param {{room: LabelledRoom, lesson: LessonInfo|null, join: (name: string) => void}} props */
function Notice({ room, lesson, join }) {
  const labelled = lesson ?? room;
  const words = wordsOf.bind(null, labelled);
  const [name, setName] = useState("");
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    join(name.trim());
  };
  const isNamed = room.records === "named";
  return html`<main lang=${labelled.labels ? labelled.language : "en"}><h1>${words("beforeJoining")}</h1>
    <p><strong>${lesson?.title ?? room.title}</strong></p>
    <p>${words("recordKept")}</p>
    <ul><li>${words("recordTries")}</li><li>${words("recordRight")}</li>
      <li>${words("recordWhen")}</li></ul>
    <p>${words(isNamed ? "recordNamed" : "recordUnnamed")} ${words("recordHides")}</p>
    <p>${words("recordDeleted", lifetime(room.hours, labelled))}</p>
    <form onSubmit=${submit}>
      ${isNamed && html`<label>${words("nameForTeacher")} <input autocomplete="name" maxlength=${LONGEST_NAME} value=${name} onInput=${(/** @type {Event} */ event) => setName(/** @type {HTMLInputElement} */ (event.currentTarget).value)} /></label>`}
      <button class="primary" type="submit">${words("joinClass")}</button></form></main>`;
}

/** @param {number} hours @param {Pick<LabelledRoom, "labels">} labelled @returns {string} */
function lifetime(hours, labelled) {
  const days = hours / HOURS_PER_DAY;
  if (!Number.isInteger(days)) return wordsOf(labelled, hours === 1 ? "hour" : "hours", hours);
  return wordsOf(labelled, days === 1 ? "day" : "days", days);
}
