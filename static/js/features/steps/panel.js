/** The list of steps: only visible rows exist, so that a million are as fast as ten. */
import { computed, signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect } from "preact/hooks";
import { goTo, stepBack, stepInto } from "../../core/actions.js";
import { recall, recallJson, remember } from "../../core/preferences.js";
import { findingsAt } from "../../core/run/findings.js";
import { regionWord } from "../../core/run/frame_titles.js";
import { iterationText } from "../../core/run/iterations.js";
import { familyClass, shortName } from "../../core/run/op_names.js";
import { MissingChunk, NONE } from "../../core/run/outline.js";
import { fetchChunk } from "../../core/run/recording.js";
import { functions, scopes, shortTitle } from "../../core/run/scopes.js";
import { isStop, shownStops } from "../../core/run/stops.js";
import { matching, parseFilter } from "../../core/search/filter.js";
import { nonfinite, nonfiniteProgress } from "../../core/search/nonfinite.js";
import * as store from "../../core/store.js";
import { countText, counted } from "../../core/tensor/elements.js";
import { ListFilter } from "../../ui/list_filter.js";
import { VirtualList } from "../../ui/virtual_list.js";
import { addPanel, focusFirst } from "../layout/panels.js";
import { StepList, WantedSteps } from "./model.js";

addPanel({
  id: "steps",
  title: "Steps",
  dock: "inspector",
  order: 2,
  help: "steps",
  Panel: StepsPanel,
  focus: focusFirst('[role="listbox"]'),
});

/** Maximum number of chunks requested at once. */
const AT_ONCE = 4;
const MOST_REMEMBERED = 200;

/** The end of a finished run is a row too. */
const rows = computed(() => store.steps.value + (store.outlineVersion.value >= 0 && store.outline.value.done ? 1 : 0));

const filterText = signal("");
const groupBy = signal(recall("steps-grouped-by") ?? "none");
/** Titles of folded groups. */
const folded = signal(/** @type {ReadonlySet<string>} */ (new Set(recallJson("steps-folded") ?? [])));

const GROUPS = /** @type {const} */ ([
  ["none", "no groups"],
  ["scope", "by scope"],
  ["function", "by function"],
]);

/** @param {Iterable<string>} titles */
function fold(titles) {
  folded.value = new Set(titles);
  remember("steps-folded", JSON.stringify([...folded.value].slice(-MOST_REMEMBERED)));
}

const grouping = computed(() => {
  const program = store.program.value;
  if (program === null || groupBy.value === "none") return null;
  const found = groupBy.value === "function" ? functions(program) : scopes();
  return found && found.titles.length > 0 ? found : null;
});

/** The matching steps; null if all steps are listed. */
const wanted = computed(() => {
  const [program, filter] = [store.program.value, parseFilter(filterText.value)];
  const isFiltered = filter.nonfinite || filter.words.length > 0;
  if (program === null || !(isFiltered || grouping.value)) return null;
  const ops = matching(program, "ops", filter.words);
  const bad = filter.nonfinite ? nonfinite().steps : null;
  return new WantedSteps((step, op) => ops[op] === 1 && (bad === null || bad.has(step)), grouping.value);
});

const titleOf = (/** @type {number} */ title) => grouping.value?.titles[title] ?? "no scope";

const listed = computed(() => {
  store.outlineVersion.value;
  if (wanted.value === null) return null;
  const missing = wanted.value.update(store.outline.value);
  return { list: new StepList(wanted.value, (title) => folded.value.has(titleOf(title))), missing };
});

export function StepsPanel() {
  if (rows.value === 0) return html`<p class="empty">Each op that ran is a step. Run the program to see them.</p>`;
  return html`<div class="steps-panel"><${Filter} />${listed.value ? html`<${ListedSteps} list=${listed.value.list} missing=${listed.value.missing} />` : html`<${AllSteps} />`}</div>`;
}

function Filter() {
  const titles = grouping.value?.titles;
  const isFolded = titles !== undefined && folded.value.size > 0 && titles.every((title) => folded.value.has(title));
  const choose = (/** @type {string} */ id) => {
    groupBy.value = id;
    remember("steps-grouped-by", id);
  };
  const foldAll = titles && ((/** @type {boolean} */ all) => fold(all ? [...titles, "no scope"] : []));
  return html`<${ListFilter} label="Filter steps" by="name, op, type, scope, nan" text=${filterText.value} setText=${(/** @type {string} */ text) => (filterText.value = text)}
    note=${noteText()} grouping=${{ chosen: groupBy.value, options: GROUPS, choose, foldAll, isFolded }} />`;
}

/** Notes about the filter and the groups. @returns {string} */
function noteText() {
  const said = [];
  if (groupBy.value === "scope" && scopes()?.titles.length === 0)
    said.push("No scopes in this program: its ops have no op_name and no named location.");
  const found = listed.value;
  if (found && filterText.value.trim() !== "") {
    const count = found.list.steps.length;
    said.push(counted(count, "step"));
    if (parseFilter(filterText.value).nonfinite) said.push(nonfiniteProgress());
  }
  if (found && found.missing.length > 0)
    said.push(`${countText(found.missing.length)} parts of the recording are on their way`);
  return said.filter(Boolean).join(" · ");
}

function AllSteps() {
  return html`<${VirtualList} class="step-list" role="listbox" label="Steps" scrolls count=${rows.value} row=${stepRow} cursor=${store.calmPosition.value}
    moveTo=${goTo} choose=${goTo} onKey=${onKey} />`;
}

