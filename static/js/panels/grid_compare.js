/** The selected value compared across processes: groups of equal ones, and how the others differ. */
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { showProcess } from "../actions.js";
import { getJson } from "../api.js";
import { differenceWords, groupsOf, inQuestionOrder, verdict } from "../grid/comparing.js";
import { openElement } from "../grid/element_wanted.js";
import { gridPath } from "../grid/fetching.js";
import { layoutOf, neighbour } from "../grid/layout.js";
import * as looking from "../grid/looking.js";
import { arrivals, summary, thumbnail } from "../run/thumbnails.js";
import * as store from "../store.js";
import { Thumbnail } from "../ui/thumbnail.js";

/** @typedef {import("../grid/comparing.js").Holder} Holder */
/** @typedef {import("../grid/comparing.js").Same} Same */
/** @typedef {import("../grid/record.js").GridRecord} GridRecord */
/** @typedef {{asked: Holder[], answer: import("../grid/comparing.js").Comparison}} Compared */

/** Types of what has no elements of its own: tokens and tuples. */
const NO_TENSOR = /token|^tuple<|^\(/;

/** Processes named in a row of the list. */
const NAMED = 12;

export function Compare() {
  const grid = /** @type {GridRecord} */ (store.grid.value);
  const selected = store.selectedValue.value;
  const key = store.recordingKey.value;
  const all = looking.all.value;
  const compares = selected !== null && !NO_TENSOR.test(selected.type);
  const holders = !compares ? [] : all.flatMap((seen) => (seen?.address ? [{ process: seen.process, address: seen.address }] : []));
  const { compared, error } = useComparison(key ?? "", inQuestionOrder(holders, store.process.value));
  if (!selected) return html`<p class="empty">${store.nothingSelected.value}</p>`;
  if (!compares) return html`<p class="empty">${selected.name} is a ${selected.type}, which has no elements to compare. Choose a tensor under Variables.</p>`;
  if (error) return html`<div class="empty" role="alert"><p>${error}</p></div>`;
  if (holders.length === 0) return html`<p class="empty">No process of this team has a value of ${selected.name} where it stands.</p>`;
  if (!compared) return html`<p class="empty" role="status">Comparing ${selected.name} …</p>`;
  const groups = groupsOf(compared.asked, compared.answer);
  return html`<${Result} grid=${grid} groups=${groups} name=${selected.name} reference=${compared.asked[0]?.process ?? 0} without=${all.length - holders.length} />`;
}

/** The answer for these holders; the one before stays until it is here. @param {string} key @param {Holder[]} asked @returns {{compared: Compared|null, error: string}} */
function useComparison(key, asked) {
  const [compared, setCompared] = useState(/** @type {Compared|null} */ (null));
  const [error, setError] = useState("");
  const addresses = asked.map(({ address }) => address).join(",");
  useEffect(() => {
    const stop = new AbortController();
    setError("");
    if (asked.length === 0) return undefined;
    getJson(`${gridPath(key)}/compare?addresses=${encodeURIComponent(addresses)}`, stop.signal).then(
      (answer) => setCompared({ asked, answer }),
      (reason) => stop.signal.aborted || setError(reason.message),
    );
    return () => stop.abort();
  }, [key, addresses]);
  return { compared, error };
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

/** A cell a process, in the colour and with the letter of the value that it has. @param {{grid: GridRecord, groups: Same[], numberOf: Map<number, number>, reference: number}} props */
function CompareMap({ grid, groups, numberOf, reference }) {
  const list = useRef(/** @type {HTMLDivElement|null} */ (null));
  const team = looking.team.value;
  const members = grid.members(team);
  const { replicas, partitions } = grid.team(team);
  const layout = useMemo(() => layoutOf({ replicas, partitions }, { width: 640, height: 320 }), [replicas, partitions]);
  const small = members.length > 64;
  const focused = looking.focused.value ?? store.process.value;
  const lit = numberOf.get(looking.hovered.value ?? -1);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const to = neighbour(layout, members.length, focused - (members[0] ?? 0), event.key);
    if (to === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    /** @type {HTMLElement|undefined} */ (list.current?.children[to])?.focus();
  };
  return html`<div class=${`compare-map ${small ? "small" : ""}`} ref=${list} role="group" aria-label="Processes by the value that they have" onKeyDown=${onKey}
      onPointerLeave=${() => (looking.hovered.value = null)} style=${{ gridTemplateColumns: `repeat(${layout.columns}, minmax(${small ? "26px, 30px" : "0, 110px"}))` }}>
    ${members.map((process) => {
      const number = numberOf.get(process);
      const same = number === undefined ? null : groups[number];
      const words = same ? `value ${same.letter}, ${differenceWords(same.difference, same.shape, grid.nameOf(reference))}` : "has no value of it yet";
      const classes = ["compare-cell", process === store.process.value && "shown", lit !== undefined && lit !== number && "dim", !same && "none"];
      return html`<button key=${process} class=${classes.filter(Boolean).join(" ")} tabindex=${process === focused ? 0 : -1} title=${`${grid.nameOf(process)}: ${words}`}
        aria-label=${`Process ${grid.nameOf(process)}: ${words}`} aria-pressed=${process === store.process.value}
        style=${{ "--group": number === undefined ? "var(--line)" : looking.groupColour(number) }} onClick=${() => showProcess(process)}
        onFocus=${() => (looking.focused.value = process)} onPointerEnter=${() => (looking.hovered.value = process)}>
        ${!small && html`<span class="name">${grid.nameOf(process)}</span>`}<span class="letter">${same?.letter ?? "–"}</span></button>`;
    })}
  </div>`;
}

/** What each letter stands for. @param {{grid: GridRecord, groups: Same[], reference: number}} props */
function Legend({ grid, groups, reference }) {
  arrivals.value;
  const key = store.recordingKey.value ?? "";
  const other = grid.nameOf(reference);
  return html`<ul class="compare-legend" aria-label="Values">${groups.map((same, number) => {
    const { letter, processes, address, difference, shape } = same;
    const info = thumbnail(key, address) ?? null;
    const [first = 0] = processes;
    const isShown = processes.includes(reference);
    return html`<li key=${letter} style=${{ "--group": looking.groupColour(number) }} onPointerEnter=${() => (looking.hovered.value = first)} onPointerLeave=${() => (looking.hovered.value = null)}>
      <span class="letter">${letter}</span>
      <${Thumbnail} info=${info} />
      <span class="words"><${Who} grid=${grid} processes=${processes} letter=${letter} />
        <span class="range">${info ? summary(info).range : ""}</span>
        <span class="difference">${isShown ? (processes.length > 1 ? `with ${other}, which is shown` : "the process that is shown") : differenceWords(difference, shape, other)}
          ${difference.first && difference.first.length > 0 && html` <button class="go" onClick=${() => openElement(first, difference.first ?? [], shape)}
            aria-label=${`Go to element [${difference.first.join(", ")}] of process ${grid.nameOf(first)}`}>go there</button>`}</span></span>
    </li>`;
  })}</ul>`;
}

/** Those that have it, each a way to its process. @param {{grid: GridRecord, processes: number[], letter: string}} props */
function Who({ grid, processes, letter }) {
  const more = processes.length - NAMED;
  return html`<span class="who">${processes.length > 1 && html`<span>${processes.length} processes</span> `}
    ${processes.slice(0, NAMED).map((process) => html`<button key=${process} class="go" aria-pressed=${process === store.process.value}
      aria-label=${`Show process ${grid.nameOf(process)}, which has value ${letter}`} onClick=${() => showProcess(process)}>${grid.nameOf(process)}</button> `)}
    ${more > 0 && html`<span class="quiet">and ${more} more</span>`}</span>`;
}
