/**
 * The picture of an op's maps: operands and results side by side; hovering over or choosing elements on one side
 * highlights the related elements on the other.
 *
 * Its tensors are sources independent of recordings: the panel of a run and the playground share it.
 *
 * Of collective ops: the processes that a place counts, and their tensors; null while one is on its way.
 * @typedef {{names: string[], own: number|null, source: (side: import("../../core/indexing/related.js").Side, number: number, place: number) => Source|null,
 *   show?: (place: number) => void}} Places
 */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useMemo, useRef } from "preact/hooks";
import { windowPositionsSentence } from "../../core/indexing/window_positions.js";
import { countOf, elementOf } from "../../core/tensor/axes.js";
import { hollow } from "../../ui/tensor_grid/sources.js";
import { PictureState } from "../../ui/tensor_grid/state.js";
import { TensorGrid } from "../../ui/tensor_grid/tensor_grid.js";
import { PictureTools } from "./picture_tools.js";
import { isAhead } from "../../core/run/ahead.js";
import * as store from "../../core/store.js";
import { Formulas } from "./formula.js";
import { isPlaced, MOST_BESIDE, otherPlace, viewsOf } from "./group_views.js";
import { countSentences, elementName, highlightsOf, placesOf as placesReached } from "./highlights.js";
import { useLanes, useParts, useRelated, useStart, useValues } from "./picture_values.js";
import { ElementPlayer } from "./player.js";
/** @import {Chosen, Related} from "../../core/indexing/related.js" */
/** @import {Source} from "../../ui/tensor_grid/sources.js" */
/** @import {OpMapsInfo as Maps} from "../../core/types.js" */

/**
 * @param {{maps: Maps, operands: Source[], results: Source[], found?: (number: number) => Source|null, state?: PictureState,
 *   beyond?: (chosen: Chosen) => Promise<Related[]>|null, places?: Places|null, title?: string, tools?: import("preact").ComponentChildren, player?: import("preact").ComponentChildren, brief?: boolean,
 *   step?: import("preact").ComponentChildren, children?: import("preact").ComponentChildren}} props
 * `brief`: without formulas; `found`: what the op found out, by its number behind the operands; `beyond`: answers what cannot be computed here
 */
export function IndexPicture(props) {
  const { maps: all, found, places = null, beyond, children } = props;
  const state = useMemo(() => props.state ?? new PictureState(), [props.state]);
  const picture = useRef(/** @type {HTMLDivElement|null} */ (null));
  const maps = useMemo(
    () => (state.onlyValues.value && all.values ? { ...all, ...all.values } : all),
    [all, state.onlyValues.value],
  );
  const [operands, results, lanes] = useLanes(props.operands, props.results, state);
  const bound = useValues(maps, operands, found);
  useStart(state, results);
  const chosen = state.shown.value;
  const answer = useRelated(maps, chosen, bound, beyond);
  const parts = useParts(maps, chosen, bound);
  const reached = placesReached(answer.related);
  const other = otherPlace(places, reached, state.place.value);
  const sentences = sentencesOf(maps, chosen, answer, parts, places);
  const grid =
    (/** @type {"operand"|"result"} */ side) => (/** @type {Source} */ source, /** @type {number} */ number) =>
      html`<${TensorViews} key=${`${side} ${number}`} side=${side} number=${number} source=${source} maps=${maps} places=${places} other=${other}
        state=${state} related=${answer.related} parts=${parts} />`;
  return html`<div class="index-picture">
    <${Bar} title=${props.title} tools=${props.tools} player=${props.player} all=${all} maps=${maps} state=${state} results=${results} lanes=${lanes} picture=${picture} caption=${() => captionOf(maps, chosen, sentences)} />
    <${Sides} picture=${picture} share=${places ? 1 : shareOf(operands, results)} operands=${operands.map(grid("operand"))} results=${results.map(grid("result"))} />
    <${Legend} parts=${parts} partner=${Boolean(maps.parts.windowPositions?.partner)} />
    <${Readout} sentences=${sentences}>${places && places.names.length > MOST_BESIDE && html`<${PlaceMenu} places=${places} reached=${reached} place=${other} state=${state} />`}<//>${props.step}
    ${!props.brief && html`<${Formulas} maps=${maps} chosen=${chosen} values=${bound.values} version=${bound.version} />`}
    ${children}
  </div>`;
}

