/** The program: the editor, and above it what the text is and the button that runs it. */
import { computed } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { chooseValue, runProgram, toggleBreakpoint } from "../actions.js";
import { tell } from "../console.js";
import { createEditor } from "../editor/editor.js";
import { hasDetails } from "../editor/hlo_folds.js";
import { languageOf } from "../editor/recognise_language.js";
import { editorUpdated, keepInSync } from "../editor/sync.js";
import { keysOf } from "../keys.js";
import { command } from "../commands.js";
import { arriveInRun } from "../actions.js";
import { showRun } from "../session.js";
import * as store from "../store.js";
import { Ask } from "../ui/ask.js";
import { Icon } from "../ui/icons.js";
import { detailsHidden, toggleDetails } from "../ui/preferences.js";

const detailed = computed(() => languageOf(store.draft.value) === "hlo" && hasDetails(store.draft.value));

export function ProgramPanel() {
  return html`<${Head} /><${Editor} />`;
}

function Head() {
  return html`<div class="pane-head">
    <h2 title=${store.sessionName.value}>${store.sessionName.value || "program"}</h2><${Ask} about="program" title="Program" />
    ${store.changed.value && html`<span class="changed" title="The values beside the program are still those of the run that is shown.">changed since run ${store.run.value?.number}</span>`}
    <span class="spring"></span>
    ${detailed.value && html`<button aria-pressed=${!detailsHidden.value} onClick=${toggleDetails}
      title="Metadata, sharding, backend_config: what the compiler notes and what changes no value; and very long literals">Details</button>`}
    <${Runs} />
    <button onClick=${() => (store.dialog.value = "inputs")} disabled=${store.run.value === null}><${Icon} name="inputs" />Inputs</button>
    <button class="primary" title=${`Run the program (${keysOf(command("run")).join(", ")})`} onClick=${() => runProgram()}>Run</button>
  </div>`;
}

/** The run before is one choice away. */
function Runs() {
  const shown = store.run.value?.number;
  if (store.runs.value.length < 2) return null;
  const choose = async (/** @type {Event} */ event) => {
    try {
      await showRun(Number(/** @type {HTMLSelectElement} */ (event.currentTarget).value));
      arriveInRun();
    } catch (error) {
      tell(error);
    }
  };
  return html`<label><span class="hidden">Run that is shown</span><select onChange=${choose}>
    ${[...store.runs.value].sort((a, b) => b.number - a.number).map(({ number }) =>
      html`<option value=${number} selected=${number === shown}>run ${number}</option>`)}
  </select></label>`;
}

function Editor() {
  const host = useRef(/** @type {HTMLDivElement|null} */ (null));
  useEffect(() => {
    if (!host.current) return undefined;
    const handlers = { toggleBreakpoint, choose: chooseValue, updated: editorUpdated };
    const view = createEditor(host.current, store.draft.peek(), handlers);
    const end = keepInSync(view);
    return () => {
      end();
      view.destroy();
    };
  }, []);
  return html`<div class="editor" ref=${host}></div>`;
}
