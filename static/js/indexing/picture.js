/**
 * The picture of an op's maps: operands and results side by side; elements that are pointed at or chosen on one side light
 * up what belongs to them on the other.
 *
 * It is given its tensors as sources and knows nothing of recordings: the panel of a run and the playground share it.
 *
 * @typedef {import("./sources.js").Source} Source
 * @typedef {import("./related.js").OpMaps & {op: string, roles: {operands: string[][], results: string[][]},
 *   parts: import("./parts.js").Parts, texts: import("./formula.js").MapText[]}} Maps
 */
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { RunValues } from "./binding.js";
import { countSentences } from "./counts.js";
import { litIn, places } from "./lighting.js";
import { marksOf, paddingOf, windowsAt } from "./parts.js";
import { related } from "./related.js";
import { PictureState } from "./state.js";
import { indexText, TensorGrid } from "./tensor_grid.js";

/**
 * @param {{maps: Maps, operands: Source[], results: Source[], found?: (number: number) => Source|null, state?: PictureState,
 *   beyond?: (chosen: import("./related.js").Chosen) => Promise<import("./related.js").Related[]>|null,
 *   children?: import("preact").ComponentChildren}} props `found`: what the op found out, by its number behind the operands
 */
export function IndexPicture({ maps, operands, results, found, state: given, beyond, children }) {
  const own = useMemo(() => given ?? new PictureState(), [given]);
  const values = useValues(maps, operands, found);
  const chosen = own.shown.value;
  const answer = useRelated(maps, chosen, values, beyond);
  const parts = useParts(maps, chosen, values);
  const reached = places(answer.related);
  const place = own.place.value !== null && reached.includes(own.place.value) ? own.place.value : reached[0] ?? null;
  const grid = (/** @type {"operand"|"result"} */ side) => (/** @type {Source} */ source, /** @type {number} */ number) => html`<${TensorGrid} key=${`${side} ${number}`}
    tensor=${{ side, number }} source=${source} state=${own} roles=${maps.roles[`${side}s`][number] ?? []}
    lit=${litIn({ side, number }, source.shape ?? [], chosen, answer.related, place, parts)} />`;
  return html`<div class="index-picture">
    <p id="index-keys" class="hidden">Arrow keys move from element to element, with Shift they choose a range. Enter pins what is chosen, Escape lets go of it. Plus and minus zoom, 0 shows everything.</p>
    <div class="index-sides">
      <div class="index-side" role="group" aria-label="Operands">${operands.map(grid("operand"))}
        ${operands.length === 0 && html`<p class="quiet">This op has no operands: nothing is read.</p>`}</div>
      <div class="index-arrow" aria-hidden="true">→</div>
      <div class="index-side" role="group" aria-label="Results">${results.map(grid("result"))}
        ${results.length === 0 && html`<p class="quiet">This op has no results.</p>`}</div>
    </div>
    <output class="index-readout" aria-live="polite">${chosen ? countSentences(maps, chosen, answer.related, answer.waiting).map((sentence) => html`<span>${sentence}</span>`)
      : html`<span class="quiet">Point at an element, or choose some.</span>`}</output>
    ${children}
  </div>`;
}

/** The values that runtime variables are read from, and a number that grows when some have come. @param {Maps} maps @param {Source[]} operands @param {((number: number) => Source|null)|undefined} found */
function useValues(maps, operands, found) {
  const [version, setVersion] = useState(0);
  const values = useMemo(() => new RunValues((number) => operands[number] ?? found?.(number) ?? null, () => setVersion((before) => before + 1)), [maps, operands, found]);
  useEffect(() => () => values.close(), [values]);
  return { values, version };
}

/**
 * What belongs to the chosen elements; where that cannot be worked out here in time, somebody else is asked.
 *
 * @param {Maps} maps @param {import("./related.js").Chosen|null} chosen @param {ReturnType<typeof useValues>} bound
 * @param {((chosen: import("./related.js").Chosen) => Promise<import("./related.js").Related[]>|null)|undefined} beyond
 */
function useRelated(maps, chosen, { values, version }, beyond) {
  const found = useMemo(() => (chosen ? related(maps, chosen, values) : []), [maps, chosen, values, version]);
  const [told, setTold] = useState(/** @type {{chosen: unknown, related: import("./related.js").Related[]}|null} */ (null));
  const incomplete = found.some(({ region }) => region && !region.complete);
  const asked = useRef(/** @type {unknown} */ (null));
  useEffect(() => {
    if (!incomplete || !chosen || asked.current === chosen) return;
    asked.current = chosen;
    beyond?.(chosen)?.then((answer) => asked.current === chosen && setTold({ chosen, related: answer }), () => undefined);
  }, [incomplete, chosen]);
  const waiting = incomplete || found.some(({ region }) => region?.waiting);
  if (incomplete && told?.chosen === chosen) return { related: told.related, waiting: false };
  return { related: found, waiting };
}

/** @param {Maps} maps @param {import("./related.js").Chosen|null} chosen @param {ReturnType<typeof useValues>} bound */
function useParts(maps, chosen, { values, version }) {
  const padding = useMemo(() => paddingOf(maps), [maps]);
  const marks = useMemo(() => marksOf(maps, values), [maps, values, version]);
  const windows = useMemo(() => windowsAt(maps, chosen, values), [maps, chosen, values, version]);
  return { padding, marks, windows };
}

export { indexText };
