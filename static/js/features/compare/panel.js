/** The comparison of two runs of the session: equal and different values, the first difference, and the errors. */
import { countText, decimalText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { droppedFolder } from "../../core/dropped_folder.js";
import { isAnythingHidden } from "../../core/hidden_values.js";
import { reportError, say, withHint } from "../../core/messages.js";
import { makeZip } from "../../core/zip.js";
import { engines, findEngines, isRunning } from "../../core/run/engine_jobs.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { chooseInputs, compareWith } from "../../core/view_actions.js";
import { itemOf } from "../../core/search/folds.js";
import { withCode } from "../../ui/with_code.js";
import { ListFilter } from "../../ui/list_filter.js";
import { VirtualList } from "../../ui/virtual_list.js";
import { addPanel } from "../layout/panels.js";
import { Detail } from "./detail.js";
import * as engine from "./engine.js";
import { otherRun, others } from "../../core/run/other_run.js";
import { errorWord, itemsOf, opWord, rowOfOp, sideWords, spoken, VERDICT_WORDS, VERDICTS } from "./model.js";
import * as state from "./state.js";
import { Choice, FileButton, valueOf } from "../../ui/fields.js";
/** @import {ValuesOrigin, ComparedRow as Row} from "../../core/types.js" */
/** @import {Item} from "./model.js" */
/** @import {Compared, Pair} from "./state.js" */

addPanel({
  id: "compare",
  title: "Compare",
  dock: "stage",
  order: 6,
  isExtra: true,
  about: "with another run",
  help: "compare",
  Panel: ComparePanel,
  Head: undefined,
  Badge: CompareBadge,
  exists: () => !isFile(),
});

export function ComparePanel() {
  const { pair, error } = state.usePair();
  const { compared, error: problem } = state.useComparison(pair);
  if (store.run.value === null)
    return html`<p class="empty">Run the program first: this panel compares two of its runs.</p>`;
  if (store.runs.value.length < 2 && store.comparedValues.value === null)
    return html`<${DropTarget}><${OnlyOne} /></${DropTarget}>`;
  if (isAnythingHidden())
    return html`<p class="empty">Runs are not compared while a lesson or a poll asks about a value: they would tell it.</p>`;
  const failed = error ?? problem;
  return html`<${DropTarget}><div class="compare">
    <${Head} />
    <${EngineProgress} />
    ${compared?.told.origin && html`<${Origin} origin=${compared.told.origin} />`}
    ${failed && html`<p class="empty" role="alert">${failed.message}</p>`}
    ${!failed && html`<p class="compare-sentence" role="status">${compared?.told.sentence ?? "Comparing…"}${compared && !compared.told.done ? " Still comparing…" : ""}</p>`}
    ${pair && !state.isOfFile(pair) && html`<${OtherPlace} pair=${pair} />`}
    ${pair && compared && html`<${Rows} pair=${pair} compared=${compared} />`}
  </div></${DropTarget}>`;
}

/** The badge of the tab: the number of wrong values. */
export function CompareBadge() {
  const count = state.wrongHere();
  if (count === 0) return null;
  return html` <span class="badge alarm" title=${`${countText(count)} ${count === 1 ? "value differs" : "values differ"} beyond rounding`}>${countText(count)}</span>`;
}

/** The empty state, with the ways to get a second run. */
function OnlyOne() {
  return html`<div class="compare-only empty">
    <p>This session has one run. Add a second run to compare the two, value by value.</p>
    <ul>
      <li><button class="plain" onClick=${() => chooseInputs(null)}>Choose other inputs</button> and run the same program with them.</li>
      <li>Edit the program, such as its types or one of its ops, and press <b>Run</b>.</li>
      <li><${EngineButtons} /> to run it on XLA, or to bring the values of another engine or device.</li>
      <li><${AddProgram} /> to run it beside this one: before and after a pass, or two versions.</li>
    </ul><${EngineProgress} /></div>`;
}

/** The choice of the run and of the tolerance. */
function Head() {
  const shown = store.run.value?.number ?? 0;
  const other = otherRun.value;
  const isOfFile = store.comparedValues.value !== null;
  const runs = others(store.runs.value, shown).map(({ number }) => [number, `run ${number}`]);
  const options = isOfFile ? [[0, "the other values"], ...runs] : runs;
  return html`<div class="compare-head">
    <label>Run ${shown} and <${Choice} aria-label="The other run" options=${options} value=${isOfFile ? 0 : other} choose=${compareWith} /></label>
    <${Tolerance} />
    <span class="spring"></span>
    <${EngineButtons} />
    <${AddProgram} />
  </div>`;
}

const TOLERANCES = { found: "derived for each value", given: "custom" };

function Tolerance() {
  const given = state.tolerance.value;
  const set = (/** @type {Partial<typeof given>} */ change) => (state.tolerance.value = { ...given, ...change });
  /** @param {"absolute"|"relative"} name */
  const field = (name) => html`<label>${name} <input type="text" inputmode="decimal" size="6"
    value=${given[name]} onChange=${(/** @type {Event} */ event) => set({ [name]: valueOf(event) })} /></label>`;
  return html`<label>Tolerance <${Choice} aria-label="Rounding tolerance" title="Errors within the tolerance count as rounding; larger errors are wrong"
      options=${TOLERANCES} value=${given.isGiven ? "given" : "found"} choose=${(/** @type {string} */ kind) => set({ isGiven: kind === "given" })} /></label>
    ${given.isGiven && html`<span class="compare-tolerance">${field("absolute")} ${field("relative")}</span>`}`;
}

const AddProgram = () =>
  html`<${FileButton} label="A program to add" accept=".mlir,.hlo,.txt,.stablehlo" title="Run a program from a file as another run of this session" take=${state.addProgram}>Add a program…<//>`;

/** The matching position in the other run. @param {{pair: Pair}} props */
function OtherPlace({ pair }) {
  const matched = state.useMatchedStep(pair);
  const number = pair[pair.shown === "before" ? "after" : "before"].number;
  return html`<div class="compare-place"><span>${placeWords(number, matched)}</span>
    <button class="plain" disabled=${matched === null} onClick=${() => void state.switchHere(pair)}>Switch to run ${number} here</button></div>`;
}

/** @param {number} number @param {import("../../core/types.js").MatchedStep|null} matched */
function placeWords(number, matched) {
  if (matched === null) return `Run ${number}…`;
  if (matched.step === null) return `Run ${number} has no matching step here or earlier.`;
  const step = `step ${countText(matched.step)}`;
  if (matched.spelled === "") return `Run ${number} is at its end, ${step}.`;
  const op = `${opWord(matched.spelled)}${matched.name ? ` ${matched.name}` : ""}, line ${matched.line}`;
  return matched.exact
    ? `Run ${number} is at ${step}: ${op}.`
    : `Run ${number} has no matching op; it continues at ${step}: ${op}.`;
}

/** The list, and the details of the chosen row. @param {{pair: Pair, compared: Compared}} props */
function Rows({ pair, compared }) {
  const { rows, told } = compared;
  const filter = { words: state.words.value, verdicts: state.verdicts.value, opened: state.opened.value };
  const items = useMemo(() => itemsOf(rows, filter), [rows, filter.words, filter.verdicts, filter.opened]);
  const at = state.chosen.value ?? told.first;
  useEffect(() => {
    state.chosen.value = null;
    state.opened.value = new Set();
  }, [pair.before.key, pair.after.key]);
  const row = at === null ? undefined : rows[at];
  const here = rowOfOp(rows, pair.shown, store.calmOp.value);
  return html`<div class="compare-filter"><${ListFilter} label="Filter values" by="op, name or line: multiply, %7, line 9" text=${state.words.value} setText=${(/** @type {string} */ text) => (state.words.value = text)} />
      <${Verdicts} counts=${told.counts} /></div>
    <div class="compare-columns" aria-hidden="true"><span></span><span>${pair.before.title}</span><span>${state.isOfFile(pair) ? told.origin?.title || "the other values" : pair.after.title}</span><span>error</span></div>
    ${items.length === 0 && html`<p class="empty">No matches.</p>`}
    <div class="compare-rows" style=${{ "--rows": items.length }}><${VirtualList} label="Values of both runs" role="listbox" count=${items.length} scrolls cursor=${Math.max(0, itemOf(items, at ?? here))}
      row=${(/** @type {number} */ index) => listRow(/** @type {Item} */ (items[index]), { at, here, first: told.first })}
      choose=${(/** @type {number} */ index) => take(pair, /** @type {Item} */ (items[index]))}
      moveTo=${(/** @type {number} */ index) => moveTo(items[index])} /></div>
    ${row && html`<${Detail} key=${`${pair.before.key} ${pair.after.key} ${at}`} pair=${pair} row=${row} isFirst=${at === told.first} />`}`;
}

/** @param {Item|undefined} item */
function moveTo(item) {
  if (item) state.chosen.value = item.kind === "row" ? item.at : item.from;
}

/** @param {Pair} pair @param {Item} item */
function take(pair, item) {
  if (item.kind === "row") return state.choose(pair, item.row, item.at);
  state.opened.value = new Set([...state.opened.value, item.from]);
}

/** @param {Item} item @param {{at: number|null, here: number, first: number|null}} marks @returns {import("../../ui/virtual_list.js").Row} */
function listRow(item, { at, here, first }) {
  if (item.kind === "fold") {
    const text = `${countText(item.to - item.from)} values with the same bits`;
    const isHere = item.from <= here && here < item.to;
    return {
      content: html`<span></span><span class="fold">⋯ ${text}</span>`,
      class: `fold${isHere ? " here" : ""}`,
      label: `${text}: show them`,
    };
  }
  const { row } = item;
  const isFirst = item.at === first;
  const classes = [`verdict-${row.verdict}`, row.origin, isFirst ? "first" : "", item.at === here ? "here" : ""];
  return {
    content: html`<span class="mark" aria-hidden="true">${isFirst ? "➤" : ""}</span><${Side} side=${row.before} /><${Side} side=${row.after} /><span class="error">${errorWord(row)}</span>`,
    class: classes.filter(Boolean).join(" "),
    selected: item.at === at,
    label: `${isFirst ? "First wrong value: " : ""}${spoken(row)}`,
    title: row.sentence,
  };
}

/** @param {{side: import("../../core/types.js").ComparedSide|null}} props */
function Side({ side }) {
  if (!side) return html`<span class="side none">–</span>`;
  return html`<span class="side" title=${sideWords(side)}><code class="name">${side.name}</code> <span class="op">${side.spelled ? opWord(side.spelled) : "input"}</span></span>`;
}

/** The filter by verdict; none pressed means all. @param {{counts: Partial<Record<import("./model.js").Verdict, number>>}} props */
function Verdicts({ counts }) {
  const toggle = (/** @type {import("./model.js").Verdict} */ verdict) => {
    const set = new Set(state.verdicts.value);
    if (!set.delete(verdict)) set.add(verdict);
    state.verdicts.value = set;
  };
  return html`<div class="compare-verdicts" role="group" aria-label="Verdicts">${VERDICTS.filter(
    (verdict) => counts[verdict],
  ).map(
    (
      verdict,
    ) => html`<button key=${verdict} class=${`chip verdict-${verdict}`} aria-pressed=${state.verdicts.value.has(verdict)} onClick=${() => toggle(verdict)}>
      ${countText(counts[verdict] ?? 0)} ${VERDICT_WORDS[verdict]}</button>`,
  )}</div>`;
}

/** The label of an engine. @param {import("../../core/types.js").EngineInfo} engine */
const engineName = ({ name, devices }) => (name === "xla" ? "CPU" : `${name.toUpperCase()}: ${devices[0]}`);

/** The choice of the device, if there are others than the CPU. */
function EngineChoice() {
  useEffect(() => void findEngines(), []);
  const found = engines.value ?? [];
  if (found.length < 2) return null;
  return html`<${Choice} aria-label="Where XLA runs" options=${found.map((each) => [each.name, engineName(each)])}
    value=${engine.chosen.value} choose=${(/** @type {string} */ name) => (engine.chosen.value = name)} />`;
}

/** Buttons that start a comparison or add a file of values. */
function EngineButtons() {
  const typed = (/** @type {Event} */ event) => (engine.flags.value = valueOf(event));
  return html`<span class="compare-engine"><button class="plain" disabled=${isRunning(engine.job.value)} onClick=${() => void engine.compareWithXla()}
      title="Compile and run the same program on the same inputs with XLA, and compare the values">Compare with XLA</button>
    <${EngineChoice} />
    <input type="text" size="10" placeholder="XLA flags" aria-label="XLA flags" title="For example xla_disable_hlo_passes=fusion" value=${engine.flags.value} onChange=${typed} />
    <${FileButton} label="Values to add" accept=".npz,.zip,.tfrecord" title="Values of another run by name: .npz, a .zip of a folder of probes, or a .tfrecord of buffers that XLA saved" take=${engine.addValues}>Add values…<//></span>`;
}

/** The progress of a comparison, or the reason why it failed. */
function EngineProgress() {
  const job = engine.job.value;
  const problem = engine.refusal.value ?? (job?.state === "failed" || job?.state === "cancelled" ? job : null);
  if (problem) return html`<p class="compare-job problem" role="alert">${withHint(problem.message, problem.hint)}</p>`;
  if (!job || !isRunning(job)) return null;
  return html`<p class="compare-job" role="status"><span>XLA: ${job.doing}, ${decimalText(job.seconds, 0)} s</span>
    <button class="plain" onClick=${() => void engine.cancel()}>Cancel</button></p>`;
}

/** The engine of the other values, and the verdict on the results. @param {{origin: ValuesOrigin}} props */
function Origin({ origin }) {
  if (!origin.sentence) return null;
  return html`<details class="compare-origin"><summary>${withCode(origin.sentence)}</summary>
    <ul>${origin.lines.map((line) => html`<li key=${line}>${withCode(line)}</li>`)}</ul></details>`;
}

const VALUES_FILE = /\.(npz|zip|tfrecord)$/i;
const PROGRAM_FILE = /\.(mlir|hlo|txt|stablehlo)$/i;

/** A drop target around the panel: the dropped values or program become the other run. @param {{children: import("preact").ComponentChildren}} props */
function DropTarget({ children }) {
  const [isOver, setOver] = useState(false);
  const drag = (/** @type {DragEvent} */ event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    setOver(true);
  };
  const leave = (/** @type {DragEvent} */ event) => {
    const target = /** @type {HTMLElement} */ (event.currentTarget);
    if (!target.contains(/** @type {Node|null} */ (event.relatedTarget))) setOver(false);
  };
  const drop = (/** @type {DragEvent} */ event) => {
    setOver(false);
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    void compareDropped(event.dataTransfer);
  };
  return html`<div class=${`compare-drop ${isOver ? "over" : ""}`} onDragOver=${drag} onDragLeave=${leave} onDrop=${drop}>${children}</div>`;
}

/** @param {DataTransfer} dropped */
async function compareDropped(dropped) {
  const folder = droppedFolder(dropped); // during the event: browsers clear the items afterwards
  const [file] = dropped.files;
  try {
    if (folder) await engine.addValues(new File([await makeZip(await folder.read())], `${folder.name}.zip`));
    else if (file && VALUES_FILE.test(file.name)) await engine.addValues(file);
    else if (file && PROGRAM_FILE.test(file.name)) await state.addProgram(file);
    else if (file)
      say({
        kind: "error",
        text: `${file.name} cannot be compared: drop values as .npz or .tfrecord, as a folder of probes or its .zip, or a program as .mlir, .hlo or .txt.`,
      });
  } catch (error) {
    reportError(error);
  }
}
