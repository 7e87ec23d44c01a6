/** The selected value assembled, with the shard of each process outlined and named. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useMemo } from "preact/hooks";
import { getJson, valueSummary } from "../../../core/api.js";
import { gridPath } from "../../../core/grid/loading.js";
import * as store from "../../../core/store.js";
import { fittingSlice } from "../../../core/tensor/axes.js";
import { chooseValue } from "../../../core/view_actions.js";
import { sliceFor } from "../../../drawing/boxes.js";
import { AxisControls } from "../../../ui/axis_controls.js";
import { Covered } from "../../../ui/covered.js";
import { useJson, useResource } from "../../../ui/resource.js";
import { gridValue } from "../process_view.js";
import * as gridView from "../state.js";
import { emptyWords, filledPieces, inSlice } from "./model.js";
import { PieceList, AssembledPicture } from "./assembled_picture.js";
/** @import {Slice} from "../../../core/tensor/axes.js" */
/** @import {SelectedValue} from "../../../core/view_types.js" */
/** @import {Sharding} from "./model.js" */

/** Maximum number of values offered when the selected one has no pieces. */
const MOST_OFFERED = 40;

/** Chosen axes and indices, by value. */
const chosen = signal(/** @type {ReadonlyMap<string, Slice>} */ (new Map()));

export function AssembledPanel() {
  const selected = gridValue.value;
  const key = store.recordingKey.value ?? "";
  const question = `${gridPath(key)}/shardings?value=${selected?.value}&process=`;
  const { answer: sharding, error } = useAnswer(
    selected && selected.path.length === 0 ? `${question}${store.process.value}` : null,
    question,
  );
  if (!selected) return html`<p class="empty">${store.nothingSelected.value}</p>`;
  if (gridView.isCovered.value) return html`<${Covered} name=${selected.name} />`;
  if (gridView.team.value !== 0)
    return html`<p class="empty">Shardings refer to the processes that the run started with. Choose launch group 0 to see them.</p>`;
  if (error) return html`<div class="empty" role="alert"><p>${error}</p></div>`;
  if (selected.path.length > 0)
    return html`<${Others} key_=${key} sentence=${`${selected.name} is a part of a tuple: shardings are stated for the values that it was made from.`} />`;
  if (sharding === undefined)
    return html`<p class="empty" role="status">Looking for the pieces of ${selected.name}…</p>`;
  if (sharding === null)
    return html`<${Others} key_=${key} sentence=${`Nothing in the program says how ${selected.name} is sharded.`} />`;
  if (!sharding.fits || sharding.pieces.length === 0)
    return html`<p class="empty">The sharding of ${selected.name} (${sharding.text}) is for another number of devices than this run has processes.</p>`;
  return html`<${Drawn} key_=${key} selected=${selected} sharding=${sharding} />`;
}

/** A JSON answer; `undefined` until it arrives. The answer to a similar question stays meanwhile. @param {string|null} path @param {string} [beginning] @returns {{answer: any, error: string}} */
function useAnswer(path, beginning) {
  const { answered, value, error } = useJson(path);
  const stays =
    answered === path || (beginning !== undefined && path !== null && (answered?.startsWith(beginning) ?? false));
  if (!stays || path === null) return { answer: undefined, error: "" };
  return error ? { answer: undefined, error: error.message } : { answer: value, error: "" };
}

