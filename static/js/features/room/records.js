/** The records of a room, for its teacher: all polls so far, and files to download. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../../core/api.js";
import { Dialog } from "../../ui/dialog.js";
import { download } from "../../ui/export.js";
import * as lesson from "./lesson.js";
import { language, marked, Refused, words } from "./lesson.js";
import { textOfHtml } from "./questions.js";
import * as state from "./state.js";
/** @import {PastPoll} from "../../core/types.js" */

/** A part of the records, as the teacher. @param {string} name @returns {Promise<Response>} */
async function fetched(name) {
  const path = state.roomPath(state.room.peek()?.id ?? "", `/${name}`);
  const response = await fetch(path, { headers: state.roomHeaders() });
  if (response.ok) return response;
  throw new ApiError(response.status, (await response.json()).error);
}

export function RecordsDialog() {
  const [polls, setPolls] = useState(/** @type {PastPoll[]|null} */ (null));
  const [problem, setProblem] = useState(/** @type {Error|null} */ (null));
  useEffect(() => {
    fetched("polls")
      .then((response) => response.json())
      .then(setPolls, setProblem);
  }, []);
  return html`<${Dialog} title=${marked("records")} close=${() => (state.roomDialog.value = null)}><div class="share" lang=${language.value}>
    <${Downloads} />
    <section aria-label=${words("pollsOfRoom")}><h3>${words("polls")}</h3>
      ${problem && html`<p class="alarm" role="alert"><${Refused} error=${problem} /></p>`}
      ${polls?.length === 0 && html`<p class="quiet">${words("noPolls")}</p>`}
      ${
        polls &&
        polls.length > 0 &&
        html`<table class="class-table"><thead><tr><th scope="col">${words("pollColumn")}</th><th scope="col">${words("answersColumn")}</th><th scope="col">${words("rightMark")}</th></tr></thead>
        <tbody>${polls.map((past) => html`<${Row} key=${past.number} past=${past} />`)}</tbody></table>`
      }
    </section></div><//>`;
}

/** @param {{past: PastPoll}} props */
function Row({ past: { number, members, poll, results } }) {
  const ask = poll.lesson_ask ? lesson.askOf(poll.lesson_ask) : null;
  const right = results?.truth?.right ?? null;
  return html`<tr><th scope="row">${number}. ${ask ? textOfHtml(ask.html) : poll.question}</th>
    <td>${results ? words("answersOf", results.count, members) : words("pollOpen")}</td><td>${right ?? "–"}</td></tr>`;
}

/** The files that a teacher can download before the room ends. */
export function Downloads() {
  const [problem, setProblem] = useState(/** @type {Error|null} */ (null));
  const keeps = state.roomState.value?.records !== "none";
  const save = async (/** @type {string} */ name) => {
    setProblem(null);
    try {
      const response = await fetched(name);
      download(await response.blob(), name);
    } catch (error) {
      setProblem(/** @type {Error} */ (error));
    }
  };
  return html`<section aria-label=${words("downloads")}>
    <p>${words("deletedWithRoom")}${keeps || ` ${words("keepsNone")}`}</p>
    <p class="room-downloads">${keeps && html`<button class="plain" onClick=${() => save("records.csv")}>${words("saveAnswers")}</button>`}
      <button class="plain" onClick=${() => save("polls.csv")}>${words("savePolls")}</button></p>
    ${problem && html`<p class="alarm" role="alert"><${Refused} error=${problem} /></p>`}</section>`;
}

/** @type {[import("../../core/types.js").RecordsKind, import("../lesson/words.js").Label][]} */
const KINDS = [
  ["none", "keepNone"],
  ["anonymous", "keepAnonymous"],
  ["named", "keepNamed"],
];

/** The choice before a room is opened. @param {{chosen: string, choose: (kind: string) => void}} props */
export function RecordsChoice({ chosen, choose }) {
  return html`<fieldset class="room-records"><legend>${words("keepRecords")}</legend>
    ${KINDS.map(([kind, label]) => html`<label key=${kind}><input type="radio" name="room-records" value=${kind} checked=${kind === chosen} onChange=${() => choose(kind)} /> ${words(label)}</label>`)}
    <p class="quiet">${words("keepTold")}</p></fieldset>`;
}
