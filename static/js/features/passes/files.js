/** The other files of a dump: texts, tables of buffers, snapshots. */
import { bytesText, countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useMemo, useState } from "preact/hooks";
import { getJson } from "../../core/api.js";
import { ListFilter } from "../../ui/list_filter.js";
import { VirtualList } from "../../ui/virtual_list.js";
import { errorText } from "../../core/messages.js";
import * as state from "./state.js";
import { useParts } from "../../ui/resource.js";
import { wordsOf } from "../../core/search/query.js";
/** @import {DumpFile, FilePart} from "../../core/types.js" */

/** Lines per request, and the maximum. */
const PAGE = 5_000;
const MOST_LINES = 200_000;

/** The files that belong to no stage, those of the shown module first. */
export function FileList() {
  const [words, setWords] = useState("");
  const all = state.dump.value?.files ?? [];
  const numbers = useMemo(() => numbersOf(words), [state.dump.value, state.module.value, words]);
  const at = state.chosenFile.value;
  const row = (/** @type {number} */ index) => {
    const number = /** @type {number} */ (numbers[index]);
    const file = /** @type {DumpFile} */ (all[number]);
    return {
      content: html`<span class="file"><span class="name">${shortPath(file.path)}</span><span class="quiet">${file.described}</span></span><span class="size">${bytesText(file.size)}</span>`,
      selected: number === at,
      label: `${file.path}: ${file.described}, ${bytesText(file.size)}`,
      title: file.path,
    };
  };
  const choose = (/** @type {number} */ index) => {
    const number = numbers[index];
    if (number !== undefined) state.chooseFile(number);
  };
  return html`<${ListFilter} label="Filter files" placeholder="Filter: buffer, .ll" text=${words} setText=${setWords} />
    ${numbers.length === 0 && html`<p class="empty">${words ? "No matches." : "The dump holds texts of the module alone. With --xla_dump_to, XLA writes buffer assignments and code as well."}</p>`}
    <div class="file-rows"><${VirtualList} label="Files" role="listbox" count=${numbers.length} scrolls cursor=${Math.max(0, at === null ? 0 : numbers.indexOf(at))} row=${row} choose=${choose} moveTo=${choose} /></div>`;
}

/** The name without the common prefix of the module's files. @param {string} path @returns {string} */
function shortPath(path) {
  const key = state.dump.value?.modules[state.module.value]?.key ?? "";
  const [, rest] = key ? path.split(`${key}.`) : [];
  return rest || path;
}

/** The number of files that belong to no stage. */
export const countOthers = () => (state.dump.value?.files.length ?? 0) - stageFiles().size;

const stageFiles = () =>
  new Set((state.dump.value?.modules ?? []).flatMap(({ stages }) => stages.map(({ file }) => file)));

/** @param {string} words @returns {number[]} */
function numbersOf(words) {
  const told = state.dump.value;
  if (!told) return [];
  const filter = wordsOf(words);
  const stages = stageFiles();
  const own = told.modules[state.module.value]?.others ?? [];
  const rest = told.files.map((_, number) => number).filter((number) => !stages.has(number) && !own.includes(number));
  return [...own, ...rest].filter((number) => {
    const file = /** @type {DumpFile} */ (told.files[number]);
    const text = `${file.path} ${file.described}`.toLowerCase();
    return filter.every((word) => text.includes(word));
  });
}

/** The shown file. */
export function FileDetail() {
  const number = state.chosenFile.value;
  const file = number === null ? undefined : state.dump.value?.files[number];
  if (!file || number === null) return html`<p class="empty">The file that you choose is shown here.</p>`;
  return html`<header class="pass-head"><div><h2 class="path">${file.path.split("/").at(-1)}</h2>
      <p class="quiet">${file.described} · ${bytesText(file.size)}</p></div>
      <a class="button" href=${state.dumpPath(`/files/${number}/content`)} download=${file.path.split("/").at(-1)?.replace(/\.gz$/, "")}>Save the file</a></header>
    <${FileText} key=${number} number=${number} />`;
}

/** @param {{number: number}} props */
function FileText({ number }) {
  const { value: part, error } = useParts(String(number), (stop, /** @type {(part: FilePart) => void} */ show) =>
    load(number, stop, show),
  );
  if (error) return html`<p class="empty" role="alert">${errorText(error)}</p>`;
  if (!part) return html`<p class="empty" role="status">Reading the file…</p>`;
  if (part.note) return html`<p class="empty">${part.note}</p>`;
  if (part.allocations.length > 0) return html`<${Buffers} part=${part} />`;
  const goTo = (/** @type {number} */ index) => (state.chosenLine.value = index + 1);
  const row = (/** @type {number} */ index) => ({
    selected: index + 1 === state.chosenLine.value,
    content: html`<span class="line-number">${index + 1}</span><code>${part.lines[index]}</code>`,
    label: `line ${index + 1}, ${part.lines[index] || "empty"}`,
  });
  return html`${part.total > part.lines.length && html`<p class="quiet pass-note">These are the first ${countText(part.lines.length)} of ${countText(part.total)} lines.</p>`}
    <div class="text-rows"><${VirtualList} label="The text" role="listbox" count=${part.lines.length} scrolls cursor=${(state.chosenLine.value ?? 1) - 1} row=${row} choose=${goTo} moveTo=${goTo} /></div>`;
}

/** @param {number} number @param {AbortSignal} signal @param {(part: FilePart) => void} show */
async function load(number, signal, show) {
  const whole = { lines: /** @type {string[]} */ ([]), allocations: /** @type {FilePart["allocations"]} */ ([]) };
  for (;;) {
    const had = whole.lines.length + whole.allocations.length;
    /** @type {FilePart} */
    const part = await getJson(state.dumpPath(`/files/${number}?from=${had}&limit=${PAGE}`), signal);
    if (signal.aborted) return;
    whole.lines = [...whole.lines, ...part.lines];
    whole.allocations = [...whole.allocations, ...part.allocations];
    show({ ...part, ...whole, start: 0 });
    const came = part.lines.length + part.allocations.length;
    if (came === 0 || had + came >= Math.min(part.total, MOST_LINES)) return;
  }
}

/** The allocations of a compiled module, and their values. @param {{part: FilePart}} props */
function Buffers({ part }) {
  const bytes = part.allocations.reduce((sum, { size }) => sum + size, 0);
  return html`<p class="quiet pass-note">${countText(part.total)} allocations, ${bytesText(bytes)} together. Values in one allocation share its memory.</p>
    <div class="table buffers" tabindex="0" role="region" aria-label="Allocations"><table>
    <thead><tr><th scope="col">no.</th><th scope="col" class="number">bytes</th><th scope="col">for</th><th scope="col">values, at offset</th></tr></thead>
    <tbody>${part.allocations.map(
      ({
        number,
        size,
        kinds,
        shape,
        values,
      }) => html`<tr key=${number}><th scope="row">${number}</th><td class="number">${countText(size)}</td>
      <td>${[...kinds, shape].filter(Boolean).join(", ")}</td>
      <td><ul>${values.map((value) => html`<li><code>${value.name}</code> ${value.shape} <span class="quiet">at ${countText(value.offset)}, ${bytesText(value.size)}</span></li>`)}</ul></td></tr>`,
    )}</tbody></table></div>`;
}
