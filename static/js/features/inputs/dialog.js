/** The dialog for the inputs of the next run. */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { runProgram } from "../../core/actions.js";
import { checkProgram } from "../../core/api.js";
import * as store from "../../core/store.js";
import { closeDialog } from "../../core/view_actions.js";
import { Dialog } from "../../ui/dialog.js";
import { useResource } from "../../ui/resource.js";
import {
  baseOf,
  chosenGrid,
  forProcesses,
  inWay,
  isSameGrid,
  nextSeed,
  placeName,
  processesOf,
  wayOf,
  waysFor,
  withBase,
  withSpec,
} from "./distribution.js";
import { FileDrop } from "./file_drop.js";
import { replaceInput, fromFile, isToken, placeOf, planFor } from "./plan.js";
import { ValueSource } from "./value_source.js";
import { Choice, valueOf } from "../../ui/fields.js";
/** @import {GridSize, InputSpec, ValueSpec} from "../../core/types.js" */
/** @import {Planned} from "./plan.js" */

/** @typedef {{planned: Planned[], needed: GridSize, grid: GridSize}} Plan  `needed`: the grid that the program says */

/** Maximum number of processes with fields; the server limits runs further. */
const MOST_FIELDS = 4096;

const ALONE = { replicas: 1, partitions: 1 };

/** @returns {import("preact").VNode} */
export function InputsDialog() {
  const { plan, error, update } = usePlan();
  const [upload, setUpload] = useState(/** @type {import("./plan.js").Upload|null} */ (null));
  const { problem, isStarting, start } = useStart();
  const { planned = null, grid = ALONE, needed = ALONE } = plan ?? {};
  const take = (/** @type {import("./plan.js").Upload} */ found) => {
    setUpload(found);
    update({ planned: fromFile(planned ?? [], found, grid) });
  };
  const seeds = () => update({ planned: planned?.map((item) => ({ ...item, input: nextSeed(item.input) })) });
  const footer = html`<button class="plain" onClick=${seeds} disabled=${!planned?.length}>New random numbers</button>
    <button class="primary" disabled=${plan === null || isStarting} onClick=${() => plan && start(plan)}>Run with these inputs</button>`;
  return html`<${Dialog} title="Inputs" close=${closeDialog} footer=${footer}>
    ${plan === null && !error && html`<p role="status">Reading the program…</p>`}
    ${plan !== null && html`<${GridSizeFields} grid=${grid} needed=${needed} change=${(/** @type {GridSize} */ found) => update(resized(plan, found))} />`}
    ${planned?.length === 0 && html`<p>This program takes no inputs.</p>`}
    ${
      Boolean(planned?.length) &&
      html`<${FileDrop} planned=${planned} upload=${upload} take=${take} />
      <${Arguments} planned=${planned} grid=${grid} upload=${upload} change=${(/** @type {Planned[]} */ next) => update({ planned: next })} />`
    }
    ${(problem || error) && html`<p class="alarm" role="alert">${problem || error?.message}</p>`}
  </${Dialog}>`;
}

/**
 * The inputs of the program in the editor, and changes to them; null while the program is checked.
 *
 * @returns {{plan: Plan|null, error: Error|null, update: (changed: Partial<Plan>) => void}}
 */
function usePlan() {
  const { value, error } = useResource("arguments", argumentsOfDraft);
  const [changed, setChanged] = useState(/** @type {Partial<Plan>} */ ({}));
  const plan = value ? { ...value, ...changed } : null;
  return { plan, error, update: (next) => setChanged((before) => ({ ...before, ...next })) };
}

/** The plan on another grid. @param {Plan} plan @param {GridSize} grid @returns {Partial<Plan>} */
function resized({ planned }, grid) {
  const count = processesOf(grid);
  if (count > MOST_FIELDS) return { grid };
  return { grid, planned: planned.map((item) => ({ ...item, input: forProcesses(item.input, count) })) };
}

