/**
 * The picture of an op's maps: operands and results side by side; elements that are pointed at or chosen on one side light
 * up what belongs to them on the other.
 *
 * It is given its tensors as sources and knows nothing of recordings: the panel of a run and the playground share it.
 *
 * @typedef {import("./sources.js").Source} Source
 * @typedef {import("./related.js").Chosen} Chosen
 * @typedef {import("./related.js").Related} Related
 * @typedef {{maps: import("./related.js").OperandMap[], inverse: import("./related.js").OperandMap[], texts: import("./formula.js").MapText[]}} BothWays
 * @typedef {import("./related.js").OpMaps & BothWays & {op: string, roles: {operands: string[][], results: string[][]},
 *   parts: import("./parts.js").Parts, values?: BothWays|null}} Maps
 *
 * Of collective ops: the processes that a place counts, and their tensors; null while one is on its way.
 * @typedef {{names: string[], own: number|null, source: (side: import("./related.js").Side, number: number, place: number) => Source|null,
 *   show?: (place: number) => void}} Places
 */
import { html } from "htm/preact";
import { useMemo, useRef } from "preact/hooks";
import { countOf } from "../tensor/axes.js";
import { countSentences, elementName } from "./counts.js";
import { Formulas } from "./formula.js";
import { litIn, places as placesReached } from "./lighting.js";
import { elementOf } from "./places.js";
import { Playing } from "./playing.js";
import { isPlaced, MOST_BESIDE, otherPlace, viewsOf } from "./processes.js";
import { hollow } from "./sources.js";
import { PictureState } from "./state.js";
import { tapsSentence } from "./taps.js";
import { TensorGrid } from "./tensor_grid.js";
import { PictureTools } from "./tools.js";
import { useParts, useLanes, useRelated, useStart, useValues } from "./use.js";

/**
 * @param {{maps: Maps, operands: Source[], results: Source[], found?: (number: number) => Source|null, state?: PictureState,
 *   beyond?: (chosen: Chosen) => Promise<Related[]>|null, places?: Places|null, title?: string, tools?: import("preact").ComponentChildren,
 *   children?: import("preact").ComponentChildren}} props
 * `found`: what the op found out, by its number behind the operands; `beyond`: who is asked what cannot be worked out here
 */
