/** The program of an exercise in the place of the main editor, and its results beside the expected ones. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { say } from "../../../core/messages.js";
import { isFile } from "../../../core/source.js";
import { addPanel, focusFirst } from "../../layout/panels.js";
import { useTrialEditor } from "../../reference/trial_editor.js";
import { Checked } from "../checked.js";
import * as exercise from "../exercise.js";
import { refusal, Refused } from "../refused.js";
import * as state from "../state.js";
import { language, words } from "../words.js";
/** @import {ChangeBlock} from "../../../core/types.js" */

addPanel({
  id: "own",
  title: "My version",
  dock: "program",
  order: 2,
  help: "lesson",
  Panel: OwnPanel,
  exists: () => !isFile() && state.exercises.canCheck && exercise.shownChange.value !== null,
  keeps: true,
  focus: focusFirst(".own-editor"),
});

export function OwnPanel() {
  const change = exercise.shownChange.value;
  return change && html`<${Own} key=${change.id} change=${change} />`;
}

/** @param {{change: ChangeBlock}} props */
function Own({ change }) {
  const [text, setText] = useState(state.answerTo(change.id).said || change.text);
  const run = () => void exercise.check(change, text);
  const { host, view, replace } = useTrialEditor(
    text,
    { changed: setText, run },
    { label: words("yourProgram"), isNarrow: true },
  );
  useEffect(() => view.current?.requestMeasure());
  const open = () => exercise.openOwn(change, text).catch((error) => say({ kind: "error", text: refusal(error).text }));
  const isRunning = exercise.isRunning.value;
  return html`<div class="own-editor" data-own-keys="Ctrl+Enter" ref=${host}></div>
    <p class="lesson-acts" lang=${language.value}><button class="primary" aria-disabled=${isRunning} title=${words("runKeys")} onClick=${run}>${words(isRunning ? "running" : "run")}</button>
      ${state.exercises.canOpen && html`<button onClick=${open}>${words("stepThrough")}</button>`}
      ${text !== change.text && html`<button onClick=${() => replace(change.text)}>${words("undo")}</button>`}</p>
    <${Outcome} change=${change} />`;
}

/** @param {{change: ChangeBlock}} props */
function Outcome({ change }) {
  const { checked, problem } = exercise.outcomes.value[change.id] ?? {};
  return html`<div class="lesson-result own-result" role="status">
    ${problem && html`<p class="alarm"><${Refused} error=${problem} /></p>`}
    ${checked && html`<${Checked} checked=${checked} />`}
  </div>`;
}