/** Start the run and close the dialog, or return the error. */
function useStart() {
  const [problem, setProblem] = useState("");
  const [isStarting, setStarting] = useState(false);
  const start = async (/** @type {Plan} */ { planned, grid, needed }) => {
    setStarting(true);
    setProblem("");
    const inputs = planned.map(({ input }) => input);
    const started = await runProgram(inputs, chosenGrid(grid, needed));
    setStarting(false);
    if (started) closeDialog();
    else setProblem(whatWentWrong());
  };
  return { problem, isStarting, start };
}

/** The arguments, then the results of code outside the program. @param {{planned: Planned[], grid: GridSize, upload: import("./plan.js").Upload|null, change: (planned: Planned[]) => void}} props */
function Arguments({ planned, grid, upload, change }) {
  const wanted = placeOf(planned, store.inputsAt.value);
  const row = (/** @type {Planned} */ item, /** @type {number} */ at) =>
    html`<${ArgumentRow} key=${item.name + at} number=${at} planned=${item} grid=${grid} upload=${upload} wanted=${at === wanted}
      change=${(/** @type {InputSpec} */ input) => change(replaceInput(planned, at, input))} />`;
  const own = planned.flatMap((item, at) => (item.outside ? [] : [row(item, at)]));
  const outside = planned.flatMap((item, at) => (item.outside ? [row(item, at)] : []));
  return html`${own.length > 0 && html`<ol class="inputs" start="0">${own}</ol>`}
    ${
      outside.length > 0 &&
      html`<section class="inputs-outside" aria-labelledby="from-outside"><h3 id="from-outside">Results from outside</h3>
      <p class="quiet">These values come from code outside the program. The run stops there unless you give values.</p>
      <ul class="inputs">${outside}</ul></section>`
    }`;
}

/**
 * The arguments of the program in the editor, with the inputs of the previous run where they match, and its grid if it
 * was chosen.
 *
 * @param {AbortSignal} stop @returns {Promise<Plan>}
 */
async function argumentsOfDraft(stop) {
  const { entries, diagnostics: found } = await checkProgram(
    store.draft.value,
    store.sessionName.value || "program.mlir",
    stop,
    store.run.value?.entry,
  );
  const entry =
    entries?.find((/** @type {{name: string}} */ { name }) => name === store.run.value?.entry) ?? entries?.[0];
  if (!entry) {
    const first = found?.[0];
    throw new Error(
      first
        ? `The program has errors, so its inputs are not known yet. Line ${first.line}: ${first.message}`
        : "The program has no function to run.",
    );
  }
  const needed = entry.needed_grid ?? ALONE;
  const before = store.run.value;
  const chosen =
    before?.grid && before.needed_grid && !isSameGrid(before.grid, before.needed_grid) ? before.grid : null;
  const grid = chosen ?? needed;
  const planned = planFor([...entry.arguments, ...(entry.outside ?? [])], before?.arguments ?? []);
  return {
    planned: planned.map((item) => ({ ...item, input: forProcesses(item.input, processesOf(grid)) })),
    needed,
    grid,
  };
}

/** The refusal of the run: the program's errors, else the last error in the console. @returns {string} */
function whatWentWrong() {
  const error = store.diagnostics.value.find(({ severity }) => severity === "error");
  // An error of an input has no line.
  if (error)
    return /input/.test(error.kind) || error.message.startsWith("argument ")
      ? error.message
      : `Line ${error.line}: ${error.message}`;
  return store.consoleLines.value.findLast(({ kind }) => kind === "error")?.text ?? "The program was not run.";
}

/** The number of processes of the next run. */

