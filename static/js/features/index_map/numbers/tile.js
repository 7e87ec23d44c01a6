/** A tile of a result and the tiles of the operands that it needs, or the reverse. */
import { html } from "htm/preact";
import { useState } from "preact/hooks";
import { asShown } from "../../../core/run/value_names.js";
import * as store from "../../../core/store.js";
import { TYPING_MS, useJson } from "../../../ui/resource.js";
import { numbersIn, integerText } from "./words.js";
/** @import {SideInfo as Side, TilePiece as Piece, TileInfo as Answer} from "../../../core/types.js" */

/** @typedef {{name: string, shape: number[]|null}} Named */

/** @typedef {{of: number, sizes: string|null, offsets: string, strides: string}} Typed  `sizes`: null until some are typed */

/** @param {{path: string, op: number, operands: Named[], results: Named[], at: string}} props `at`: the step, as a part of the path, or nothing */
export function TileForm({ path, op, operands, results, at }) {
  const [back, setBack] = useState(false);
  const sides = back ? operands : results;
  const [typed, setTyped] = useState(untyped(firstWithShape(sides)));
  const number = sides[typed.of]?.shape ? typed.of : firstWithShape(sides);
  const shape = sides[number]?.shape ?? null;
  const sizes = typed.sizes ?? (shape ? usual(shape) : "");
  const turn = (/** @type {Event} */ event) => {
    setBack(/** @type {HTMLSelectElement} */ (event.currentTarget).value === "operand");
    setTyped(untyped(0));
  };
  const pick = (/** @type {Event} */ event) =>
    setTyped(untyped(Number(/** @type {HTMLSelectElement} */ (event.currentTarget).value)));
  const type = (/** @type {keyof Typed} */ field) => (/** @type {Event} */ event) =>
    setTyped({ ...typed, [field]: /** @type {HTMLInputElement} */ (event.currentTarget).value });
  return html`<section class="number-part" aria-label="Tile"><h4>Tile</h4>
    <div class="number-form">
      <label>of <select aria-label="tile of" value=${back ? "operand" : "result"} onChange=${turn}>
        <option value="result">a result</option><option value="operand">an operand</option></select></label>
      ${sides.length > 1 && html`<label><select aria-label="which one" value=${number} onChange=${pick}>${sides.map(({ name, shape: own }, k) => html`<option value=${k} disabled=${own === null}>${name}</option>`)}</select></label>`}
      <label>sizes <input type="text" inputmode="numeric" size="9" value=${sizes} onInput=${type("sizes")} /></label>
      <label>offsets <input type="text" inputmode="numeric" size="9" value=${typed.offsets} placeholder="any tile" onInput=${type("offsets")} /></label>
      <label>strides <input type="text" inputmode="numeric" size="7" value=${typed.strides} placeholder="1" onInput=${type("strides")} /></label>
    </div>
    <${Asked} path=${path} op=${op} operands=${operands} results=${results} at=${at} back=${back} number=${number} shape=${shape} typed=${{ ...typed, sizes }} />
  </section>`;
}

/** @param {number} of @returns {Typed} */
const untyped = (of) => ({ of, sizes: null, offsets: "", strides: "" });

/** @param {Named[]} sides @returns {number} */
const firstWithShape = (sides) =>
  Math.max(
    0,
    sides.findIndex(({ shape }) => shape !== null),
  );

/**
 * The answer for the typed tile, or its error.
 *
 * @param {{path: string, op: number, operands: Named[], results: Named[], at: string, back: boolean, number: number, shape: number[]|null,
 *   typed: Typed & {sizes: string}}} props
 */
function Asked({ path, op, operands, results, at, back, number, shape, typed: { sizes, offsets, strides } }) {
  const wrong = shape === null ? "" : mistake(shape, sizes, offsets, strides);
  const query = shape === null || wrong ? null : queryOf(number, back, sizes, offsets, strides);
  const { value: answer = null, error } = useJson(query && `${path}/tile?${query}${offsets.trim() ? at : ""}`, {
    pause: TYPING_MS,
  });
  if (shape === null) return html`<p class="quiet">It has no elements.</p>`;
  if (wrong || error) return html`<p class="number-wrong" role="alert">${wrong || error?.message}</p>`;
  if (!answer) return html`<p class="quiet" role="status">Loading…</p>`;
  return html`<${TileAnswer} answer=${asShown(store.program.value, answer, op)} others=${answer.direction === "output-to-input" ? operands : results} />`;
}

