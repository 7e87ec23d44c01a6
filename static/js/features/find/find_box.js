/**
 * Find anything: one box for ops, values, functions, scopes, source files, lines, steps and shapes; `>` searches
 * commands. A combobox: the focus stays in the box, arrows move in the results, Enter opens one.
 */
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { resultAddress } from "../../core/addresses.js";
import { keysOf } from "../../core/keys.js";
import { Stack, upperBound } from "../../core/prefix_sums.js";
import { iterationSteps } from "../../core/run/iterations.js";
import { nearestRun } from "../../core/run/occurrences.js";
import { shortName } from "../../core/run/op_names.js";
import { scopes } from "../../core/run/scopes.js";
import * as store from "../../core/store.js";
import { closeDialog } from "../../core/view_actions.js";
import { Icon } from "../../ui/icons.js";
import { arrivals, summary, thumbnail } from "../../ui/thumbnails.js";
import { VirtualList } from "../../ui/virtual_list.js";
import { availableCommands } from "../../core/commands.js";
import { goToResult } from "./go.js";
import { parseQuery } from "../../core/search/query.js";
import { countOfResults, resultsFor } from "./results.js";
import { countText } from "../../core/tensor/elements.js";
import { progressText, ValueSearch } from "../../core/search/value_search.js";
/** @import {Group, Result} from "./results.js" */

/** @typedef {{kind: "heading", title: string, note: string, count: number}|{kind: "results", results: Result[], count: number}} Part */

/** Maximum number of steps of recordings with pictures in the results. */
const MOST_SEARCHED = 200_000;
const LIST = "find-list";
const search = new ValueSearch();

/** @param {{begins: string}} props what is typed already */
export function FindBox({ begins }) {
  const dialog = useRef(/** @type {HTMLDialogElement|null} */ (null));
  const [text, setText] = useState(begins);
  const [at, setAt] = useState(0);
  // Before the next key is handled, which is meant for the box.
  useLayoutEffect(() => {
    setText(begins);
    if (!dialog.current?.open) dialog.current?.showModal();
  }, [begins]);
  useEffect(() => searchNonfinite(text), [text]);
  const groups = useGroups(text);
  const results = groups.flatMap((group) => group.results);
  const chosen = Math.max(0, Math.min(at, results.length - 1));
  const rows = useMemo(() => new Stack(partsOf(groups)), [groups]);
  const act = (/** @type {number} */ index, onlyLine = false) => {
    const result = results[index];
    if (!result) return;
    dialog.current?.close();
    goToResult(result, { onlyLine });
  };
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + 10, PageUp: chosen - 10 }[event.key];
    if (event.key === "Enter") act(chosen, event.ctrlKey || event.metaKey);
    if (to !== undefined) setAt(Math.max(0, Math.min(to, results.length - 1)));
    if (to !== undefined || event.key === "Enter") event.preventDefault();
  };
  const onInput = (/** @type {Event} */ event) => {
    const input = /** @type {HTMLInputElement} */ (event.currentTarget);
    // Ctrl+Shift+P begins with the sign that another person types.
    if (input.value.startsWith(">>")) input.value = input.value.slice(1);
    setText(input.value);
    setAt(0);
  };
  const row = rowOfResult(groups, chosen);
  return html`<dialog class="finder" ref=${dialog} aria-label=${text.startsWith(">") ? "Commands" : "Find anything"} onClose=${closeIfOpen}>
    <div class="typed"><input role="combobox" aria-expanded=${results.length > 0} aria-controls=${LIST} aria-autocomplete="list" autocomplete="off" spellcheck=${false}
      aria-activedescendant=${results.length > 0 ? `${LIST}-${row}` : undefined} aria-label=${text.startsWith(">") ? "Command" : "Find"} aria-describedby="find-hint"
      placeholder="Name, :line, #step, f32[64,768], scope, file.py, nan or > command" value=${text} onInput=${onInput} onKeyDown=${onKey} /><button onClick=${() => dialog.current?.close()}><${Icon} name="close" /><span class="hidden">Close</span></button></div>
    <div class="found"><${VirtualList} name=${LIST} class="results" role="listbox" label="Results" scrolls count=${rows.count} cursor=${row}
      row=${(/** @type {number} */ index) => rowAt(rows, index, chosen, groups)} choose=${(/** @type {number} */ index) => act(resultOfRow(groups, index))} moveTo=${() => {}} /></div>
    <${Footer} text=${text} groups=${groups} result=${results[chosen]} at=${chosen} />
  </dialog>`;
}