export function IndexPicture({ maps: all, operands: givenOperands, results: givenResults, found, state: given, beyond, places = null, title = "", tools, children }) {
  const state = useMemo(() => given ?? new PictureState(), [given]);
  const picture = useRef(/** @type {HTMLDivElement|null} */ (null));
  const maps = useMemo(() => (state.onlyValues.value && all.values ? { ...all, ...all.values } : all), [all, state.onlyValues.value]);
  const [operands, results, lanes] = useLanes(givenOperands, givenResults, state);
  const bound = useValues(maps, operands, found);
  useStart(state, results);
  const chosen = state.shown.value;
  const answer = useRelated(maps, chosen, bound, beyond);
  const parts = useParts(maps, chosen, bound);
  const reached = placesReached(answer.related);
  const other = otherPlace(places, reached, state.place.value);
  const sentences = chosen ? [...countSentences(maps, chosen, answer.related, answer.waiting, places?.names), ...windowSentences(maps, chosen, parts.windows)] : [];
  const grid = (/** @type {"operand"|"result"} */ side) => (/** @type {Source} */ source, /** @type {number} */ number) => viewsOf(maps, { side, number }, places, other).map((view) => {
    const several = places !== null && isPlaced(maps, { side, number });
    const drawn = view.own ? source : places?.source(side, number, view.place ?? 0) ?? hollow(source);
    return html`<${TensorGrid} key=${`${side} ${number} ${view.own ? "" : view.place}`} tensor=${{ side, number }} source=${drawn} state=${state} several=${several} process=${view.own ? null : places?.names[view.place ?? 0] ?? ""}
      roles=${maps.roles[`${side}s`][number] ?? []} note=${several && html`<${ProcessNote} places=${places} view=${view} />`}
      lit=${litIn({ side, number }, source.shape ?? [], chosen, answer.related, view, parts)} />`;
  });
  const played = playedResult(results, state.selected.value);
  return html`<div class="index-picture">
    <div class="index-bar">
      ${results[played]?.shape && html`<${Playing} state=${state} shape=${results[played].shape} name=${results[played].name} result=${played} />`}
      <span class="spring"></span>
      ${lanes && html`<${LaneMenu} lanes=${lanes} state=${state} />`}
      ${all.values && html`<${ValuesOrAll} state=${state} />`}
      <${PictureTools} state=${state} picture=${picture} title=${title || maps.op} caption=${() => captionOf(maps, chosen, sentences)} />${tools}
    </div>
    <p id="index-keys" class="hidden">Arrow keys move from element to element, with Shift they choose a range. Enter pins what is chosen, Escape lets go of it. Plus and minus zoom, 0 shows everything.</p>
    <div class="index-sides" ref=${picture}>
      <div class="index-side" role="group" aria-label="Operands">${operands.map(grid("operand"))}
        ${operands.length === 0 && html`<p class="quiet">This op has no operands: nothing is read.</p>`}</div>
      <div class="index-arrow" aria-hidden="true"></div>
      <div class="index-side" role="group" aria-label="Results">${results.map(grid("result"))}
        ${results.length === 0 && html`<p class="quiet">This op has no results.</p>`}</div>
    </div>
    <${Legend} parts=${parts} partner=${Boolean(maps.parts.taps?.partner)} />
    <output class="index-readout" aria-live="polite">${sentences.length > 0 ? sentences.map((sentence) => html`<span>${sentence}</span>`)
      : html`<span class="quiet">Point at an element, or choose some: what it reads, or what reads it, lights up.</span>`}
      ${places && places.names.length > MOST_BESIDE && html`<${PlaceMenu} places=${places} reached=${reached} place=${other} state=${state} />`}</output>
    <${Formulas} maps=${maps} chosen=${chosen} values=${bound.values} version=${bound.version} />
    ${children}
  </div>`;
}

/** Whose elements the player goes through: the result that one has chosen in, else the first that has some. @param {Source[]} results @param {Chosen|null} selected @returns {number} */
function playedResult(results, selected) {
  const chosen = selected?.side === "result" ? selected.number : -1;
  return results[chosen]?.shape ? chosen : results.findIndex(({ shape }) => shape !== null);
}

/** How much of a window holds no element. @param {Maps} maps @param {Chosen} chosen @param {ReturnType<typeof useParts>["windows"]} windows @returns {string[]} */
function windowSentences(maps, { side, number, at }, windows) {
  const element = elementName((side === "operand" ? maps.operands : maps.results)[number]?.name ?? "", at);
  const told = (maps.parts.taps?.over ?? []).map((tensor) => {
    const counts = windows.get(`${tensor.side} ${tensor.number}`)?.counts;
    return counts ? tapsSentence(element, (tensor.side === "operand" ? maps.operands : maps.results)[tensor.number]?.name ?? "", counts) : null;
  });
  return told.filter((sentence) => sentence !== null);
}

/** What the marks mean, where there are some. @param {{parts: ReturnType<typeof useParts>, partner: boolean}} props `partner`: whether a kernel goes with the window */
function Legend({ parts: { marks, padding, windows }, partner }) {
  const kinds = new Set([...marks.values()].flat().map(({ kind }) => kind));
  const padded = [...padding.values()].some(({ low, high }) => [...low, ...high].some((size) => size > 0));
  const dilated = [...padding.values()].some(({ base }) => base.some((apart) => apart > 1));
  const dotted = [padded && "padding", dilated && "holes between elements"].filter(Boolean).join(", and ");
  const missed = [...windows.values()].some(({ ghosts }) => ghosts.length > 0);
  const clamped = [...windows.values()].some(({ outlines }) => outlines.some(({ dashed }) => dashed));
  const entries = [
    kinds.has("clamped") && ["→2", "an index that is clamped, and to what"], kinds.has("outside") && ["✕", "an index outside of the operand"],
    kinds.has("dropped") && ["✕ hatched", "an update that is dropped"], kinds.has("several") && ["×2", "an element that several updates are written to"],
    clamped && ["dashed", "where the window would be with the start as it was read"], dotted && ["dotted", dotted],
    missed && ["hatched", `a place of the window without an element${partner ? ", and what of the kernel meets it" : ""}`],
  ].filter((entry) => Array.isArray(entry));
  if (entries.length === 0) return null;
  return html`<dl class="index-legend">${entries.map(([mark, meaning]) => html`<div><dt>${mark}</dt><dd>${meaning}</dd></div>`)}</dl>`;
}

