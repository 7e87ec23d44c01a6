/** What the form stands for: which elements are read, drawn; the formulas; the program. */
import { html } from "htm/preact";
import { useMemo, useState } from "preact/hooks";
import { IndexPicture } from "../indexing/picture.js";
import { PictureState } from "../indexing/state.js";
import { oneElement } from "../indexing/tensor_grid.js";
import { reasonOf } from "../panels/index_map/opaque.js";
import { processName, sourcesOf } from "./answer_sources.js";
import * as play from "./play.js";

export function PicturePane() {
  const answer = play.good.value;
  const stale = play.problems.value.length > 0;
  if (!answer?.picture) return html`<p class="empty" role="status">${stale ? "Mend what is marked, and the picture is drawn." : "Drawing …"}</p>`;
  return html`<${Picture} key=${play.form.value?.op} answer=${answer} stale=${stale} />`;
}

/** @param {{answer: import("./form_model.js").Answer, stale: boolean}} props */
function Picture({ answer, stale }) {
  const { picture, note, program } = answer;
  const state = useMemo(() => new PictureState(), []);
  const [chosen, setProcess] = useState(0);
  const process = chosen < picture.processes.length ? chosen : 0;
  const sources = useMemo(() => sourcesOf(picture, process, setProcess), [picture, process]);
  useShapes(state, picture);
  const reason = reasonOf(picture);
  return html`<article class=${`index-map play-picture${stale ? " stale" : ""}${state.enlarged.value ? " enlarged" : ""}`} aria-label="Index map">
    ${stale && html`<p class="stale-note">This is the last picture that could be drawn.</p>`}
    ${note && html`<p class="quiet">${note}</p>`}
    ${reason && html`<p class="index-opaque">${reason}</p>`}
    ${untold(picture, process).map((name) => html`<p key=${name} class="quiet">${name} has more elements than the page is told (playground_values): what depends on them is not known here.</p>`)}
    ${picture.processes.length > 1 && html`<${Processes} processes=${picture.processes} chosen=${process} choose=${setProcess} />`}
    <${IndexPicture} maps=${picture} operands=${sources.operands} results=${sources.results} found=${sources.found} places=${sources.places} state=${state} title=${picture.op} />
    <details class="program-text"><summary>Program</summary><pre tabindex="0" aria-label="Program"><code>${program?.text}</code></pre></details>
  </article>`;
}

/** The operands whose values decide which elements are read, and have too many to be sent. @param {any} picture @param {number} process @returns {string[]} */
function untold({ maps, operands, inline }, process) {
  const read = new Set(maps.flatMap((/** @type {any} */ { map }) => map.runtimes ?? []).map((/** @type {any} */ { operand }) => operand));
  return operands.flatMap((/** @type {{name: string}} */ { name }, /** @type {number} */ number) => (read.has(number) && !inline.operands[number]?.[process] ? [name] : []));
}

/**
 * What is chosen stays so while it is there; in tensors of other shapes, the first element of a result is chosen instead.
 *
 * @param {PictureState} state @param {any} picture
 */
function useShapes(state, picture) {
  const shapes = JSON.stringify([picture.operands, picture.results].map((side) => side.map((/** @type {{shape: number[]|null}} */ { shape }) => shape)));
  // Not in an effect: what is drawn now must not ask for elements that are gone.
  useMemo(() => {
    state.hovered.value = null;
    const chosen = state.selected.peek();
    if (chosen && isThere(chosen, picture)) return;
    const number = picture.results.findIndex((/** @type {{shape: number[]|null}} */ { shape }) => shape !== null && !shape.includes(0));
    state.select(number < 0 ? null : oneElement({ side: "result", number }, picture.results[number].shape.map(() => 0)));
  }, [shapes]);
}

/** @param {import("../indexing/related.js").Chosen} chosen @param {any} picture */
function isThere({ side, number, boxes }, picture) {
  const shape = picture[`${side}s`][number]?.shape;
  return Boolean(shape) && boxes.every(({ start, sizes, strides }) => start.length === shape.length
    && start.every((from, axis) => from + ((sizes[axis] ?? 1) - 1) * (strides[axis] ?? 1) < shape[axis]));
}

/** @param {{processes: [number, number][], chosen: number, choose: (process: number) => void}} props */
function Processes({ processes, chosen, choose }) {
  return html`<div class="chips" role="group" aria-label="Process, as replica and partition"><span class="quiet">process</span>
    ${processes.map((_, number) => html`<button key=${number} type="button" class="chip" aria-pressed=${number === chosen} onClick=${() => choose(number)}>${processName(processes, number)}</button>`)}</div>`;
}
