/** The part of the Compare tab that is about XLA: begin, follow, cancel, and what came of it. */
import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { isRunning } from "../../core/run/engine_jobs.js";
import * as engine from "./engine.js";

/** @typedef {import("../../core/types.js").ValuesOrigin} ValuesOrigin */

/** What an engine is called in the list. @param {import("../../core/types.js").EngineInfo} engine */
const engineName = ({ name, devices }) => (name === "xla" ? "CPU" : `${name.toUpperCase()}: ${devices[0]}`);

/** Where XLA runs, if there is more to choose from than the CPU. */
function EngineChoice() {
  useEffect(() => void engine.findEngines(), []);
  const found = engine.engines.value ?? [];
  if (found.length < 2) return null;
  const choose = (/** @type {Event} */ event) =>
    (engine.chosen.value = /** @type {HTMLSelectElement} */ (event.currentTarget).value);
  return html`<select aria-label="Where XLA runs" value=${engine.chosen.value} onChange=${choose}>
    ${found.map((each) => html`<option key=${each.name} value=${each.name}>${engineName(each)}</option>`)}</select>`;
}

/** Begin a comparison, or bring a file of values. */
export function EngineButtons() {
  const input = useRef(/** @type {HTMLInputElement|null} */ (null));
  const take = (/** @type {Event} */ event) => {
    const field = /** @type {HTMLInputElement} */ (event.currentTarget);
    const file = field.files?.[0];
    field.value = "";
    if (file) void engine.addValues(file);
  };
  const typed = (/** @type {Event} */ event) =>
    (engine.flags.value = /** @type {HTMLInputElement} */ (event.currentTarget).value);
  return html`<span class="compare-engine"><button class="plain" disabled=${isRunning(engine.job.value)} onClick=${() => void engine.compareWithXla()}
      title="Compile and run the same program on the same inputs with XLA, and compare the values">Compare with XLA</button>
    <${EngineChoice} />
    <input type="text" size="10" placeholder="XLA flags" aria-label="XLA flags" title="For example xla_disable_hlo_passes=fusion" value=${engine.flags.value} onChange=${typed} />
    <button class="plain" onClick=${() => input.current?.click()} title="Values of another run by name: .npz, or a .zip of a folder of probes">Add values…</button>
    <input ref=${input} type="file" class="hidden" tabindex="-1" aria-label="Values to add" accept=".npz,.zip" onChange=${take} /></span>`;
}

/** How far it is, or why nothing came of it. */
export function EngineProgress() {
  const job = engine.job.value;
  const problem = engine.refusal.value ?? (job?.state === "failed" || job?.state === "cancelled" ? job : null);
  if (problem) return html`<p class="compare-job problem" role="alert">${problem.message} ${problem.hint}</p>`;
  if (!job || !isRunning(job)) return null;
  return html`<p class="compare-job" role="status"><span>XLA: ${job.doing}, ${job.seconds.toFixed(0)} s</span>
    <button class="plain" onClick=${() => void engine.cancel()}>Cancel</button></p>`;
}

/** Who has computed the other values, and the verdict on the results. @param {{origin: ValuesOrigin}} props */
export function Origin({ origin }) {
  if (!origin.sentence) return null;
  return html`<details class="compare-origin"><summary>${origin.sentence}</summary>
    <ul>${origin.lines.map((line) => html`<li key=${line}>${line}</li>`)}</ul></details>`;
}