/** Of ops that only move what they choose. @param {{state: PictureState}} props */
function ValuesOrAll({ state }) {
  const button = (/** @type {boolean} */ only, /** @type {string} */ name, /** @type {string} */ title) => html`<button aria-pressed=${state.onlyValues.value === only}
    title=${title} onClick=${() => (state.onlyValues.value = only)}>${name}</button>`;
  return html`<span class="index-choice" role="group" aria-label="What belongs together">
    ${button(true, "values", "The elements whose values are moved, as this run chose them")}${button(false, "all it hangs on", "Also the elements that only take part in choosing")}</span>`;
}

/** Which of the elements is looked at that a region was run on at once. @param {{lanes: number[], state: PictureState}} props */
function LaneMenu({ lanes, state }) {
  const count = countOf(lanes);
  const choose = (/** @type {Event} */ event) => {
    const lane = Number(/** @type {HTMLInputElement} */ (event.currentTarget).value);
    if (Number.isInteger(lane) && lane >= 0 && lane < count) state.lane.value = lane;
  };
  return html`<label class="quiet index-lanes" title="The region was run on all of them at once">lane <input type="number" min="0" max=${count - 1} value=${state.lane.value} onChange=${choose} />
    of ${count.toLocaleString("en")}: [${elementOf(lanes, state.lane.value).join(", ")}]</label>`;
}

/** Whose elements these are, and the way there. @param {{places: Places, view: import("./processes.js").View}} props */
function ProcessNote({ places, view: { place, own } }) {
  const name = place === null ? null : places.names[place];
  if (own) return html` <span class="index-process"><span>in ${name ? `process ${name}` : "no process of the group"}</span> <span class="quiet">shown</span></span>`;
  return html` <span class="index-process"><span>in process ${name}</span>${places.show && html` <button class="plain index-show" onClick=${() => places.show?.(place ?? 0)} title=${`Look at the op in process ${name}: its elements can be chosen there`}>Show</button>`}</span>`;
}

/** Which other process of a large group is drawn. @param {{places: Places, reached: number[], place: number|null, state: PictureState}} props */
function PlaceMenu({ places, reached, place, state }) {
  const others = reached.filter((at) => at !== places.own);
  const choose = (/** @type {Event} */ event) => (state.place.value = Number(/** @type {HTMLSelectElement} */ (event.currentTarget).value));
  return others.length > 1 && html`<label class="index-places">Drawn beside is process <select onChange=${choose}>
    ${others.map((at) => html`<option value=${at} selected=${at === place}>${places.names[at] ?? at}</option>`)}</select></label>`;
}

/** The op, the sentences, and the formulas that are shown. @param {Maps} maps @param {Chosen|null} chosen @param {string[]} sentences @returns {string[]} */
function captionOf(maps, chosen, sentences) {
  const side = chosen?.side ?? "result";
  const direction = side === "result" ? "output-to-input" : "input-to-output";
  const texts = maps.texts.filter((text) => text.direction === direction && (side === "result" ? text.result : text.operand) === (chosen?.number ?? 0));
  const lines = texts.flatMap(({ operand, result, xla }) => {
    const name = (side === "result" ? maps.operands[operand] : maps.results[result])?.name ?? "";
    return xla.split("\n").map((line, at) => (at === 0 ? `${name}: ${line}` : `  ${line}`));
  });
  return [maps.op, ...sentences, ...lines];
}
