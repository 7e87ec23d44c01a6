/** The selected value as one whole, with the piece of each process outlined and named. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { chooseValue } from "../actions.js";
import { getJson, valueSummary } from "../api.js";
import { sliceFor } from "../grid/boxes.js";
import { gridPath } from "../grid/fetching.js";
import * as looking from "../grid/looking.js";
import { emptyWords, filled, inSlice } from "../grid/whole.js";
import * as store from "../store.js";
import { fittingSlice } from "../tensor/axes.js";
import { PieceList, WholePicture } from "./grid/whole_picture.js";
import { AxisControls } from "./tensor/controls.js";

/** @typedef {import("../grid/whole.js").Sharding} Sharding */
/** @typedef {import("../tensor/axes.js").Slice} Slice */
/** @typedef {import("../types.js").SelectedValue} SelectedValue */

/** Values offered where the selected one has no pieces. */
const MOST_OFFERED = 40;

/** Axes and indices that were chosen, by value. */
const chosen = signal(/** @type {ReadonlyMap<string, Slice>} */ (new Map()));

export function Whole() {
  const selected = store.selectedValue.value;
  const key = store.recordingKey.value ?? "";
  const question = `${gridPath(key)}/shardings?value=${selected?.value}&process=`;
  const { answer: sharding, error } = useAnswer(selected && selected.path.length === 0 ? `${question}${store.process.value}` : null, question);
  if (!selected) return html`<p class="empty">${store.nothingSelected.value}</p>`;
  if (looking.team.value !== 0) return html`<p class="empty">Shardings speak of the processes that the run began with. Choose team 0 to see them.</p>`;
  if (error) return html`<div class="empty" role="alert"><p>${error}</p></div>`;
  if (selected.path.length > 0) return html`<${Others} key_=${key} sentence=${`${selected.name} is a part of a tuple: what is said of the pieces is said of the values that it was made of.`} />`;
  if (sharding === undefined) return html`<p class="empty" role="status">Looking for the pieces of ${selected.name} …</p>`;
  if (sharding === null) return html`<${Others} key_=${key} sentence=${`Nothing in the program says what piece of a whole ${selected.name} is.`} />`;
  if (!sharding.fits || sharding.pieces.length === 0) return html`<p class="empty">The sharding of ${selected.name} (${sharding.text}) speaks of another number of devices than this run has processes.</p>`;
  return html`<${Drawn} key_=${key} selected=${selected} sharding=${sharding} />`;
}

/** A JSON answer that never changes; `undefined` until it is here. That to a question that begins likewise stays meanwhile. @param {string|null} path @param {string} [beginning] @returns {{answer: any, error: string}} */
function useAnswer(path, beginning) {
  const [found, setFound] = useState(/** @type {{path: string|null, answer: any, error: string}} */ ({ path: null, answer: undefined, error: "" }));
  useEffect(() => {
    if (path === null) return undefined;
    const stop = new AbortController();
    getJson(path, stop.signal).then(
      (answer) => setFound({ path, answer, error: "" }),
      (reason) => stop.signal.aborted || setFound({ path, answer: undefined, error: reason.message }),
    );
    return () => stop.abort();
  }, [path]);
  const stays = found.path === path || (beginning !== undefined && path !== null && found.path?.startsWith(beginning));
  return stays ? found : { answer: undefined, error: "" };
}