/**
 * An operand or result, with one picture per drawn process.
 *
 * @param {{side: "operand"|"result", number: number, source: Source, maps: Maps, places: Places|null, other: number|null,
 *   state: PictureState, related: Related[], parts: ReturnType<typeof useParts>}} props
 */
function TensorViews({ side, number, source, maps, places, other, state, related, parts }) {
  const tensor = { side, number };
  const several = places !== null && isPlaced(maps, tensor);
  return viewsOf(maps, tensor, places, other).map((view) => {
    const place = view.place ?? 0;
    const drawn = view.own ? source : (places?.source(side, number, place) ?? hollow(source));
    const lit = highlightsOf(tensor, source.shape ?? [], state.shown.value, related, view, parts);
    return html`<${TensorGrid} key=${view.own ? "own" : `at ${place}`} tensor=${tensor} source=${drawn} state=${state} several=${several} process=${view.own ? null : (places?.names[place] ?? "")}
      ahead=${isAhead(drawn.address, store.calmPosition.value)} roles=${maps.roles[`${side}s`][number] ?? []} note=${several && html`<${ProcessNote} places=${places} view=${view} />`} lit=${lit} />`;
  });
}

/**
 * The player, the choice of what is drawn, and the export.
 *
 * @param {{all: Maps, maps: Maps, state: PictureState, results: Source[], lanes: number[]|null, picture: {current: HTMLDivElement|null},
 *   caption: () => string[], title?: string, tools?: unknown, player?: unknown}} props
 */
function Bar({ all, maps, state, results, lanes, picture, caption, title, tools, player }) {
  const played = playedResult(results, state.selected.value);
  return html`<div class="index-bar">
      ${player ?? (results[played]?.shape && html`<${ElementPlayer} state=${state} shape=${results[played].shape} name=${results[played].name} result=${played} />`)}
      <span class="spring"></span>
      ${lanes && html`<${LaneMenu} lanes=${lanes} state=${state} />`}
      ${all.values && html`<${ValuesOrAll} state=${state} />`}
      <${PictureTools} state=${state} picture=${picture} title=${title || maps.op} caption=${caption} />${tools}
    </div>
    <p id="index-keys" class="hidden">Arrow keys move from element to element, with Shift they choose a range. Enter pins the selection, Escape releases it. Plus and minus zoom, 0 shows everything.</p>`;
}

/** The share of the width for operands: more for wider ones, within limits. @param {Source[]} operands @param {Source[]} results @returns {number} */
function shareOf(operands, results) {
  const widest = (/** @type {Source[]} */ sources) => Math.max(1, ...sources.map(({ shape }) => shape?.at(-1) ?? 1));
  return Math.min(1.6, Math.max(0.7, Math.sqrt(widest(operands) / widest(results))));
}

/** @param {{picture: {current: HTMLDivElement|null}, share: number, operands: unknown[], results: unknown[]}} props */
function Sides({ picture, share, operands, results }) {
  return html`<div class="index-sides" ref=${picture} style=${{ "--share": `${share.toFixed(2)}fr` }}>
      <div class="index-side" role="group" aria-label="Operands">${operands}
        ${operands.length === 0 && html`<p class="quiet">This op has no operands, so it reads nothing.</p>`}</div>
      <div class="index-arrow" aria-hidden="true"></div>
      <div class="index-side" data-side="results" role="group" aria-label="Results">${results}
        ${results.length === 0 && html`<p class="quiet">This op has no results.</p>`}</div>
    </div>`;
}