/** @param {{grid: GridSize, needed: GridSize, change: (grid: GridSize) => void}} props */
export function GridSizeFields({ grid, needed, change }) {
  const count = processesOf(grid);
  const set = (/** @type {"replicas"|"partitions"} */ side) => (/** @type {Event} */ event) => {
    const size = Number(valueOf(event));
    if (Number.isSafeInteger(size) && size >= 1) change({ ...grid, [side]: size });
  };
  const field = (/** @type {"replicas"|"partitions"} */ side) => html`<label class="input-seed">${side}
    <input type="number" min="1" value=${grid[side]} aria-label=${side === "replicas" ? "Replicas" : "Partitions"} onChange=${set(side)} /></label>`;
  const said = isSameGrid(grid, needed)
    ? "as the program says"
    : `the program says ${needed.replicas} × ${needed.partitions}`;
  return html`<div class="input-grid" role="group" aria-label="Grid of processes">
    ${field("replicas")} × ${field("partitions")}
    <span class="quiet">${count === 1 ? "one process" : `${countText(count)} processes`}, ${said}</span>
    ${!isSameGrid(grid, needed) && html`<button class="plain" onClick=${() => change(needed)}>As the program says</button>`}
  </div>`;
}

/** One argument, or one result of code outside the program, and the source of its value. */

/** @param {{number: number, planned: Planned, grid: GridSize, upload: import("./plan.js").Upload|null, change: (input: InputSpec) => void, wanted?: boolean}} props `wanted`: what one came for */
export function ArgumentRow({ number, planned, grid, upload, change, wanted = false }) {
  const { name, type, literal, location, input, outside, whole } = planned;
  const menu = useRef(/** @type {HTMLSelectElement|null} */ (null));
  useEffect(() => {
    if (wanted) menu.current?.focus();
  }, []);
  const label = outside
    ? `${outside.maker}, line ${outside.line}${type && `, ${name}`}`
    : `argument ${number}, ${name}`;
  const note = outside ? `${type ? `${outside.maker}, ` : ""}line ${outside.line}` : location;
  const way = wayOf(input);
  const many = !outside && processesOf(grid) > 1;
  const cut = whole && way === "one" ? whole : null;
  const shown = cut ? (cut.literal ?? cut.type) : (literal ?? type);
  if (!outside && isToken(type)) {
    return html`<li class="input-row"><div class="input-name"><code class="name">${name}</code> <code class="type">${type}</code> <span class="quiet">there without being given</span></div></li>`;
  }
  return html`<li class="input-row">
    <div class="input-name"><code class="name">${type ? name : outside?.maker}</code> <code class="type">${type}</code>
      ${whole && html` <span class="quiet">a part of <code>${whole.type}</code></span>`}${note && html` <span class="quiet">${note}</span>`}</div>
    ${
      many &&
      html`<${Choice} class="input-way" aria-label=${`How processes get ${label}`} options=${waysFor(Boolean(whole))} value=${way}
        choose=${(/** @type {import("./distribution.js").Way} */ key) => change(inWay(key, input, processesOf(grid)))} />`
    }
    ${
      input.kind === "each"
        ? html`<${EachSource} label=${label} type=${shown} input=${input} grid=${grid} upload=${upload} change=${change} />`
        : html`<${ValueSource} menu=${menu} label=${label} type=${type && shown} input=${baseOf(input)} upload=${upload} only=${way === "apart"}
          fixed=${fixedKinds(planned)} change=${(/** @type {ValueSpec} */ spec) => change(withBase(input, spec))} />`
    }
  </li>`;
}

/** The choices for results of outside code besides values. @param {Planned} planned @returns {(readonly [string, string])[]} */
function fixedKinds({ type, outside }) {
  if (!outside) return [];
  return [["stop", "stop there"], ...(type ? [] : [/** @type {const} */ (["skip", "skip it"])])];
}

/** A value for each process. @param {{label: string, type: string, input: Extract<InputSpec, {kind: "each"}>, grid: GridSize, upload: import("./plan.js").Upload|null, change: (input: InputSpec) => void}} props */
function EachSource({ label, type, input, grid, upload, change }) {
  return html`<ol class="input-each" aria-label=${`Values of ${label}`}>${input.specs.map(
    (spec, process) => html`<li key=${process}>
    <span class="input-process">${placeName(process, grid)}</span>
    <${ValueSource} label=${`${label}, process ${placeName(process, grid)}`} type=${type} input=${spec} upload=${upload}
      change=${(/** @type {ValueSpec} */ found) => change(withSpec(input, process, found))} />
  </li>`,
  )}</ol>`;
}
