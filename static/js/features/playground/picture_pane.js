/** The result of the form: a picture of the elements read, the formulas, and the program. */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useMemo, useState } from "preact/hooks";
import { countOf, numberOf } from "../../core/tensor/axes.js";
import { PictureState } from "../../ui/tensor_grid/state.js";
import { oneElement } from "../../ui/tensor_grid/tensor_grid.js";
import { IndexPicture, playedResult, reasonOf } from "../index_map/index_picture.js";
import { arithmeticOf } from "./arithmetic.js";
import { useDragging } from "./drag_in_picture.js";
import { Film } from "./film.js";
import { FilmBar } from "./film_bar.js";
import { processName, sourcesOf } from "./answer_sources.js";
import * as play from "./state.js";

/** @param {{brief?: boolean}} props `brief`: without formulas and program */
export function PicturePane({ brief = false }) {
  const answer = play.good.value;
  const stale = play.problems.value.length > 0;
  if (!answer?.picture)
    return html`<p class="empty" role="status">${stale ? "Correct the marked fields to draw the picture." : "Drawing…"}</p>`;
  return html`<${Picture} key=${play.form.value?.op} answer=${answer} form=${play.drawn.value} picture=${answer.picture} stale=${stale} brief=${brief} />`;
}

/** @param {{answer: import("../../core/types.js").PlaygroundAnswer, form: any, picture: import("../../core/types.js").PlaygroundPicture, stale: boolean, brief: boolean}} props `form`: the request of this picture */
function Picture({ answer: { note, program }, form, picture, stale, brief }) {
  const state = useMemo(() => Object.assign(new PictureState(), { litAxes: play.lit }), []);
  const [chosen, setProcess] = useState(0);
  const process = chosen < picture.processes.length ? chosen : 0;
  const sources = useMemo(() => sourcesOf(picture, process, setProcess), [picture, process]);
  useShapes(state, picture);
  const reason = reasonOf(picture);
  const { isOn, tools, note: dragged, handlers } = useDragging(state);
  const film = useFilm(form, picture, process, playedResult(sources.results, state.selected.value));
  const names = useMemo(
    () => ({
      names: picture.operands.map(({ name }) => name),
      processes: picture.processes.map((_, number) => processName(picture.processes, number)),
    }),
    [picture],
  );
  return html`<article class=${`index-map play-picture${stale ? " stale" : ""}${state.enlarged.value ? " enlarged" : ""}${isOn ? " dragging" : ""}`} aria-label="Index map" ...${handlers}>
    ${stale && html`<p class="stale-note">This picture is the last valid one.</p>`}
    ${note && html`<p class="quiet">${note}</p>`}
    ${reason && html`<p class="index-opaque">${reason}</p>`}
    ${dragged}
    <${Untold} picture=${picture} process=${process} />
    ${picture.processes.length > 1 && html`<${Processes} processes=${picture.processes} chosen=${process} choose=${setProcess} />`}
    <${IndexPicture} maps=${picture} operands=${sources.operands} results=${sources.results} found=${sources.found} places=${sources.places} state=${state} title=${picture.op} brief=${brief} tools=${tools}
      player=${film && html`<${FilmBar} film=${film} state=${state} name=${picture.results[film.result]?.name ?? ""} names=${names} title=${picture.op} />`}
      step=${film && html`<${Arithmetic} film=${film} state=${state} />`} />
    ${!brief && html`<details class="program-text"><summary>Program</summary><pre tabindex="0" aria-label="Program"><code>${program?.text}</code></pre></details>`}
  </article>`;
}

/** The film of a result; null if nothing was computed. @param {any} form @param {any} picture @param {number} process @param {number} result */
const useFilm = (form, picture, process, result) =>
  useMemo(() => {
    const shape = picture.results[result]?.shape;
    return play.isAnswered.value && shape && picture.inline.results[result]?.[process]
      ? new Film(form, process, result, shape)
      : null;
  }, [form, picture, process, result]);

