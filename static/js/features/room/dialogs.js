/** The dialogs in which a teacher opens and ends a room. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import * as store from "../../core/store.js";
import { closeDialog } from "../../core/view_actions.js";
import { LinkToCopy } from "../../ui/copied.js";
import { Dialog } from "../../ui/dialog.js";
import { withCode } from "../../ui/with_code.js";
import * as lesson from "./lesson.js";
import { countWords, language, marked, Refused, words } from "./lesson.js";
import { spacedCode } from "./model.js";
import { Downloads, RecordsChoice } from "./records.js";
import * as state from "./state.js";

/** An explanation of rooms; once a room exists, instructions for joining it. */
export function RoomDialog() {
  const { room } = state.view.value;
  return html`<${Dialog} title=${marked(room ? "invite" : "openRoom")} close=${closeDialog}>
    <div class="share room-dialog" lang=${language.value}>${room ? html`<${ComeIn} room=${room} />` : html`<${BeforeOpening} />`}</div>
  <//>`;
}

function BeforeOpening() {
  const [problem, setProblem] = useState(/** @type {Error|null} */ (null));
  const [isOpening, setOpening] = useState(false);
  const [records, setRecords] = useState("none");
  const open = () => {
    setOpening(true);
    state.openRoom(lesson.shown(), records).catch((error) => (setProblem(error), setOpening(false)));
  };
  return html`<section aria-label=${words("whatRoomIs")}>
    <p>${words("joinAndFollow", lesson.title() || store.sessionName.value || words("thisSession"))}</p>
    <dl class="room-facts">
      <dt>${words("classSees")}</dt><dd>${words("classSeesWhat")}</dd>
      <dt>${words("youSee")}</dt><dd>${words("youSeeWhat")}</dd>
      <dt>${words("kept")}</dt><dd>${withCode(words("keptWhat"))}</dd>
    </dl>
    <${RecordsChoice} chosen=${records} choose=${setRecords} />
    <p><button class="primary" onClick=${open} disabled=${isOpening || store.run.value === null}>${words(isOpening ? "openingRoom" : "openTheRoom")}</button></p>
    ${store.run.value === null && html`<p class="quiet">${words("runFirst")}</p>`}
    ${problem && html`<p class="alarm" role="alert"><${Refused} error=${problem} /></p>`}</section>`;
}

/** @param {{room: import("../../core/types.js").RoomState}} props */
function ComeIn({ room }) {
  const id = state.room.value?.id ?? "";
  const link = state.roomAddress(id);
  return html`<section class="room-ways" aria-label=${words("joinWays")}>
    <div><p>${words("goToAddress")} <strong>${location.host}/join</strong> ${words("andEnter")}</p><p class="room-large-code">${spacedCode(room.code)}</p>
      <p class="quiet">${countWords("personHere", "peopleHere", room.members)}${room.locked && words("isLocked")}</p></div>
    <img src=${state.roomPath(id, "/qr.svg")} alt=${words("named", words("joinPicture"), link)} />
    <${Link} label=${words("linkToRoom")} address=${link} />
    <${OwnLink} link=${link} />
    ${isThisMachine() && html`<p class="quiet">${withCode(words("thisMachineOnly"))}</p>`}
  </section>`;
}

/** The teacher's own link, with the secret that grants the role. @param {{link: string}} props */
function OwnLink({ link }) {
  const owner = state.room.value?.owner;
  if (!owner) return null;
  return html`<details class="room-own"><summary>${words("ownLink")}</summary>
    <p class="quiet">${words("ownLinkSecret")}</p>
    <${Link} label=${words("linkForTeacher")} address=${`${link}#owner=${owner}`} /></details>`;
}

const isThisMachine = () => ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

/** @param {{label: string, address: string}} props */
const Link = (props) =>
  html`<${LinkToCopy} ...${props} copy=${words("copyLink")} copied=${words("linkCopied")} refused=${words("copyByHand")} />`;

/** Confirmation before the room is deleted. */
export function EndDialog() {
  const [problem, setProblem] = useState(/** @type {Error|null} */ (null));
  const close = () => (state.roomDialog.value = null);
  const end = () => state.endRoom().then(close, setProblem);
  return html`<${Dialog} title=${marked("endTheRoom")} close=${close}>
    <div class="share" lang=${language.value}><p>${words("endDeletes")}</p>
    <${Downloads} />
    <p><button class="primary" onClick=${end}>${words("endTheRoom")}</button> <button class="plain" onClick=${close}>${words("notYet")}</button></p>
    ${problem && html`<p class="alarm" role="alert"><${Refused} error=${problem} /></p>`}</div>
  <//>`;
}
