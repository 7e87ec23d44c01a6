/** Both values and their difference as heat maps side by side; both values have the same colour scale. */
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { defaultSlice, pictureSize } from "../../core/tensor/axes.js";
import { short } from "../../core/tensor/elements.js";
import { WindowSource } from "../../core/tensor/window_source.js";
import { useJson } from "../../ui/resource.js";
import { namesOfAxes, useHeatMap } from "../../ui/use_heat_map.js";
import { useOwnColours } from "../tensor/colour_scale.js";
import { placeInPicture } from "../tensor/cursor_target.js";
import { readout } from "../tensor/readout.js";
import { withRange } from "./model.js";
import { differenceWindow, sidePath, sideWindow } from "./state.js";
/** @import {Slice} from "../../core/tensor/axes.js" */
/** @import {Request} from "../../core/tensor/window_source.js" */
/** @import {ValueSummary, ComparedRow as Row} from "../../core/types.js" */
/** @import {Place} from "../../drawing/heat_map.js" */
/** @import {Pair} from "./state.js" */

/** @typedef {{source: WindowSource, arrived: {current: () => void}}} Windows */

/** @param {{pair: Pair, row: Row, difference: import("../../core/types.js").DifferenceInfo}} props */
export function Pictures({ pair, row, difference }) {
  const [ours, theirs] = [row.before?.address ?? "", row.after?.address ?? ""];
  const before = useJson(sidePath(pair, "before", ours));
  const after = useJson(sidePath(pair, "after", theirs));
  if (!before.value?.statistics || !after.value?.statistics) return null;
  return html`<${Three} key=${`${ours} ${theirs}`} pair=${pair} row=${row} difference=${difference} before=${before.value} after=${after.value} />`;
}

/** @param {{pair: Pair, row: Row, difference: import("../../core/types.js").DifferenceInfo, before: ValueSummary, after: ValueSummary}} props */
function Three({ pair, row, difference: { distance, range }, before, after }) {
  const [place, setPlace] = useState(/** @type {Place|null} */ (null));
  const slice = useMemo(() => sliceAt(distance.shape, row.worst?.index), [distance]);
  const size = sizeOf(slice, distance.shape);
  const common = useMemo(() => withRange(before, range), [before, range]);
  const colours = useOwnColours(common, "both");
  const own = useOwnColours(distance, "difference");
  const [ours, theirs, apart] = [
    useWindows(size, (request, stop) => sideWindow(pair, "before", before.address, { ...slice, ...request }, stop)),
    useWindows(size, (request, stop) => sideWindow(pair, "after", after.address, { ...slice, ...request }, stop)),
    useWindows(size, (request, stop) =>
      differenceWindow(pair, { address: before.address, other: after.address }, slice, request, stop),
    ),
  ];
  const said = place && wordsAt({ before, after, distance }, [ours, theirs, apart], slice, place);
  const shared = { slice, place, setPlace, worst: row.worst?.index };
  return html`<div class="compare-pictures">
      <${Map} title=${pair.before.title} windows=${ours} summary=${before} colourScale=${colours.colourScale} ...${shared} />
      <${Map} title=${pair.after.title} windows=${theirs} summary=${after} colourScale=${colours.colourScale} ...${shared} />
      <${Map} title="|difference|" windows=${apart} summary=${distance} colourScale=${own.colourScale} ...${shared} />
    </div>
    <p class="compare-readout"><output aria-live=${place?.by === "keys" ? "polite" : "off"}>${said ?? html`<span class="quiet">Both runs in the colours of ${short(Number(range.min))} … ${short(Number(range.max))}${reachWords(distance)}. Point at an element to read it.</span>`}</output></p>`;
}

/** The range of the difference; null if it is never a number. @param {ValueSummary} distance @returns {string} */
function reachWords({ statistics }) {
  const most = Number(statistics?.max ?? 0);
  return Number.isFinite(most) ? `; the difference goes up to ${short(most)}` : "; no difference is a finite number";
}

/** The slice of the last two axes that contains the worst element. @param {number[]} shape @param {number[]} [index] @returns {Slice} */
function sliceAt(shape, index) {
  const slice = defaultSlice(shape);
  return index?.length === shape.length ? { ...slice, at: index } : slice;
}

/** @param {Slice} slice @param {number[]} shape */
function sizeOf(slice, shape) {
  const [height, width] = pictureSize(slice, shape);
  return { height, width };
}

/** @param {{height: number, width: number}} size @param {(request: Request, stop: AbortSignal) => Promise<import("../../core/view_types.js").ValueWindow>} load @returns {Windows} */
function useWindows(size, load) {
  const arrived = useRef(() => {});
  const source = useMemo(() => new WindowSource(size, load, () => arrived.current()), []);
  useEffect(() => () => source.close(), [source]);
  return { source, arrived };
}

/** An element in both runs, and its error. @param {{before: ValueSummary, after: ValueSummary, distance: ValueSummary}} summaries @param {Windows[]} windows @param {Slice} slice @param {Place} place @returns {string|null} */
function wordsAt({ before, after, distance }, windows, slice, { row, column }) {
  const found = [before, after, distance].map((summary, at) =>
    readout({ source: /** @type {Windows} */ (windows[at]).source, summary, layout: { slice, fold: 0 } }, row, column),
  );
  const [one, other, apart] = found;
  if (!one || !other || !apart) return null;
  return `${one.index}: ${one.value} → ${other.value}, |difference| ${apart.value}`;
}

/**
 * @param {{title: string, windows: Windows, summary: ValueSummary, colourScale: import("../../drawing/paint.js").ColourScale,
 *   slice: Slice, place: Place|null, setPlace: (place: Place|null) => void, worst?: number[]}} props
 */
function Map({ title, windows, summary, colourScale, slice, setPlace, worst }) {
  const { frame, canvas, map } = useHeatMap({
    ...windows,
    ...{ summary, colourScale, names: namesOfAxes(slice), onPlace: setPlace },
  });
  const goToWorst = () => {
    const at = worst && placeInPicture(worst, { slice, fold: 0 });
    if (at) map.current?.moveCursor(at.row, at.column);
  };
  return html`<figure><figcaption>${title}${worst && html` <button class="link" title="Move the cursor to the worst element" onClick=${goToWorst}>worst</button>`}</figcaption>
    <div class="tensor-frame" ref=${frame} tabindex="0" role="application" aria-roledescription="heat map" aria-label=${`${title}: heat map, ${summary.type}`}><canvas ref=${canvas}></canvas></div></figure>`;
}