/** The arithmetic of the selected element of the result. @param {{film: Film, state: PictureState}} props */
function Arithmetic({ film, state }) {
  const chosen = state.shown.value;
  const isOne = chosen?.side === "result" && chosen.number === film.result && chosen.boxes.length === 1;
  const number = isOne && chosen.boxes[0]?.sizes.every((size) => size === 1) ? numberOf(film.shape, chosen.at) : null;
  const version = film.arrived.value;
  const derivation = useMemo(() => (number === null ? null : film.derivation(number)), [film, number, version]);
  const line = derivation && arithmeticOf(derivation);
  return html`<p class="arithmetic" aria-live="polite">${line && html`<code>${line}</code>`}</p>`;
}

/** The values that are too large for the answer, and what is unknown without them. @param {{picture: any, process: number}} props */
function Untold({ picture, process }) {
  const { inline } = picture;
  const { names, deciding } = untold(picture, process);
  if (names.length === 0) return null;
  const most = countText(inline.most);
  const [are, their] = names.length === 1 ? ["has", "its"] : ["have", "their"];
  return html`<p class="quiet play-untold">${listText(names)} ${are} more than ${most} elements${picture.processes.length > 1 ? " a process" : ""}: ${their} values are not sent to this page.
    ${deciding.length > 0 && ` Which elements correspond depends on ${listText(deciding)}, and is not known here.`} The debugger shows all values.${" "}
    <a href="/-/settings">The setting playground_elements</a> decides how many are sent.</p>`;
}

/** @param {string[]} names */
const listText = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** @param {any} picture @param {number} process @returns {{names: string[], deciding: string[]}} deciding: operands whose values decide which elements are read */
function untold({ maps, operands, results, inline }, process) {
  const read = new Set(
    maps.flatMap((/** @type {any} */ { map }) => map.runtimes ?? []).map((/** @type {any} */ { operand }) => operand),
  );
  const missing = (/** @type {any[]} */ tensors, /** @type {any[]} */ values) =>
    tensors.flatMap(({ name, shape }, number) =>
      shape && countOf(shape) > inline.most && !values[number]?.[process] ? [{ name, number }] : [],
    );
  const [from, to] = [missing(operands, inline.operands), missing(results, inline.results)];
  return {
    names: [...new Set([...from, ...to].map(({ name }) => name))],
    deciding: from.filter(({ number }) => read.has(number)).map(({ name }) => name),
  };
}

/**
 * The selection stays while its elements exist; for other shapes, the first element of a result is selected.
 *
 * @param {PictureState} state @param {any} picture
 */
function useShapes(state, picture) {
  const shapes = JSON.stringify(
    [picture.operands, picture.results].map((side) =>
      side.map((/** @type {{shape: number[]|null}} */ { shape }) => shape),
    ),
  );
  // During rendering, not in an effect: this drawing must not request elements that no longer exist.
  useMemo(() => {
    state.hovered.value = null;
    const chosen = state.selected.peek();
    if (chosen && isThere(chosen, picture)) return;
    const number = picture.results.findIndex(
      (/** @type {{shape: number[]|null}} */ { shape }) => shape !== null && !shape.includes(0),
    );
    state.select(
      number < 0
        ? null
        : oneElement(
            { side: "result", number },
            picture.results[number].shape.map(() => 0),
          ),
    );
  }, [shapes]);
}

/** @param {import("../../core/indexing/related.js").Chosen} chosen @param {any} picture */
function isThere({ side, number, boxes }, picture) {
  const shape = picture[`${side}s`][number]?.shape;
  return (
    Boolean(shape) &&
    boxes.every(
      ({ start, sizes, strides }) =>
        start.length === shape.length &&
        start.every((from, axis) => from + ((sizes[axis] ?? 1) - 1) * (strides[axis] ?? 1) < shape[axis]),
    )
  );
}

/** @param {{processes: [number, number][], chosen: number, choose: (process: number) => void}} props */
function Processes({ processes, chosen, choose }) {
  return html`<div class="chips" role="group" aria-label="Process, as replica and partition"><span class="quiet">process</span>
    ${processes.map((_, number) => html`<button key=${number} type="button" class="chip" aria-pressed=${number === chosen} onClick=${() => choose(number)}>${processName(processes, number)}</button>`)}</div>`;
}