/** A quarter of each dimension. @param {number[]} shape @returns {string} */
const usual = (shape) => shape.map((size) => Math.max(1, Math.ceil(size / 4))).join(", ");

/** The error of the typed tile, as a sentence; the server finds other errors. @param {number[]} shape @param {string[]} texts @returns {string} */
function mistake(shape, ...texts) {
  const counts = texts.map((text) => numbersIn(text));
  if (counts.includes(null)) return "Sizes, offsets and strides are whole numbers with commas between them.";
  const uneven = counts.some(
    (numbers, k) => numbers && (k === 0 || numbers.length > 0) && numbers.length !== shape.length,
  );
  return uneven ? `Give ${shape.length === 1 ? "one number" : `${shape.length} numbers`}, one for each dimension.` : "";
}

/** @param {number} of @param {boolean} back @param {string} sizes @param {string} offsets @param {string} strides @returns {string} */
function queryOf(of, back, sizes, offsets, strides) {
  const query = new URLSearchParams({
    of: String(of),
    direction: back ? "input-to-output" : "output-to-input",
    sizes: String(numbersIn(sizes)),
  });
  if (offsets.trim()) query.set("offsets", String(numbersIn(offsets)));
  if (strides.trim()) query.set("strides", String(numbersIn(strides)));
  return String(query);
}

/** @param {{answer: Answer, others: Named[]}} props */
function TileAnswer({ answer, others }) {
  const grid =
    answer.numbers.length > 0 &&
    html` Tile numbers ${answer.numbers.map((count, k) => html`${k > 0 && ", "}<code>t${k}</code> below ${integerText(count)}`)}.`;
  return html`<p class="quiet">${answer.direction === "output-to-input" ? "What a tile needs:" : "Where a tile goes:"}${grid}</p>
    <div class="table" tabindex="0" role="region" aria-label="Tiles"><table class="number-table"><thead><tr><th scope="col">tensor</th><th scope="col">offset</th><th scope="col">size</th><th scope="col">stride</th><th scope="col" class="number">elements</th><th scope="col">is</th></tr></thead>
      <tbody>${answer.answers.flatMap(({ of, pieces }) => pieces.map((piece) => html`<${PieceRow} piece=${piece} name=${others[of]?.name ?? `%${of}`} />`))}</tbody></table></div>
    ${answer.answers.length === 0 && html`<p class="quiet">Nothing belongs to it.</p>`}`;
}

/** @param {{piece: Piece, name: string}} props */
function PieceRow({ piece, name }) {
  const { tile, count, exact, nothing, reason, runtimes } = piece;
  if (tile === null)
    return html`<tr class="noted"><th scope="row" class="name">${name}</th><td colspan="5"><span class="verdict">does not propagate.</span> ${reason}</td></tr>`;
  if (nothing)
    return html`<tr><th scope="row" class="name">${name}</th><td colspan="5" class="quiet">nothing</td></tr>`;
  const column = (/** @type {(side: Side) => number|string} */ pick) =>
    tile.length ? tile.map(pick).join(", ") : "scalar";
  return html`<tr><th scope="row" class="name">${name}</th><td class="mono">${column(({ offset }) => offset)}</td><td class="mono">${column(({ size }) => size)}</td><td class="mono">${column(({ stride }) => stride)}</td>
    <td class="number">${count === null ? "" : integerText(count)}</td>
    <td>${exact ? "exactly" : html`<span class="verdict">at most.</span> ${reason}`}
      ${runtimes.map((item) => html` <span class="quiet"><code>${item.name}</code>: ${item.read}${item.at.length > 0 ? `[${item.at.join(", ")}]` : ""}, ${item.clamped ? "clamped to" : "if within"} [${item.interval.join(", ")}].</span>`)}</td></tr>`;
}