/** The chosen command may have opened another dialog. */
function closeIfOpen() {
  if (["find", "commands", "uses"].includes(store.dialog.value ?? "")) closeDialog();
}

/** The results for a text. @param {string} text @returns {Group[]} */
function useGroups(text) {
  const program = store.program.value;
  const [op, steps, lines] = [store.currentOp.value, store.steps.value, store.draft.value.split("\n").length];
  const [grouping, hits] = [scopes(), search.hits.value];
  const [position, version, sought] = [store.position.value, store.outlineVersion.value, store.sought.value];
  return useMemo(() => {
    const query = parseQuery(text);
    if (query.kind === "commands") return commandGroups(query.words);
    if (!program) return commandsFor(query);
    const known = { op, steps, lines, scopes: grouping, hits, sought, text: store.run.value?.text ?? "", iterations };
    const found = resultsFor(text, program, known);
    return found.length > 0 ? found : commandsFor(query);
  }, [text, program, op, steps, lines, grouping, hits, position, version, sought]);
}

/** @param {number} iteration */
const iterations = (iteration) =>
  store.atPosition((outline, position, program) => iterationSteps(outline, program, position, iteration)) ?? [];

/** Where words name nothing in the program, the commands with these words. @param {ReturnType<typeof parseQuery>} query */
const commandsFor = (query) => (query.kind === "names" && !query.only ? commandGroups(query.words) : []);

/** @param {readonly string[]} words @returns {Group[]} */
function commandGroups(words) {
  const found = availableCommands().filter((command) => {
    const told = `${command.title} ${keysOf(command).join(" ")}`.toLowerCase();
    return command.id !== "commands" && words.every((word) => told.includes(word));
  });
  const sorted = found.toSorted((one, other) => rankOf(one.title, words) - rankOf(other.title, words));
  const results = sorted.map((command) => ({ kind: "command", label: command.title, detail: "", line: null, command }));
  return results.length > 0 ? [{ title: "Commands", total: results.length, results }] : [];
}

/** Titles that begin with the words come first, the shortest before the others. @param {string} title @param {readonly string[]} words @returns {number} */
function rankOf(title, words) {
  const name = title.toLowerCase().replace(/^show /, "");
  return words.length > 0 && name.startsWith(words.join(" ")) ? name.length : 1000;
}

/** @param {string} text */
function searchNonfinite(text) {
  const query = parseQuery(text);
  if (query.kind !== "nonfinite") return search.stop();
  const word = query.words.at(-1) ?? "";
  void search.start({
    find: word.includes("nan") ? "nan" : word.includes("inf") && !word.includes("non") ? "inf" : "nonfinite",
  });
}

/** @param {readonly Group[]} groups @returns {Part[]} */
const partsOf = (groups) =>
  groups.flatMap(({ title, total, results }) => [
    {
      kind: "heading",
      title,
      note: results.length < total ? `first ${results.length} of ${countText(total)}` : countText(total),
      count: 1,
    },
    { kind: "results", results, count: results.length },
  ]);

/** @param {readonly Group[]} groups @param {number} chosen @returns {number} */
const rowOfResult = (groups, chosen) => chosen + Math.max(1, upperBound(startsOf(groups), chosen));

/** The number of results before each group. @param {readonly Group[]} groups @returns {number[]} */
function startsOf(groups) {
  let before = 0;
  return groups.map(({ results }) => (before += results.length) - results.length);
}

/** @param {readonly Group[]} groups @param {number} row @returns {number} */
function resultOfRow(groups, row) {
  const heads = startsOf(groups).map((start, group) => start + group);
  return row - upperBound(heads, row);
}

/** @param {Stack<Part>} rows @param {number} index @param {number} chosen @param {readonly Group[]} groups @returns {import("../../ui/virtual_list.js").Row} */
function rowAt(rows, index, chosen, groups) {
  const { part, index: inner } = rows.at(index);
  if (part.kind === "heading")
    return {
      heading: true,
      class: "heading",
      content: html`<span>${part.title}</span><span class="many">${part.note}</span>`,
    };
  const result = /** @type {Result} */ (part.results[inner]);
  const number = resultOfRow(groups, index);
  const total = groups.reduce((sum, { results }) => sum + results.length, 0);
  return {
    ...{
      class: result.command ? "result command" : "result",
      selected: number === chosen,
      position: number + 1,
      of: total,
      picture: pictureOf(result),
    },
    title: result.detail,
    content: html`<span class="result-name">${result.label}</span><span class=${["op", "use"].includes(result.kind) ? "result-detail code" : "result-detail"}>${result.detail}</span>
      ${result.command && keysOf(result.command).map((key) => html`<kbd>${key}</kbd>`)}
      ${result.line !== null && html`<span class="line">line ${store.draftLine(result.line)}</span>`}`,
  };
}

