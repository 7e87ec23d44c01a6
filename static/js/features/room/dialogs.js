/** The dialogs in which a teacher opens and ends a room. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import * as store from "../../core/store.js";
import { closeDialog } from "../../core/view_actions.js";
import { counted } from "../../core/tensor/elements.js";
import { Dialog } from "../../ui/dialog.js";
import * as lesson from "./lesson.js";
import { spacedCode } from "./model.js";
import { Downloads, RecordsChoice } from "./records.js";
import * as state from "./state.js";

/** An explanation of rooms; once a room exists, instructions for joining it. */
export function RoomDialog() {
  const { room } = state.view.value;
  return html`<${Dialog} title=${room ? "Invite the class" : "Open a room"} close=${closeDialog}>
    <div class="share room-dialog">${room ? html`<${ComeIn} room=${room} />` : html`<${BeforeOpening} />`}</div>
  <//>`;
}

function BeforeOpening() {
  const [problem, setProblem] = useState("");
  const [isOpening, setOpening] = useState(false);
  const [records, setRecords] = useState("none");
  const open = () => {
    setOpening(true);
    state.openRoom(lesson.name(), records).catch(({ message }) => (setProblem(message), setOpening(false)));
  };
  const name = store.sessionName.value || "this session";
  return html`<section aria-label="What a room is">
    <p>A class joins by a link or a short code and follows you in <strong>${name}</strong>: the step, the tab, the chosen value, your pointer. Members can explore on their own and come back.</p>
    <dl class="room-facts">
      <dt>The class sees</dt><dd>the program, your Python files that came with it, all runs with their inputs and values. What you write and have not run stays yours. Members do not sign in and cannot change the session; to try something, they make a copy.</dd>
      <dt>You see</dt><dd>how many follow, who is lost or has a hand up, what their pages show of your run, and which questions of a lesson they have answered rightly. Names such as “teal otter 14” are given by chance.</dd>
      <dt>Kept</dt><dd>where the class is, the question that is open and its answers, the totals of earlier questions, the copies that people make to try something: all without names, unless you choose otherwise below. When you end the room it is deleted with them, at the latest after a week (the setting <code>room_hours</code>).</dd>
    </dl>
    <${RecordsChoice} chosen=${records} choose=${setRecords} />
    <p><button class="primary" onClick=${open} disabled=${isOpening || store.run.value === null}>${isOpening ? "Opening the room…" : "Open the room"}</button></p>
    ${store.run.value === null && html`<p class="quiet">The program has no run yet: run it first.</p>`}
    ${problem && html`<p class="alarm" role="alert">${problem}</p>`}</section>`;
}

/** @param {{room: import("../../core/types.js").RoomState}} props */
function ComeIn({ room }) {
  const id = state.room.value?.id ?? "";
  const link = state.roomAddress(id);
  return html`<section class="room-ways" aria-label="Join links">
    <div><p>Go to <strong>${location.host}/join</strong> and enter</p><p class="room-large-code">${spacedCode(room.code)}</p>
      <p class="quiet">${counted(room.members, "person", "people")} here${room.locked && "; the room is locked"}</p></div>
    <img src=${state.roomPath(id, "/qr.svg")} alt=${`Picture of the link to the room, for the camera of a phone: ${link}`} />
    <${Link} label="Link to the room" address=${link} />
    <${OwnLink} link=${link} />
    ${isThisMachine() && html`<p class="quiet">This server can be reached from this machine only. For a class start it with <code>--host</code>, and name its address in the setting <code>allowed_hosts</code>.</p>`}
  </section>`;
}

/** The teacher's own link, with the secret that grants the role. @param {{link: string}} props */
function OwnLink({ link }) {
  const owner = state.room.value?.owner;
  if (!owner) return null;
  return html`<details class="room-own"><summary>Your own link, to lead from another machine</summary>
    <p class="quiet">Anyone with this link is the teacher: keep it private, and do not project it.</p>
    <${Link} label="Link for the teacher" address=${`${link}#owner=${owner}`} /></details>`;
}

const isThisMachine = () => ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/** @param {{label: string, address: string}} props */
function Link({ label, address }) {
  const [said, setSaid] = useState("");
  const copy = () =>
    navigator.clipboard.writeText(address).then(
      () => setSaid("Copied"),
      () => setSaid("The browser did not allow the page to copy: copy it by hand."),
    );
  return html`<div class="share-link"><input readonly aria-label=${label} value=${address} /><button onClick=${copy}>Copy</button><span role="status">${said}</span></div>`;
}

/** Confirmation before the room is deleted. */
export function EndDialog() {
  const [problem, setProblem] = useState("");
  const close = () => (state.roomDialog.value = null);
  const end = () => state.endRoom().then(close, ({ message }) => setProblem(message));
  return html`<${Dialog} title="End the room" close=${close}>
    <div class="share"><p>All members see that the room has ended. The room is deleted immediately, with its questions, answers and copies. Your session is kept.</p>
    <${Downloads} />
    <p><button class="primary" onClick=${end}>End the room</button> <button class="plain" onClick=${close}>Not yet</button></p>
    ${problem && html`<p class="alarm" role="alert">${problem}</p>`}</div>
  <//>`;
}