/** @param {{sentences: string[], children: unknown}} props */
function Readout({ sentences, children }) {
  const said =
    sentences.length > 0
      ? sentences.map((sentence) => html`<span>${sentence}</span>`)
      : html`<span class="quiet">Point at an element or select a range: what it reads, and what reads it, is highlighted.</span>`;
  return html`<output class="index-readout" aria-live="polite">${said}${children}</output>`;
}

/** The sentences about the chosen elements. @param {Maps} maps @param {Chosen|null} chosen @param {{related: Related[], waiting: boolean}} answer @param {ReturnType<typeof useParts>} parts @param {Places|null} places @returns {string[]} */
function sentencesOf(maps, chosen, answer, parts, places) {
  if (!chosen) return [];
  return [
    ...countSentences(maps, chosen, answer.related, answer.waiting, places?.names),
    ...windowSentences(maps, chosen, parts.windows),
  ];
}

/** The result that the player walks: the one with the chosen elements, else the first with elements. @param {Source[]} results @param {Chosen|null} selected @returns {number} */
export function playedResult(results, selected) {
  const chosen = selected?.side === "result" ? selected.number : -1;
  return results[chosen]?.shape ? chosen : results.findIndex(({ shape }) => shape !== null);
}

/** The number of window positions without an element. @param {Maps} maps @param {Chosen} chosen @param {ReturnType<typeof useParts>["windows"]} windows @returns {string[]} */
function windowSentences(maps, { side, number, at }, windows) {
  const element = elementName((side === "operand" ? maps.operands : maps.results)[number]?.name ?? "", at);
  const told = (maps.parts.windowPositions?.over ?? []).map((tensor) => {
    const counts = windows.get(`${tensor.side} ${tensor.number}`)?.counts;
    return counts
      ? windowPositionsSentence(
          element,
          (tensor.side === "operand" ? maps.operands : maps.results)[tensor.number]?.name ?? "",
          counts,
        )
      : null;
  });
  return told.filter((sentence) => sentence !== null);
}

/** The legend of the marks. @param {{parts: ReturnType<typeof useParts>, partner: boolean}} props `partner`: whether a kernel goes with the window */
function Legend({ parts: { marks, padding, windows }, partner }) {
  const shown = new Map([...marks.values()].flat().map(({ kind, text }) => [kind, text]));
  const padded = [...padding.values()].some(({ low, high }) => [...low, ...high].some((size) => size > 0));
  const dilated = [...padding.values()].some(({ base }) => base.some((apart) => apart > 1));
  const dotted = [padded && "padding", dilated && "holes between elements"].filter(Boolean).join(", and ");
  const missed = [...windows.values()].some(({ ghosts }) => ghosts.length > 0);
  const clamped = [...windows.values()].some(({ outlines }) => outlines.some(({ dashed }) => dashed));
  const entries = [
    [shown.get("clamped"), "a clamped index, and its value"],
    [shown.get("outside"), "an index outside of the operand"],
    [shown.has("dropped") && "✕ hatched", "an update that is dropped"],
    [shown.get("several"), "an element that several updates write"],
    [clamped && "dashed", "the window without clamping"],
    [dotted && "dotted", dotted],
    [
      missed && "hatched",
      `a position of the window without an element${partner ? ", and the element of the kernel there" : ""}`,
    ],
  ].filter(([mark]) => mark);
  if (entries.length === 0) return null;
  return html`<dl class="index-legend">${entries.map(([mark, meaning]) => html`<div><dt>${mark}</dt><dd>${meaning}</dd></div>`)}</dl>`;
}

/** A choice for ops that select elements: only those that are moved. @param {{state: PictureState}} props */
function ValuesOrAll({ state }) {
  /** @param {boolean} only @param {string} name @param {string} title */
  const button = (only, name, title) => html`<button aria-pressed=${state.onlyValues.value === only}
    title=${title} onClick=${() => (state.onlyValues.value = only)}>${name}</button>`;
  return html`<span class="index-choice" role="group" aria-label="Highlighted elements">
    ${button(true, "values", "The elements whose values are moved, as this run chose them")}${button(false, "all dependences", "Also the elements that only decide which values are moved")}</span>`;
}

