/** What a room keeps of its members, told before they join. */
import { html, render } from "htm/preact";
import { useState } from "preact/hooks";
import { recall, remember } from "../../core/preferences.js";
import { memberName, typedName } from "../../core/room.js";
import { counted } from "../../core/tensor/elements.js";
/** @import {RoomInfo} from "../../core/types.js" */

const HOURS_PER_DAY = 24;
const LONGEST_NAME = 60;

/** Show the notice of a room that keeps records, until the member joins; the teacher, screens and members pass. @param {(RoomInfo & {screen: boolean})|undefined} room @returns {Promise<void>} */
export function noticeBeforeJoining(room) {
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
    render(html`<${Notice} room=${room} join=${join} />`, host);
  });
}

/** @param {{room: RoomInfo, join: (name: string) => void}} props */
function Notice({ room, join }) {
  const [name, setName] = useState("");
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    join(name.trim());
  };
  const isNamed = room.records === "named";
  return html`<main><h1>Before you join</h1>
    <p><strong>${room.title}</strong></p>
    <p>The teacher of this class keeps a record of its answers, and can download it. For each question it has:</p>
    <ul><li>how often you answered, and your first answer,</li><li>whether your answer was right, or was shown to you,</li>
      <li>when you answered, and after how many seconds.</li></ul>
    <p>${isNamed ? "The record has a random name, such as “teal otter 14”, and beside it the name that you enter here. You may leave it empty." : "The record has a random name, such as “teal otter 14”, and not yours."} It has no address and no cookie. Other members do not see it.</p>
    <p>The server deletes the record with the room: when the teacher ends it, at the latest ${lifetime(room.hours)} after it was opened. What the teacher has downloaded remains with the teacher.</p>
    <form onSubmit=${submit}>
      ${isNamed && html`<label>Your name, for the teacher <input autocomplete="name" maxlength=${LONGEST_NAME} value=${name} onInput=${(/** @type {Event} */ event) => setName(/** @type {HTMLInputElement} */ (event.currentTarget).value)} /></label>`}
      <button class="primary" type="submit">Join the class</button></form></main>`;
}

/** @param {number} hours @returns {string} */
const lifetime = (hours) =>
  hours % HOURS_PER_DAY === 0 ? counted(hours / HOURS_PER_DAY, "day") : counted(hours, "hour");