/** The filtered or grouped list. @param {{list: StepList, missing: number[]}} props */
function ListedSteps({ list, missing }) {
  useEffect(() => {
    for (const chunk of missing.slice(0, AT_ONCE)) fetchChunk("steps", chunk).catch(() => undefined);
  }, [missing]);
  const cursor = list.rowOf(store.position.value);
  const choose = (/** @type {number} */ index) => {
    const row = list.at(index);
    if (row.kind === "title") turn(index, !row.open);
    else goTo(row.step);
  };
  const turn = (/** @type {number} */ index, /** @type {boolean} */ open) => {
    const title = titleOf(list.at(index).title);
    const rest = [...folded.value].filter((other) => other !== title);
    if (list.isGrouped) fold(open ? rest : [...rest, title]);
  };
  const moveTo = (/** @type {number} */ index) => {
    const row = list.at(index);
    // Skip an open title: the position is always at a step.
    const step = row.kind === "step" ? row : row.open && index < cursor && index > 0 ? list.at(index - 1) : row;
    goTo(step.kind === "title" ? step.first : step.step);
  };
  const row = (/** @type {number} */ index) => listedRow(list.at(index));
  if (list.count === 0) return html`<p class="empty">No matches in the steps recorded so far.</p>`;
  return html`<${VirtualList} class="step-list" role=${list.isGrouped ? "tree" : "listbox"} label="Steps" scrolls count=${list.count} row=${row} cursor=${cursor}
    moveTo=${moveTo} choose=${choose} turn=${turn} />`;
}

/** @param {import("./model.js").StepRow} found @returns {import("../../ui/virtual_list.js").Row} */
function listedRow(found) {
  if (found.kind === "step") return { ...stepRow(found.step), level: 2 };
  const title = titleOf(found.title);
  const shown = found.title < 0 ? title : shortTitle(title, grouping.value?.titles ?? []);
  const count = `${counted(found.steps, "step")}`;
  return {
    ...{ class: "step group", level: 1, open: found.open, title, label: `${title}, ${count}` },
    content: html`<span class="disclose" aria-hidden="true">${found.open ? "▾" : "▸"}</span><span class="op">${grouping.value && groupBy.value === "function" && found.title >= 0 ? `@${shown}` : shown}</span>
      <span class="line">${count}</span>`,
  };
}

/** In the focused list, arrows step through the run. @param {KeyboardEvent} event @param {number} page @returns {boolean} */
function onKey(event, page) {
  const at = store.position.value;
  const acts = /** @type {Record<string, () => void>} */ ({
    ArrowDown: stepInto,
    ArrowUp: stepBack,
    ".": stepInto,
    ",": stepBack,
    PageDown: () => goTo(at + page),
    PageUp: () => goTo(at - page),
    Home: () => goTo(0),
    End: () => goTo(store.outline.value.last),
  });
  acts[event.key]?.();
  return event.key in acts;
}

const DEEPEST_INDENT = 12;

/** @param {number} step @returns {import("../../ui/virtual_list.js").Row} */
function stepRow(step) {
  const current = step === store.calmPosition.value;
  const told = describe(step);
  return {
    ...{ class: `step ${told.family}${current ? " current" : ""}`, selected: current },
    content: html`<span class="number">${countText(step)}</span>
    <span style=${{ width: `${Math.min(told.depth, DEEPEST_INDENT) * 12}px`, flex: "none" }}></span>
    ${told.stops ? html`<span class="stops"></span>` : html`<span class="tick"></span>`}
    <span class="op">${told.op}${told.iteration && html`<span class="iteration"> ${told.iteration}</span>`}</span>
    <${Wrong} step=${step} /><span class="line">${told.line}</span>`,
  };
}

/** A cross for a finding in the step. @param {{step: number}} props */
function Wrong({ step }) {
  const [worst] = findingsAt(store.process.value, step);
  if (!worst || worst.finding.grade === "neutral") return null;
  const words = worst.mark.words;
  return html`<span class=${`wrong grade-${worst.finding.grade}`} role="img" aria-label=${words} title=${words}>✖</span>`;
}

/** @param {number} step */
function describe(step) {
  const nothing = { op: "…", family: "", depth: 0, line: "", iteration: "", stops: false };
  store.outlineVersion.value;
  const [outline, program] = [store.outline.value, store.program.value];
  if (program === null) return nothing;
  if (step >= outline.steps) return { ...nothing, op: "end" };
  try {
    const op = program.op(outline.op(step));
    const depth = outline.depth(step) - outline.depth(0);
    return {
      op: shortName(op),
      family: familyClass(op),
      depth,
      line: String(store.draftLine(op.line)),
      iteration: iterationAt(program, step),
      stops: isStop(shownStops.value, outline, step),
    };
  } catch (error) {
    if (!(error instanceof MissingChunk)) throw error;
    fetchChunk(error.column, error.chunk, error.process).catch(() => undefined);
    return nothing;
  }
}

/** The iteration, at the first step of a frame. @param {import("../../core/run/program.js").Program} program @param {number} step @returns {string} */
function iterationAt(program, step) {
  const outline = store.outline.value;
  const frame = outline.frame(step);
  if (step === 0 || outline.frame(step - 1) === frame || outline.opener(frame) === NONE) return "";
  const begins =
    outline.depth(step) > outline.depth(step - 1) || outline.parent(outline.frame(step - 1)) === outline.parent(frame);
  const iteration = begins && iterationText(outline, program, frame);
  return iteration
    ? `${regionWord(program.op(outline.op(outline.opener(frame))), outline.block(frame))} · ${iteration}`
    : "";
}
