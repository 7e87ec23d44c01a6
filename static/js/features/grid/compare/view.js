/** The selected value compared across processes: groups of equal copies, and the differences. */
import { html } from "htm/preact";
import { useMemo, useRef } from "preact/hooks";
import { showProcess } from "../../../core/actions.js";
import { getJson } from "../../../core/api.js";
import { gridPath } from "../../../core/grid/loading.js";
import * as store from "../../../core/store.js";
import { Covered } from "../../../ui/covered.js";
import { useResource } from "../../../ui/resource.js";
import { arrivals, commonScale, summary, Thumbnail, thumbnail } from "../../../ui/thumbnails.js";
import { layoutOf, neighbour } from "../layout.js";
import { gridValue } from "../process_view.js";
import * as gridView from "../state.js";
import { openElement } from "../../tensor/cursor_target.js";
import { differenceWords, groupsOf, inQuestionOrder, verdict } from "./model.js";
/** @import {GridRecord} from "../../../core/grid/record.js" */
/** @import {Holder, Same} from "./model.js" */

/** @typedef {{asked: Holder[], answer: import("./model.js").Comparison}} Compared */

/** Types without elements: tokens and tuples. */
const NO_TENSOR = /token|^tuple<|^\(/;

/** Maximum number of processes named in a row of the list. */
const NAMED = 12;

export function Compare() {
  const grid = /** @type {GridRecord} */ (store.grid.value);
  const selected = gridValue.value;
  const key = store.recordingKey.value;
  const all = gridView.all.value;
  const compares = selected !== null && !NO_TENSOR.test(selected.type);
  const holders = !compares
    ? []
    : all.flatMap((seen) => (seen?.address ? [{ process: seen.process, address: seen.address }] : []));
  const { compared, error } = useComparison(key ?? "", inQuestionOrder(holders, store.process.value));
  if (!selected) return html`<p class="empty">${store.nothingSelected.value}</p>`;
  if (gridView.isCovered.value) return html`<${Covered} name=${selected.name} />`;
  if (!compares)
    return html`<p class="empty">${selected.name} is a ${selected.type}, which has no elements to compare. Choose a tensor under Variables.</p>`;
  if (error) return html`<div class="empty" role="alert"><p>${error}</p></div>`;
  if (holders.length === 0)
    return html`<p class="empty">No process of this team has a value of ${selected.name} at its current position.</p>`;
  if (!compared) return html`<p class="empty" role="status">Comparing ${selected.name}…</p>`;
  const groups = groupsOf(compared.asked, compared.answer);
  return html`<${Result} grid=${grid} groups=${groups} name=${selected.name} reference=${compared.asked[0]?.process ?? 0} without=${all.length - holders.length} />`;
}

/** The answer for these holders; the previous one stays until it arrives. @param {string} key @param {Holder[]} asked @returns {{compared: Compared|null, error: string}} */
function useComparison(key, asked) {
  const path = `${gridPath(key)}/compare?addresses=${encodeURIComponent(asked.map(({ address }) => address).join(","))}`;
  const { value, error, isLoading } = useResource(asked.length > 0 ? path : null, async (signal) => ({
    asked,
    answer: await getJson(path, signal),
  }));
  return { compared: value ?? null, error: isLoading || !error ? "" : error.message };
}

/** @param {{grid: GridRecord, groups: Same[], name: string, reference: number, without: number}} props */
function Result({ grid, groups, name, reference, without }) {
  const numberOf = new Map(groups.flatMap(({ processes }, number) => processes.map((process) => [process, number])));
  return html`<div class="grid-compare">
    <p class="verdict" role="status"><code>${name}</code> ${verdict(groups, without)}</p>
    <div class="compare-frame"><${CompareMap} grid=${grid} groups=${groups} numberOf=${numberOf} reference=${reference} /></div>
    <${Legend} grid=${grid} groups=${groups} reference=${reference} />
  </div>`;
}

/** A cell per process, with the colour and the letter of its value. @param {{grid: GridRecord, groups: Same[], numberOf: Map<number, number>, reference: number}} props */
function CompareMap({ grid, groups, numberOf, reference }) {
  const list = useRef(/** @type {HTMLDivElement|null} */ (null));
  const team = gridView.team.value;
  const members = grid.members(team);
  const { replicas, partitions } = grid.team(team);
  const layout = useMemo(() => layoutOf({ replicas, partitions }, { width: 640, height: 320 }), [replicas, partitions]);
  const small = members.length > 64;
  const focused = gridView.focused.value ?? store.process.value;
  const lit = numberOf.get(gridView.hovered.value ?? -1);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const to = neighbour(layout, members.length, focused - (members[0] ?? 0), event.key);
    if (to === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    /** @type {HTMLElement|undefined} */ (list.current?.children[to])?.focus();
  };
  return html`<div class=${`compare-map ${small ? "small" : ""}`} ref=${list} role="group" aria-label="Processes by their value" onKeyDown=${onKey}
      onPointerLeave=${() => (gridView.hovered.value = null)} style=${{ gridTemplateColumns: `repeat(${layout.columns}, minmax(${small ? "26px, 30px" : "0, 110px"}))` }}>
    ${members.map((process) => html`<${CompareCell} key=${process} grid=${grid} process=${process} groups=${groups} number=${numberOf.get(process)} reference=${reference} lit=${lit} small=${small} focused=${process === focused} />`)}
  </div>`;
}

/**
 * @param {{grid: GridRecord, process: number, groups: Same[], number: number|undefined, reference: number, lit: number|undefined,
 *   small: boolean, focused: boolean}} props `number`: of the process's group; `lit`: of the highlighted group
 */
function CompareCell({ grid, process, groups, number, reference, lit, small, focused }) {
  const same = number === undefined ? null : groups[number];
  const words = same
    ? `value ${same.letter}, ${differenceWords(same.difference, same.shape, grid.nameOf(reference))}`
    : "has no value of it yet";
  const isShown = process === store.process.value;
  const classes = ["compare-cell", isShown && "shown", lit !== undefined && lit !== number && "dim", !same && "none"];
  return html`<button class=${classes.filter(Boolean).join(" ")} tabindex=${focused ? 0 : -1} title=${`${grid.nameOf(process)}: ${words}`}
        aria-label=${`Process ${grid.nameOf(process)}: ${words}`} aria-pressed=${isShown}
        style=${{ "--group": number === undefined ? "var(--line)" : gridView.groupColour(number) }} onClick=${() => showProcess(process)}
        onFocus=${() => (gridView.focused.value = process)} onPointerEnter=${() => (gridView.hovered.value = process)}>
        ${!small && html`<span class="name">${grid.nameOf(process)}</span>`}<span class="letter">${same?.letter ?? "–"}</span></button>`;
}

/** The legend of the letters. @param {{grid: GridRecord, groups: Same[], reference: number}} props */
function Legend({ grid, groups, reference }) {
  arrivals.value;
  const key = store.recordingKey.value ?? "";
  const other = grid.nameOf(reference);
  const scale = commonScale(groups.map(({ address }) => thumbnail(key, address)));
  return html`<ul class="compare-legend" aria-label="Values">${groups.map((same, number) => {
    const { letter, processes, address, difference, shape } = same;
    const info = thumbnail(key, address) ?? null;
    const [first = 0] = processes;
    const isShown = processes.includes(reference);
    return html`<li key=${letter} style=${{ "--group": gridView.groupColour(number) }} onPointerEnter=${() => (gridView.hovered.value = first)} onPointerLeave=${() => (gridView.hovered.value = null)}>
      <span class="letter">${letter}</span>
      <${Thumbnail} info=${info} scale=${scale} />
      <span class="words"><${Who} grid=${grid} processes=${processes} letter=${letter} />
        <span class="range">${info ? summary(info).range : ""}</span>
        <span class="difference">${isShown ? (processes.length > 1 ? `with ${other}, which is shown` : "the process that is shown") : differenceWords(difference, shape, other)}
          ${
            difference.first &&
            difference.first.length > 0 &&
            html` <button class="go" onClick=${() => openElement(first, difference.first ?? [])}
            aria-label=${`Go to element [${difference.first.join(", ")}] of process ${grid.nameOf(first)}`}>go there</button>`
          }</span></span>
    </li>`;
  })}</ul>`;
}

/** The processes with the value, each with a link. @param {{grid: GridRecord, processes: number[], letter: string}} props */
function Who({ grid, processes, letter }) {
  const more = processes.length - NAMED;
  return html`<span class="who">${processes.length > 1 && html`<span>${processes.length} processes</span> `}
    ${processes.slice(0, NAMED).map(
      (process) => html`<button key=${process} class="go" aria-pressed=${process === store.process.value}
      aria-label=${`Show process ${grid.nameOf(process)}, which has value ${letter}`} onClick=${() => showProcess(process)}>${grid.nameOf(process)}</button> `,
    )}
    ${more > 0 && html`<span class="quiet">and ${more} more</span>`}</span>`;
}