/** @param {Result} result @returns {import("../../core/types.js").ThumbnailInfo|null|undefined} */
function pictureOf({ value, hit, command }) {
  if (command) return undefined;
  arrivals.value;
  const address = hit?.address ?? (value === undefined ? null : addressOf(value));
  return address === null ? null : (thumbnail(store.recordingKey.value ?? "", address) ?? null);
}

/** The value at the position, else its next one. @param {number} value @returns {string|null} */
function addressOf(value) {
  const here = store.locate(value);
  if (here) return here.address;
  return store.atPosition((outline, position, program) => {
    const { op, index } = program.definition(value);
    const step = op === null || outline.steps > MOST_SEARCHED ? null : nearestRun(outline, position, new Set([op]));
    return step === null ? null : resultAddress(outline.process, step, index);
  });
}

/** The kinds of queries, with examples. */
const HINTS = [
  ["%", "value"],
  ["@", "function"],
  [":12", "line"],
  ["#137", "step"],
  ["f32[64,768]", "shape"],
  ["iteration 37", "of a loop"],
  ["uses %x", "all uses"],
  ["a/b", "scope"],
  ["file.py:30", "source"],
  ["nan", "has NaN"],
  [">", "commands"],
];

/** The selected result, the action of Enter, and other queries. @param {{text: string, groups: readonly Group[], result: Result|undefined, at: number}} props `at`: its number */
function Footer({ text, groups, result, at }) {
  const searching = parseQuery(text).kind === "nonfinite" ? progressText(search) : "";
  const found = result ? countOfResults(groups, at) : nothingText(text);
  return html`<div class="find-preview">${result && previewOf(result)}</div>
    <div class="find-status"><span role="status">${[found, searching].filter(Boolean).join(" · ")}</span>${result && html`<span class="find-enter">Enter ${enterText(result)}</span>`}</div>
    <div class="find-hint" id="find-hint">${HINTS.map(([typed, found]) => html`<span><kbd>${typed}</kbd> ${found}</span> `)}</div>`;
}

/** @param {string} text @returns {string} */
function nothingText(text) {
  const query = parseQuery(text);
  if (store.program.value === null && query.kind !== "commands")
    return store.whyNoRun.value || "Run the program to find things in it.";
  if (query.kind === "line") return `There is no line ${query.line}.`;
  if (query.kind === "step")
    return `Step ${countText(query.step)} is not recorded; there are ${countText(store.steps.value)} steps so far.`;
  if (query.kind === "iteration") return `No loop around this step has iteration ${countText(query.iteration)}.`;
  if (query.kind === "uses") return `The program has no name ${query.name}.`;
  if (query.kind === "shape") return "No value of the program has this shape.";
  if (query.kind === "nonfinite") return "";
  return "No matches.";
}

/** @param {Result} result */
function previewOf(result) {
  if (result.command) return html`<span>${result.label}</span>`;
  const program = /** @type {import("../../core/run/program.js").Program} */ (store.program.value);
  const op = result.ops?.[0] === undefined ? null : program.op(result.ops[0]);
  const text = op
    ? op.summary
    : result.kind === "step"
      ? stepText(result.step ?? 0)
      : result.line === null
        ? ""
        : lineText(result.line, result.kind);
  return html`<code>${text}</code>${rangeOf(result)}`;
}

/** @param {Result} result */
function rangeOf(result) {
  const info = pictureOf(result);
  return info ? html`<span class="find-range">${summary(info).range}</span>` : null;
}

/** @param {number} line @param {string} kind @returns {string} */
const lineText = (line, kind) =>
  (store.draft.value.split("\n")[(kind === "line" ? line : store.draftLine(line)) - 1] ?? "").trim();

/** @param {number} step @returns {string} */
function stepText(step) {
  const op = store.atPosition((outline, position, program) => program.op(outline.op(position)), step);
  return op ? `${shortName(op)}, line ${store.draftLine(op.line)}: ${op.summary}` : "";
}

/** @param {Result} result @returns {string} */
function enterText({ kind, line, ops, command }) {
  if (command) return "runs it";
  if (kind === "line" || kind === "use") return "shows the line";
  if (kind === "step" || kind === "hit") return "goes to the step";
  const there = ops && ops.length > 0 ? "goes to the step that runs it" : "chooses it";
  return line === null ? there : `${there}, Ctrl+Enter shows the line`;
}
