/** The result of a finished lesson, as a file that the server has judged and signed. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { sendJson } from "../../core/api.js";
import { errorText } from "../../core/messages.js";
import { download } from "../../ui/export.js";
import * as state from "./state.js";
import { language, words } from "./words.js";
/** @import {LessonResult} from "../../core/types.js" */

const LONGEST_NAME = 60;

/** Answers that were shown are not those of the student. @param {"ask"|"change"} kind @returns {Record<string, string>} */
function given(kind) {
  const blocks = state.pages.peek().flatMap(({ blocks: all }) => all.filter((block) => block.kind === kind));
  const ids = blocks.flatMap((block) => ("id" in block ? [block.id] : []));
  const answers = ids.map((id) => /** @type {const} */ ([id, state.answerTo(id)]));
  return Object.fromEntries(
    answers.flatMap(([id, { state: is, said }]) => (is !== "shown" && said ? [[id, said]] : [])),
  );
}

export function SaveResult() {
  const [student, setStudent] = useState("");
  const [said, setSaid] = useState({ text: "", isProblem: false });
  const name = state.lesson.value?.name ?? "";
  const save = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setSaid({ text: "", isProblem: false });
    try {
      const sent = { student: student.trim(), answers: given("ask"), programs: given("change") };
      /** @type {LessonResult} */
      const result = await sendJson(`/api/lessons/${encodeURIComponent(name)}/result`, sent);
      download(new Blob([JSON.stringify(result, null, 2)], { type: "application/json" }), `${name}-result.json`);
      setSaid({ text: words("resultSaved", result.right, result.of), isProblem: false });
    } catch (error) {
      setSaid({ text: errorText(error), isProblem: true });
    }
  };
  return html`<form class="lesson-note lesson-save" lang=${language.value} onSubmit=${save}><label>${words("yourName")} <input required maxlength=${LONGEST_NAME} autocomplete="name" value=${student}
      onInput=${(/** @type {Event} */ event) => setStudent(/** @type {HTMLInputElement} */ (event.currentTarget).value)} /></label>
    <button class="plain" type="submit">${words("saveResult")}</button> <span class=${said.isProblem ? "alarm" : "quiet"} role="status">${said.text}</span></form>`;
}
