/** An exercise of a lesson: the student edits its program; the server runs and checks it. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { sendJson } from "../../core/api.js";
import { errorText } from "../../core/messages.js";
import { useTrialEditor } from "../reference/trial_editor.js";
import { problemText } from "../reference/model.js";
import { withCode } from "../../ui/with_code.js";
import { Hints, Result } from "./outcome.js";
import * as state from "./state.js";
/** @import {ChangeBlock, ChangeResult} from "../../core/types.js" */

/** @typedef {{checked?: ChangeResult, problem?: string}} Outcome */

/** @param {{change: ChangeBlock}} props */
export function Exercise({ change }) {
  const { id, text: given, hints, right_html: right } = change;
  const answered = state.answerTo(id);
  const [text, setText] = useState(answered.said || given);
  const [outcome, setOutcome] = useState(/** @type {Outcome} */ ({}));
  const [isRunning, setRunning] = useState(false);
  const run = async () => {
    if (isRunning) return;
    setRunning(true);
    setOutcome(await check(text));
    setRunning(false);
  };
  /** @param {string} written @returns {Promise<Outcome>} */
  const check = async (written) => {
    try {
      /** @type {ChangeResult} */
      const checked = await sendJson(
        state.exercises.checkPath(state.currentStep.peek() ?? ""),
        { text: written },
        { headers: state.exercises.headers() },
      );
      if (state.answerTo(id).state === "right") state.keepAnswer(id, { said: written });
      else state.answer(id, checked.passed, written);
      return { checked };
    } catch (error) {
      return { problem: errorText(error) };
    }
  };
  const { host, replace } = useTrialEditor(text, { changed: setText, run }, { label: "Your program", isNarrow: true });
  const open = () => openOwn(change, text).catch((error) => setOutcome({ problem: errorText(error) }));
  return html`<div class="lesson-editor" data-own-keys="Ctrl+Enter" ref=${host}></div>
    <p class="lesson-acts" lang="en"><button class="primary" aria-disabled=${isRunning} title="Run and check (Ctrl+Enter in the text)" onClick=${run}>${isRunning ? "Running…" : "Run and check"}</button>
      ${answered.state === "open" && html`<${Hints} id=${id} hints=${hints} />`}
      <button onClick=${open}>Step through my version</button>
      ${text !== given && html`<button onClick=${() => replace(given)}>Undo all changes</button>`}</p>
    <${Checked} outcome=${outcome} />
    <${Result} id=${id} hints=${hints} wrong=${null} right=${right} />`;
}

/** The result of the run. @param {{outcome: Outcome}} props */
function Checked({ outcome: { checked, problem } }) {
  const found = (checked?.diagnostics ?? []).map((diagnostic) => problemText(diagnostic));
  return html`<div class="lesson-result" role="status">
    ${problem && html`<p class="alarm">${problem}</p>`}
    ${checked && html`<p class=${checked.passed ? "lesson-passed" : "lesson-wrong"}>${withCode(checked.message)}</p>`}
    ${checked && checked.values.length > 0 && html`<dl class="lesson-values">${checked.values.map(({ text, value, expected }) => html`<div><dt><code>${text}</code></dt><dd><code>${value}</code>${expected !== null && html` where <code>${expected}</code> is expected`}</dd></div>`)}</dl>`}
    ${found.length > 0 && html`<ul class="problems">${found.map((text) => html`<li>${text}</li>`)}</ul>`}
  </div>`;
}

/** Create a session with the edited program and the inputs and grid of the lesson. @param {ChangeBlock} change @param {string} text */
async function openOwn(change, text) {
  location.assign(await (state.exercises.copy ?? ownCopy)(change, text));
}

/** @param {ChangeBlock} change @param {string} text @returns {Promise<string>} */
async function ownCopy({ name, entry, inputs, grid }, text) {
  const { url } = await sendJson("/api/sessions", { text, name, entry, inputs, grid });
  return url;
}
