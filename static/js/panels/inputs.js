/** The dialog in which the inputs of the next run are chosen. */
import { html } from "htm/preact";
import { useEffect, useState } from "preact/hooks";
import { runProgram } from "../actions.js";
import { checkProgram } from "../api.js";
import { consoleLines, diagnostics, dialog, draft, inputsAt, run, sessionName } from "../store.js";
import { Dialog } from "../ui/dialog.js";
import { ArgumentRow } from "./inputs/argument_row.js";
import { FileDrop } from "./inputs/file_drop.js";
import { GridSizeFields } from "./inputs/grid_size.js";
import { changed, fromFile, placeOf, planFor } from "./inputs/plan.js";
import { chosenGrid, forProcesses, isSameGrid, nextSeed, processesOf } from "./inputs/ways.js";

/** @typedef {import("./inputs/plan.js").Planned} Planned */
/** @typedef {import("../types.js").GridSize} GridSize */

/** More processes than this are refused when the run starts; nobody wants a field for each. */
const MOST_FIELDS = 4096;

/** @type {GridSize} */
const ALONE = { replicas: 1, partitions: 1 };

const close = () => (dialog.value = inputsAt.value = null);

/** @returns {import("preact").VNode} */
export function InputsDialog() {
  const [planned, setPlanned] = useState(/** @type {Planned[]|null} */ (null));
  const [needed, setNeeded] = useState(ALONE);
  const [grid, setGrid] = useState(ALONE);
  const [upload, setUpload] = useState(/** @type {import("./inputs/plan.js").Upload|null} */ (null));
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    argumentsOfDraft().then((found) => {
      setNeeded(found.needed);
      setGrid(found.grid);
      setPlanned(found.planned);
    }, (error) => setProblem(error.message));
  }, []);
  const resize = (/** @type {GridSize} */ found) => {
    setGrid(found);
    if (processesOf(found) > MOST_FIELDS) return;
    setPlanned((planned ?? []).map((item) => ({ ...item, input: forProcesses(item.input, processesOf(found)) })));
  };

  const change = (/** @type {number} */ at, /** @type {import("../types.js").InputSpec} */ input) =>
    setPlanned(changed(planned ?? [], at, input));
  const take = (/** @type {import("./inputs/plan.js").Upload} */ found) => {
    setUpload(found);
    setPlanned(fromFile(planned ?? [], found, grid));
  };
  const start = async () => {
    setBusy(true);
    setProblem("");
    const started = await runProgram((planned ?? []).map(({ input }) => input), chosenGrid(grid, needed));
    setBusy(false);
    if (started) close();
    else setProblem(whatWentWrong());
  };
  const seeds = () => setPlanned((planned ?? []).map((item) => ({ ...item, input: nextSeed(item.input) })));
  const wanted = placeOf(planned ?? [], inputsAt.value);
  /** @param {boolean} outside */
  const rows = (outside) => (planned ?? []).flatMap((item, at) => (!item.outside === outside ? [] : [html`<${ArgumentRow} key=${item.name + at}
    number=${at} planned=${item} grid=${grid} upload=${upload} wanted=${at === wanted} change=${(/** @type {import("../types.js").InputSpec} */ input) => change(at, input)} />`]));
  const footer = html`<button class="plain" onClick=${seeds} disabled=${!planned?.length}>New random numbers</button>
    <button class="primary" disabled=${planned === null || busy} onClick=${start}>Run with these inputs</button>`;
  return html`<${Dialog} title="Inputs" close=${close} footer=${footer}>
    ${planned === null && !problem && html`<p role="status">Reading the program …</p>`}
    ${planned !== null && html`<${GridSizeFields} grid=${grid} needed=${needed} change=${resize} />`}
    ${planned?.length === 0 && html`<p>This program takes no inputs.</p>`}
    ${planned !== null && planned.length > 0 && html`<${FileDrop} planned=${planned} upload=${upload} take=${take} />
      ${planned.some(({ outside }) => !outside) && html`<ol class="inputs" start="0">${rows(false)}</ol>`}
      ${planned.some(({ outside }) => outside) && html`<section class="inputs-outside" aria-labelledby="from-outside"><h3 id="from-outside">Results from outside</h3>
        <p class="quiet">Code that is not in the program makes these. The run stops there, unless it is given values.</p>
        <ul class="inputs">${rows(true)}</ul></section>`}`}
    ${problem && html`<p class="alarm" role="alert">${problem}</p>`}
  </${Dialog}>`;
}

/**
 * The arguments of what is in the editor, with the inputs of the run before where they have any, and its grid if it was chosen.
 *
 * @returns {Promise<{planned: Planned[], needed: GridSize, grid: GridSize}>}
 */
async function argumentsOfDraft() {
  const { entries, diagnostics: found } = await checkProgram(draft.value, sessionName.value || "program.mlir", undefined, run.value?.entry);
  const entry = entries?.find((/** @type {{name: string}} */ { name }) => name === run.value?.entry) ?? entries?.[0];
  if (!entry) {
    const first = found?.[0];
    throw new Error(first ? `The program has errors, so its inputs are not known yet. Line ${first.line}: ${first.message}` : "The program has no function to run.");
  }
  const needed = entry.needed_grid ?? ALONE;
  const before = run.value;
  const chosen = before?.grid && before.needed_grid && !isSameGrid(before.grid, before.needed_grid) ? before.grid : null;
  const grid = chosen ?? needed;
  const planned = planFor([...entry.arguments, ...(entry.outside ?? [])], before?.arguments ?? []);
  return { planned: planned.map((item) => ({ ...item, input: forProcesses(item.input, processesOf(grid)) })), needed, grid };
}

/** The run was refused: the program's errors, else what the console was told. @returns {string} */
function whatWentWrong() {
  const error = diagnostics.value.find(({ severity }) => severity === "error");
  // What is wrong with an input stands on no line.
  if (error) return /input/.test(error.kind) || error.message.startsWith("argument ") ? error.message : `Line ${error.line}: ${error.message}`;
  return consoleLines.value.findLast(({ kind }) => kind === "error")?.text ?? "The program was not run.";
}
