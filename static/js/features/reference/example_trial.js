/** An op's example, run in place: step, edit, run again, open in the debugger. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { sendJson } from "../../core/api.js";
import { Icon } from "../../ui/icons.js";
import { useResource } from "../../ui/resource.js";
import { open } from "../home/paste.js";
import { setShown, useTrialEditor } from "./trial_editor.js";
import { problemText, sentenceAt, resultsAt, addEnding } from "./model.js";
/** @import {Trial} from "./model.js" */

/** @param {{file: string, text: string}} props */
export function ExampleTrial({ file, text }) {
  const [written, setWritten] = useState(text);
  const { trial, problem, isRunning, run } = useTrial(file, text, written);
  const last = Math.max(0, (trial?.steps.length ?? 0) - 1);
  const [chosen, setChosen] = useState(
    /** @type {{trial: Trial|null, position: number}} */ ({ trial, position: last }),
  );
  const position = chosen.trial === trial ? chosen.position : last;
  const [failure, setFailure] = useState("");
  const { host, view, replace } = useTrialEditor(text, { changed: setWritten, run });
  useEffect(() => {
    const steps = trial?.steps ?? [];
    const current = steps[position]?.line ?? null;
    view.current?.dispatch({ effects: setShown.of({ values: resultsAt(steps, position), current }) });
  }, [trial, position]);
  const debug = () => open({ text: written, name: file }).catch((error) => setFailure(error.message));
  return html`<div class="trial">
    <div class="trial-bar" role="toolbar" aria-label="Run the example">
      <button class="primary" onClick=${run} disabled=${isRunning} title="Run (Ctrl+Enter in the text)"><${Icon} name="continue" />Run</button>
      <${Stepper} trial=${trial} position=${position} go=${(/** @type {number} */ to) => setChosen({ trial, position: to })} />
      <span class="where" role="status">${isRunning ? "Running…" : stopSentence(trial, position)}</span>
      ${written !== text && html`<button onClick=${() => replace(text)}>Undo changes</button>`}
      <button class="plain" onClick=${debug}>Open in the debugger</button>
    </div>
    <div class="trial-text" ref=${host}></div>
    <${Problems} trial=${trial} problem=${problem || failure} />
  </div>`;
}

/**
 * The last run of the text; null for an edited text.
 *
 * @param {string} file @param {string} text the example, which is run at once @param {string} written
 * @returns {{trial: Trial|null, problem: string, isRunning: boolean, run: () => void}}
 */
function useTrial(file, text, written) {
  const [program, setProgram] = useState(text);
  const { value, error, isLoading, retry } = useResource(program, async (stop) => {
    /** @type {Trial} */
    const found = await sendJson("/api/try", { text: program, name: file }, { signal: stop });
    return { program, trial: { ...found, steps: addEnding(found) } };
  });
  const isCurrent = written === program;
  return {
    trial: isCurrent && value?.program === program ? value.trial : null,
    problem: isCurrent && !isLoading && error ? error.message : "",
    isRunning: isCurrent && isLoading,
    run: () => (isCurrent ? retry() : setProgram(written)),
  };
}

/** @param {{trial: Trial|null, position: number, go: (position: number) => void}} props */
function Stepper({ trial, position, go }) {
  const last = (trial?.steps.length ?? 0) - 1;
  const first = position <= 0 || last < 0;
  const final = position >= last;
  // aria-disabled, not disabled: the pressed button must keep the focus.
  return html`
    <button aria-label="First step" title="First step" aria-disabled=${first} onClick=${() => !first && go(0)}><${Icon} name="restart" /></button>
    <button aria-label="Step back" title="Step back" aria-disabled=${first} onClick=${() => !first && go(position - 1)}><${Icon} name="back" /></button>
    <button aria-label="Step" title="Step" aria-disabled=${final} onClick=${() => !final && go(position + 1)}><${Icon} name="into" /></button>`;
}

/** @param {Trial|null} trial @param {number} position */
function stopSentence(trial, position) {
  if (trial === null) return "Changed: run it to see its values.";
  return trial.steps.length > 0 ? sentenceAt(trial, position) : "It has errors.";
}

/** @param {{trial: Trial|null, problem: string}} props */
function Problems({ trial, problem }) {
  const found = [...(trial?.diagnostics ?? []).map(problemText), ...(problem ? [problem] : [])];
  return html`<div role="alert">${found.length > 0 && html`<ul class="problems">${found.map((text) => html`<li>${text}</li>`)}</ul>`}</div>`;
}