/** Why there is no picture, and the values that have one. @param {{key_: string, sentence: string}} props */
function Others({ key_, sentence }) {
  const { answer } = useAnswer(`${gridPath(key_)}/sharded`);
  const program = store.program.value;
  /** @type {number[]} */
  const values = answer ?? [];
  return html`<div class="empty"><p>${sentence}</p>
    ${answer && values.length === 0 && html`<p>That is so for all values of this program. Shardings stand at arguments, at sdy.manual_computation, at sharding constraints and in HLO's sharding={…}.</p>`}
    ${program && values.length > 0 && html`<p>It is known of these:</p><p class="whole-others">${values.slice(0, MOST_OFFERED).map((value) => {
      const { name, type } = program.value(value);
      return html`<button key=${value} class="plain" onClick=${() => chooseValue(value)}><code>${name}</code> <span class="type">${type}</span></button> `;
    })}${values.length > MOST_OFFERED && html` <span>and ${values.length - MOST_OFFERED} more</span>`}</p>`}
  </div>`;
}

/** @param {{key_: string, selected: SelectedValue, sharding: Sharding}} props */
function Drawn({ key_, selected, sharding }) {
  const { shape, pieces, whole } = sharding;
  const addresses = useAddresses(selected, sharding);
  const known = useKnown(key_, addresses, selected);
  const name = `${key_} ${selected.value}`;
  const kept = chosen.value.get(name);
  const slice = kept ? fittingSlice(kept, shape) : sliceFor(shape, filled(pieces));
  const seen = useMemo(() => inSlice(pieces, slice), [pieces, JSON.stringify(slice)]);
  const change = (/** @type {{slice: Slice}} */ next) => (chosen.value = new Map(chosen.value).set(name, next.slice));
  const outside = filled(pieces).length - seen.length;
  const empty = shape.some((size) => size === 0);
  return html`<div class="tensor whole">
    <p class="whole-head"><code class="name">${selected.name}</code> ${shape.join(" × ") || "one number"}: ${sharding.text}${emptyWords(pieces)}.${" "}
      <span class="quiet">${whole ? "Every process holds the whole; outlined is what a device would hold." : "Every process holds its part; this is the whole that they make."}
      ${sharding.terms > 1 ? ` Each piece is one of ${sharding.terms} terms, whose sum is the value.` : ""}</span></p>
    ${shape.length > 1 && html`<${AxisControls} summary=${{ shape, lanes: null }} layout=${{ slice, fold: 0 }} axes=${null} change=${change} />`}
    ${outside > 0 && html`<p class="whole-head quiet" role="status">${outside} of the pieces lie at other indices of the axes that are not drawn.</p>`}
    ${empty ? html`<p class="empty">This tensor is empty.</p>`
      : known === undefined ? html`<p class="empty" role="status">Fetching ${selected.name} …</p>`
      : html`<${WholePicture} recording=${key_} selected=${selected} sharding=${sharding} slice=${slice} seen=${seen} addresses=${addresses} known=${known} />`}
    <${PieceList} sharding=${sharding} addresses=${addresses} />
  </div>`;
}

/** Where each process has the value. @param {SelectedValue} selected @param {Sharding} sharding @returns {ReadonlyMap<number, string>} */
function useAddresses(selected, { pieces, whole }) {
  const found = new Map(looking.all.value.flatMap((seen) => (seen?.address ? [[seen.process, seen.address]] : [])));
  if (whole) for (const piece of pieces) for (const process of piece.processes) if (!found.has(process)) found.set(process, selected.address);
  const text = [...found].join(";");
  return useMemo(() => found, [text]);
}

/**
 * What the picture's colours and numbers are made of: the type of an element, and the range over all pieces. Null
 * where no process has a value.
 *
 * @param {string} key @param {ReadonlyMap<number, string>} addresses @param {SelectedValue} selected
 * @returns {import("../types.js").ValueSummary|null|undefined}
 */
function useKnown(key, addresses, selected) {
  const all = [...new Set(addresses.values())];
  const own = addresses.get(store.process.value) ?? all[0] ?? null;
  const [found, setFound] = useState(/** @type {{value: number, summary: import("../types.js").ValueSummary|null}|undefined} */ (undefined));
  useEffect(() => {
    const stop = new AbortController();
    if (own === null) setFound({ value: selected.value, summary: null });
    else {
      Promise.all([valueSummary(key, own, stop.signal), getJson(`${gridPath(key)}/range?addresses=${encodeURIComponent(all.join(","))}`, stop.signal)]).then(
        ([summary, range]) => setFound({ value: selected.value, summary: { ...summary, statistics: { ...range, mean: null, std: null } } }),
        () => undefined,
      );
    }
    return () => stop.abort();
  }, [key, all.join(",")]);
  return found?.value === selected.value ? found.summary : undefined;
}

