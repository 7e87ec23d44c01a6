/** Above the lists: the verdict, the progress of the examination, and the inputs of the stages. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { sendFile } from "../../core/api.js";
import { withCode } from "../../ui/with_code.js";
import { HelpLink } from "../../ui/help_link.js";
import { typesWords } from "./model.js";
import { errorText } from "../../core/messages.js";
import { countText, counted } from "../../core/tensor/elements.js";
import * as state from "./state.js";
import { Choice, FileButton } from "../../ui/fields.js";

export function Head() {
  const told = state.dump.value;
  const progress = state.progress.value;
  if (!told || !progress) return null;
  return html`<header class="dump-head">
    <div class="dump-name"><h1>${told.name}</h1><${Modules} /><span class="spring"></span><${HelpLink} about="passes" title="passes of XLA" /></div>
    <${Sentence} />
    <${Progress} />
    <${Inputs} />
    ${state.problem.value && html`<p class="alarm" role="alert">${state.problem.value}</p>`}
  </header>`;
}

/** The choice of the module. */
function Modules() {
  const modules = state.dump.value?.modules ?? [];
  if (modules.length < 2) return html`<span class="quiet">${modules[0]?.key ?? ""}</span>`;
  const first = state.progress.value?.first_wrong?.module;
  const options = modules.map(({ key, stages }, at) => [
    at,
    `${at === first ? "➤ " : ""}${key}, ${counted(stages.length, "text")}`,
  ]);
  return html`<label>Module <${Choice} aria-label="Module" options=${options} value=${state.module.value} choose=${(/** @type {number} */ at) => state.chooseModule(at)} /></label>`;
}

/** The verdict in words. */
function Sentence() {
  const { sentence = "", first_wrong: first, kind } = state.progress.value ?? {};
  if (sentence === "") return null;
  const isShown =
    first?.module === state.module.value && first?.stage === state.stage.value && state.list.value === "passes";
  return html`<p class=${`dump-sentence${first ? " culprit" : ""}`} role="status">${withCode(sentence)}${kind === "runs" && first ? " So far." : ""}
    ${first && !isShown && html` <button class="plain" onClick=${state.goToFirstWrong}>Show it</button>`}</p>`;
}

function Progress() {
  const told = state.progress.value;
  if (!told) return null;
  const { kind, reason, done, total } = told;
  const again = () => state.examine(state.wishesOf(told));
  if (kind === "failed" || kind === "stopped")
    return html`<p class="dump-progress" role="status"><span>${reason}</span> <button class="plain" onClick=${again}>Run again</button></p>`;
  if (!state.isActive.value) return null;
  const words =
    kind === "waiting"
      ? "Waiting: the server is running other dumps."
      : `${kind === "texts" ? "Comparing texts" : "Running stages"}: ${countText(done)} of ${countText(total)}`;
  return html`<p class="dump-progress"><progress aria-label="Stages" max=${Math.max(1, total)} value=${kind === "waiting" ? 0 : done}></progress>
    <span>${words}</span> <button class="plain" onClick=${state.stop}>Stop</button></p>`;
}

/** The inputs of the stages, and a form to change them. */
function Inputs() {
  const [isOpen, setOpen] = useState(false);
  const told = state.progress.value;
  const made = told?.inputs.find(({ module }) => module === state.module.value);
  const trouble = told?.problems.find(({ module }) => module === state.module.value);
  return html`<div class="dump-inputs"><p>${trouble ? html`<span class="alarm">${[trouble.message, trouble.hint].filter(Boolean).join(". ")}</span>` : html`<${Types} made=${made} />`}
      ${(made || trouble) && html` <button class="plain" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>Other inputs…</button>`}</p>
    ${made?.original_values && html`<p class="quiet">${made.original_values}.</p>`}
    ${isOpen && html`<${InputForm} close=${() => setOpen(false)} />`}</div>`;
}

/** The source of the inputs and the inputs: the first of many, all on demand. @param {{made: {origin: string, types: string[]}|undefined}} props */
function Types({ made }) {
  const [isWhole, setWhole] = useState(false);
  if (!made) return null;
  if (made.types.length === 0) return html`<span class="quiet">${made.origin || "It takes no inputs."}</span>`;
  const { words, more } = typesWords(made.types, isWhole);
  return html`<span class="quiet">Inputs from ${made.origin}: ${words}</span>${
    more > 0 && html` <button class="plain" onClick=${() => setWhole(true)}>and ${countText(more)} more</button>`
  }`;
}

/** @param {{close: () => void}} props */
function InputForm({ close }) {
  const told = /** @type {import("../../core/types.js").ExaminationProgress} */ (state.progress.value);
  const [said, setSaid] = useState("");
  const run = (/** @type {Partial<typeof told.wishes>} */ change) => {
    close();
    void state.examine({ ...state.wishesOf(told), module: state.module.value, ...change });
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const seed = Number(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get("seed"));
    run({ seed, file: null, file_name: "" });
  };
  const upload = async (/** @type {File} */ file) => {
    try {
      const kept = await sendFile(state.dumpPath("/inputs"), file);
      run({ file: kept.file, file_name: kept.name });
    } catch (error) {
      setSaid(errorText(error));
    }
  };
  return html`<form class="input-form" onSubmit=${submit}>
    <label>Seed <input name="seed" type="number" min="0" step="1" required value=${told.wishes.seed} /></label>
    <button class="plain" type="submit">Run on this seed</button>
    <span>or</span>
    <${FileButton} label="A file of arrays" accept=".npz,.npy" take=${upload}>Run on a file of arrays…<//>
    ${said && html`<p class="alarm" role="alert">${said}</p>`}</form>`;
}