/** The choice of the lane, for a region that ran on many elements at once. @param {{lanes: number[], state: PictureState}} props */
function LaneMenu({ lanes, state }) {
  const count = countOf(lanes);
  const choose = (/** @type {Event} */ event) => {
    const lane = /** @type {HTMLInputElement} */ (event.currentTarget).valueAsNumber;
    if (Number.isInteger(lane) && lane >= 0 && lane < count) state.lane.value = lane;
  };
  return html`<label class="quiet index-lanes" title="The region was run on all of them at once">lane <input type="number" min="0" max=${count - 1} value=${state.lane.value} onInput=${choose} />
    of ${countText(count)}: [${elementOf(lanes, state.lane.value).join(", ")}]</label>`;
}

/** The process of these elements, and a button that shows it. @param {{places: Places, view: import("./group_views.js").View}} props */
function ProcessNote({ places, view: { place, own } }) {
  const name = place === null ? null : places.names[place];
  if (own)
    return html` <span class="index-process"><span>in ${name ? `process ${name}` : "no process of the group"}</span> <span class="quiet">shown</span></span>`;
  return html` <span class="index-process"><span>in process ${name}</span>${places.show && html` <button class="plain index-show" onClick=${() => places.show?.(place ?? 0)} title=${`Look at the op in process ${name}: its elements can be chosen there`}>Show</button>`}</span>`;
}

/** The choice of the other drawn process in a large group. @param {{places: Places, reached: number[], place: number|null, state: PictureState}} props */
function PlaceMenu({ places, reached, place, state }) {
  const others = reached.filter((at) => at !== places.own);
  const choose = (/** @type {Event} */ event) =>
    (state.place.value = Number(/** @type {HTMLSelectElement} */ (event.currentTarget).value));
  return (
    others.length > 1 &&
    html`<label class="index-places">Drawn beside is process <select onChange=${choose}>
    ${others.map((at) => html`<option value=${at} selected=${at === place}>${places.names[at] ?? at}</option>`)}</select></label>`
  );
}

/** The op, the sentences, and the formulas that are shown. @param {Maps} maps @param {Chosen|null} chosen @param {string[]} sentences @returns {string[]} */
function captionOf(maps, chosen, sentences) {
  const side = chosen?.side ?? "result";
  const direction = side === "result" ? "output-to-input" : "input-to-output";
  const texts = maps.texts.filter(
    (text) =>
      text.direction === direction && (side === "result" ? text.result : text.operand) === (chosen?.number ?? 0),
  );
  const lines = texts.flatMap(({ operand, result, xla }) => {
    const name = (side === "result" ? maps.operands[operand] : maps.results[result])?.name ?? "";
    return xla.split("\n").map((line, at) => (at === 0 ? `${name}: ${line}` : `  ${line}`));
  });
  return [maps.op, ...sentences, ...lines];
}

/** The reason why the maps of an op are unknown. */

/** @type {[RegExp, string][]} */
const REASONS = [
  [/rng/, "Its numbers are random: the operands only set their shape and distribution."],
  [/custom_call/, "The results come from code outside the program, and nothing states which elements it reads."],
  [/infeed/, "Its results come from outside of the program, through the infeed queue."],
  [/recv/, "Its results come from another process or from the host, over a channel."],
];

/** @param {Maps} maps @returns {string|null} */
export function reasonOf({ op, maps, operands, results }) {
  const unknown = maps.some(({ map }) => map.kind === "undefined");
  if (!unknown) return null;
  const open = [...operands, ...results]
    .filter(({ shape, type }) => shape === null && /tensor<.*\?|<=/.test(type))
    .map(({ name }) => name);
  if (open.length > 0)
    return `The sizes of ${open.join(", ")} are known only once the run has reached this op, so there are no maps yet.`;
  return (
    REASONS.find(([pattern]) => pattern.test(op))?.[1] ??
    "Nothing states which elements this op reads, so any element may depend on any other."
  );
}
