/** The records of a room, for its teacher: all polls so far, and files to download. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { errorText } from "../../core/messages.js";
import { Dialog } from "../../ui/dialog.js";
import { download } from "../../ui/export.js";
import * as lesson from "./lesson.js";
import { textOfHtml } from "./questions.js";
import * as state from "./state.js";
/** @import {PastPoll} from "../../core/types.js" */

/** A part of the records, as the teacher. @param {string} name @returns {Promise<Response>} */
async function fetched(name) {
  const path = state.roomPath(state.room.peek()?.id ?? "", `/${name}`);
  const response = await fetch(path, { headers: state.roomHeaders() });
  if (response.ok) return response;
  const { error } = await response.json();
  throw new Error([error.message, error.hint].filter(Boolean).join(" "));
}

export function RecordsDialog() {
  const [polls, setPolls] = useState(/** @type {PastPoll[]|null} */ (null));
  const [problem, setProblem] = useState("");
  useEffect(() => {
    fetched("polls")
      .then((response) => response.json())
      .then(setPolls, (error) => setProblem(errorText(error)));
  }, []);
  return html`<${Dialog} title="Records" close=${() => (state.roomDialog.value = null)}><div class="share">
    <${Downloads} />
    <section aria-label="Polls of this room"><h3>Polls</h3>
      ${problem && html`<p class="alarm" role="alert">${problem}</p>`}
      ${polls?.length === 0 && html`<p class="quiet">This room has had no poll yet.</p>`}
      ${
        polls &&
        polls.length > 0 &&
        html`<table class="class-table"><thead><tr><th scope="col">Poll</th><th scope="col">answers</th><th scope="col">right</th></tr></thead>
        <tbody>${polls.map((past) => html`<${Row} key=${past.number} past=${past} />`)}</tbody></table>`
      }
    </section></div><//>`;
}

/** @param {{past: PastPoll}} props */
function Row({ past: { number, members, poll, results } }) {
  const ask = poll.lesson_ask ? lesson.askOf(poll.lesson_ask) : null;
  const right = results?.truth?.right ?? null;
  return html`<tr><th scope="row">${number}. ${ask ? textOfHtml(ask.html) : poll.question}</th>
    <td>${results ? `${results.count} of ${members}` : "open"}</td><td>${right ?? "–"}</td></tr>`;
}

/** The files that a teacher can download before the room ends. */
export function Downloads() {
  const [problem, setProblem] = useState("");
  const keeps = state.roomState.value?.records !== "none";
  const save = async (/** @type {string} */ name) => {
    setProblem("");
    try {
      const response = await fetched(name);
      download(await response.blob(), name);
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return html`<section aria-label="Downloads">
    <p>The server deletes all of this with the room.${keeps || " This room keeps no record of each member's answers: that is chosen when a room is opened."}</p>
    <p class="room-downloads">${keeps && html`<button class="plain" onClick=${() => save("records.csv")}>Download the answers of the class (CSV)</button>`}
      <button class="plain" onClick=${() => save("polls.csv")}>Download all polls (CSV)</button></p>
    ${problem && html`<p class="alarm" role="alert">${problem}</p>`}</section>`;
}

/** @type {Record<import("../../core/types.js").RecordsKind, string>} */
const KINDS = {
  none: "No: only how many are at each step, and the totals of polls",
  anonymous: "Yes, under random names: tries, first answer, right or not, time",
  named: "Yes, and ask for names, which members may leave empty",
};

/** The choice before a room is opened. @param {{chosen: string, choose: (kind: string) => void}} props */
export function RecordsChoice({ chosen, choose }) {
  return html`<fieldset class="room-records"><legend>Keep a record of each member's answers, to download</legend>
    ${Object.entries(KINDS).map(([kind, words]) => html`<label key=${kind}><input type="radio" name="room-records" value=${kind} checked=${kind === chosen} onChange=${() => choose(kind)} /> ${words}</label>`)}
    <p class="quiet">Members are told before they join; the record is deleted with the room.</p></fieldset>`;
}
