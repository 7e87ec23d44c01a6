/** An op's example, run in place: step through it, change it, run it again, take it to the debugger. */
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { sendJson } from "../api.js";
import { open } from "../home/paste.js";
import { Icon } from "../ui/icons.js";
import { problemText, sentenceAt, shownAt, withEnding } from "./steps.js";
import { createTrialEditor, setShown } from "./trial_editor.js";

/** @typedef {import("./steps.js").Trial} Trial */

/** @param {{file: string, text: string}} props */
export function ExampleTrial({ file, text }) {
  const host = useRef(/** @type {HTMLElement|null} */ (null));
  const view = useRef(/** @type {import("@codemirror/view").EditorView|null} */ (null));
  const [written, setWritten] = useState(text);
  const [trial, setTrial] = useState(/** @type {Trial|null} */ (null));
  const [position, setPosition] = useState(0);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");

  const run = async () => {
    setBusy(true);
    setProblem("");
    const program = view.current?.state.doc.toString() ?? text;
    try {
      const found = /** @type {Trial} */ (await sendJson("/api/try", { text: program, name: file }));
      // Whoever types meanwhile gets the answer to another text.
      if (view.current?.state.doc.toString() !== program) return;
      setTrial({ ...found, steps: withEnding(found) });
      setPosition(Math.max(0, found.steps.length - 1));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  const changed = (/** @type {string} */ now) => {
    setWritten(now);
    setTrial(null);
  };

  useEffect(() => {
    if (!host.current) return undefined;
    const made = (view.current = createTrialEditor(host.current, text, { changed, run: () => void run() }));
    void run();
    return () => made.destroy();
  }, []);
  useEffect(() => {
    const steps = trial?.steps ?? [];
    const current = steps[position]?.line ?? null;
    view.current?.dispatch({ effects: setShown.of({ values: shownAt(steps, position), current }) });
  }, [trial, position]);

  const reset = () => view.current?.dispatch({ changes: { from: 0, to: view.current.state.doc.length, insert: text } });
  const debug = () => open({ text: written, name: file }).catch((error) => setProblem(error.message));
  return html`<div class="trial">
    <div class="trial-bar" role="toolbar" aria-label="Run the example">
      <button class="primary" onClick=${run} disabled=${busy} title="Run (Ctrl+Enter in the text)"><${Icon} name="continue" />Run</button>
      <${Stepper} trial=${trial} position=${position} go=${setPosition} />
      <span class="where" role="status">${busy ? "Running …" : said(trial, position)}</span>
      ${written !== text && html`<button onClick=${reset}>Undo changes</button>`}
      <button class="plain" onClick=${debug}>Open in the debugger</button>
    </div>
    <div class="trial-text" ref=${host}></div>
    <${Problems} trial=${trial} problem=${problem} />
  </div>`;
}

/** @param {{trial: Trial|null, position: number, go: (position: number) => void}} props */
function Stepper({ trial, position, go }) {
  const last = (trial?.steps.length ?? 0) - 1;
  const first = position <= 0 || last < 0;
  const final = position >= last;
  // aria-disabled, not disabled: a button that one has just pressed must keep the focus.
  return html`
    <button aria-label="First step" title="First step" aria-disabled=${first} onClick=${() => !first && go(0)}><${Icon} name="restart" /></button>
    <button aria-label="Step back" title="Step back" aria-disabled=${first} onClick=${() => !first && go(position - 1)}><${Icon} name="back" /></button>
    <button aria-label="Step" title="Step" aria-disabled=${final} onClick=${() => !final && go(position + 1)}><${Icon} name="into" /></button>`;
}

/** @param {Trial|null} trial @param {number} position */
function said(trial, position) {
  if (trial === null) return "Changed: run it to see its values.";
  return trial.steps.length > 0 ? sentenceAt(trial, position) : "It has errors.";
}

/** @param {{trial: Trial|null, problem: string}} props */
function Problems({ trial, problem }) {
  const found = [...(trial?.diagnostics ?? []).map(problemText), ...(problem ? [problem] : [])];
  return html`<div role="alert">${found.length > 0 && html`<ul class="problems">${found.map((text) => html`<li>${text}</li>`)}</ul>`}</div>`;
}