/** The reason for no picture, and the values that have one. @param {{key_: string, sentence: string}} props */
function Others({ key_, sentence }) {
  const { answer } = useAnswer(`${gridPath(key_)}/sharded`);
  const program = store.program.value;
  /** @type {number[]} */
  const values = answer ?? [];
  return html`<div class="empty"><p>${sentence}</p>
    ${answer && values.length === 0 && html`<p>No value of this program has a sharding. Shardings are given on arguments, at sdy.manual_computation, at sharding constraints and in HLO's sharding={…}.</p>`}
    ${
      program &&
      values.length > 0 &&
      html`<p>These values have a sharding:</p><p class="assembled-others">${values
        .slice(0, MOST_OFFERED)
        .map((value) => {
          const { name, type } = program.value(value);
          return html`<button key=${value} class="plain" onClick=${() => chooseValue(value)}><code>${name}</code> <span class="type">${type}</span></button> `;
        })}${values.length > MOST_OFFERED && html` <span>and ${values.length - MOST_OFFERED} more</span>`}</p>`
    }
  </div>`;
}

/** @param {{key_: string, selected: SelectedValue, sharding: Sharding}} props */
function Drawn({ key_, selected, sharding }) {
  const { shape, pieces, assembled } = sharding;
  const addresses = useAddresses(selected, sharding);
  const known = useKnown(key_, addresses, selected);
  const name = `${key_} ${selected.value}`;
  const kept = chosen.value.get(name);
  const slice = kept ? fittingSlice(kept, shape) : sliceFor(shape, filledPieces(pieces));
  const seen = useMemo(() => inSlice(pieces, slice), [pieces, JSON.stringify(slice)]);
  const change = (/** @type {{slice: Slice}} */ next) => (chosen.value = new Map(chosen.value).set(name, next.slice));
  const outside = filledPieces(pieces).length - seen.length;
  const empty = shape.some((size) => size === 0);
  return html`<div class="tensor assembled">
    <p class="assembled-head"><code class="name">${selected.name}</code> ${shape.join(" × ") || "one number"}: ${sharding.text}${emptyWords(pieces)}.${" "}
      <span class="quiet">${assembled ? "Every process holds all of it; the outlines show what each device would hold." : "Every process holds its part; this is the tensor assembled from them."}
      ${sharding.terms > 1 ? ` Each piece is one of ${sharding.terms} terms, whose sum is the value.` : ""}</span></p>
    ${shape.length > 1 && html`<${AxisControls} summary=${{ shape, lanes: null }} layout=${{ slice, fold: 0 }} axes=${null} change=${change} />`}
    ${outside > 0 && html`<p class="assembled-head quiet" role="status">${outside} of the pieces lie at other indices of the axes that are not drawn.</p>`}
    ${
      empty
        ? html`<p class="empty">This tensor is empty.</p>`
        : known === undefined
          ? html`<p class="empty" role="status">Loading ${selected.name}…</p>`
          : html`<${AssembledPicture} recording=${key_} selected=${selected} sharding=${sharding} slice=${slice} seen=${seen} addresses=${addresses} known=${known} />`
    }
    <${PieceList} sharding=${sharding} addresses=${addresses} />
  </div>`;
}

/** The address of the value in each process. @param {SelectedValue} selected @param {Sharding} sharding @returns {ReadonlyMap<number, string>} */
function useAddresses(selected, { pieces, assembled }) {
  const found = new Map(gridView.all.value.flatMap((seen) => (seen?.address ? [[seen.process, seen.address]] : [])));
  if (assembled)
    for (const piece of pieces)
      for (const process of piece.processes) if (!found.has(process)) found.set(process, selected.address);
  const text = [...found].join(";");
  return useMemo(() => found, [text]);
}

/**
 * The element type and the range over all pieces, for colours and numbers. Null if no process has a value.
 *
 * @param {string} key @param {ReadonlyMap<number, string>} addresses @param {SelectedValue} selected
 * @returns {import("../../../core/types.js").ValueSummary|null|undefined}
 */
function useKnown(key, addresses, selected) {
  const all = [...new Set(addresses.values())];
  const own = addresses.get(store.process.value) ?? all[0] ?? null;
  const { value: found } = useResource(`${key} ${selected.value} ${all.join(",")}`, async (signal) => {
    if (own === null) return { value: selected.value, summary: null };
    const [summary, range] = await Promise.all([
      valueSummary(key, own, signal),
      getJson(`${gridPath(key)}/range?addresses=${encodeURIComponent(all.join(","))}`, signal),
    ]);
    return { value: selected.value, summary: { ...summary, statistics: { ...range, mean: null, std: null } } };
  });
  return found?.value === selected.value ? found.summary : undefined;
}
