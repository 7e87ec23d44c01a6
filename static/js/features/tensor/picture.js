/** The heat map with its readout; the canvas itself is driven by `HeatMap`. */
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { axisName, indexAt } from "../../core/tensor/axes.js";
import { hasOtherOrder } from "../../core/tensor/memory_layout.js";
import { HeatMap } from "../../drawing/heat_map.js";
import { listen } from "../../drawing/heat_map_gestures.js";
import { Spoken } from "../../ui/spoken.js";
import { redrawWithTheme } from "../../ui/canvas.js";
import { useColours } from "./colour_scale.js";
import { cursorTarget, takeCursorTarget } from "./cursor_target.js";
import { copyText } from "./export.js";
import { ColourLegend } from "./legend.js";
import { onBadElement, OriginButton } from "./nonfinite.js";
import { readout } from "./readout.js";
import { toggleOrder, turnsOrder } from "./settings.js";

/** @typedef {import("./recorded_value.js").Known} Known */
/** @typedef {import("./settings.js").Layout} Layout */
/** @typedef {import("../../core/types.js").ValueSummary} ValueSummary */
/** @typedef {import("../../drawing/paint.js").ColourScale} ColourScale */
/** @typedef {{source: import("../../core/tensor/window_source.js").WindowSource, arrived: {current: () => void}}} Windows */

/** @param {{known: Known, layout: Layout, change: (layout: Layout) => void, windows: Windows, canvas: {current: HTMLCanvasElement|null}}} props */
export function Picture({ known, layout, change, windows, canvas }) {
  const { summary, selected } = known;
  const { source } = windows;
  const colours = useColours(known);
  const { colourScale } = colours;
  const { frame, map, place, status, arrivals } = useHeatMap(canvas, { summary, layout, windows, colourScale });
  useEffect(() => {
    const at = takeCursorTarget(selected, layout, change);
    if (at) map.current?.moveCursor(at.row, at.column);
  }, [source, cursorTarget.value]);
  const said = useMemo(
    () => place && readout({ source, summary, layout }, place.row, place.column),
    [place, source, arrivals],
  );
  // Of the element that one stands on: the button would be gone before the pointer is there.
  const bad = place?.by === "keys" && said?.exact && isNonfinite(said.value) ? elementIn(layout, place) : null;
  useEffect(() => {
    onBadElement.value = bad !== null;
    return () => void (onBadElement.value = false);
  }, [bad === null]);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (turnsOrder(event, summary)) return toggleOrder();
    if (said && (event.ctrlKey || event.metaKey) && event.key === "c") return void copyText(said.value);
  };
  return html`<div class="tensor-frame" ref=${frame} tabindex="0" role="application" aria-roledescription="heat map" onKeyDown=${onKey}
      aria-label=${`Heat map of ${selected.name}, ${summary.type}`} aria-describedby="tensor-summary tensor-keys">
      <canvas ref=${canvas}></canvas>
    </div>
    <p id="tensor-summary" class="hidden">${summary.text}.</p>
    <p id="tensor-keys" class="hidden">Arrow keys move to an element and read it. Plus and minus zoom, 0 shows everything, Enter goes near, Ctrl+C copies.${hasOtherOrder(summary.layout, summary.shape) && " O turns to the order of memory and back."}</p>
    <${ReadoutLine} name=${selected.name} said=${said} place=${place} status=${status} source=${source} map=${map}>
      ${bad && html`<${OriginButton} known=${known} index=${bad} />`}<//>
    <${ColourLegend} summary=${summary} colours=${colours} binned=${(status?.level ?? 0) > 0} />`;
}

/**
 * The heat map on the canvas, where its cursor is, what it is doing, and a number that grows with each window that has come.
 *
 * @param {{current: HTMLCanvasElement|null}} canvas
 * @param {{summary: ValueSummary, layout: Layout, windows: Windows, colourScale: ColourScale}} shown
 */
function useHeatMap(canvas, { summary, layout, windows: { source, arrived }, colourScale }) {
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  const map = useRef(/** @type {HeatMap|null} */ (null));
  const [place, setPlace] = useState(/** @type {import("../../drawing/heat_map.js").Place|null} */ (null));
  const [status, setStatus] = useState(/** @type {import("../../drawing/heat_map.js").Status|null} */ (null));
  const [arrivals, setArrivals] = useState(0);
  useLayoutEffect(() => {
    if (!canvas.current || !frame.current) return undefined;
    const made = new HeatMap(canvas.current, {
      place: setPlace,
      status: (next) => setStatus((old) => (sameStatus(old, next) ? old : next)),
    });
    map.current = made;
    const ends = [listen(frame.current, canvas.current, made), redrawWithTheme(map), () => made.close()];
    return () => ends.forEach((end) => end());
  }, []);
  useLayoutEffect(() => {
    arrived.current = () => {
      map.current?.redraw();
      setArrivals((count) => count + 1);
    };
    const { elementType, wire } = summary;
    map.current?.show({ source, colourScale, elementType, wire, names: axisNames(layout, summary) });
  }, [source, colourScale]);
  return { frame, map, place, status, arrivals };
}

/** @param {string} text of an element @returns {boolean} */
const isNonfinite = (text) => /NaN|Inf/.test(text);

/** @param {Layout} layout @param {import("../../drawing/heat_map.js").Place} place @returns {number[]} */
const elementIn = ({ slice, fold }, { row, column }) =>
  fold > 0 ? [row * fold + column] : indexAt(slice, row, column);

/** Axis names on the rulers; a folded vector has none that mean something. @param {Layout} layout @param {import("../../core/types.js").ValueSummary} summary */
function axisNames({ slice, fold }, { lanes }) {
  const name = (/** @type {number} */ axis) =>
    axis < 0 || fold > 0 ? "" : axisName(axis, lanes).replace("lane ", "l");
  return { rows: name(slice.rows), columns: name(slice.columns) };
}

/** @param {import("../../drawing/heat_map.js").Status|null} a @param {import("../../drawing/heat_map.js").Status} b */
function sameStatus(a, b) {
  return (
    a !== null &&
    a.level === b.level &&
    a.fitted === b.fitted &&
    a.busy === b.busy &&
    a.error === b.error &&
    a.cell.x === b.cell.x
  );
}

/**
 * @param {{name: string, said: import("./readout.js").Readout|null, place: import("../../drawing/heat_map.js").Place|null,
 *   status: import("../../drawing/heat_map.js").Status|null, source: Windows["source"], map: {current: HeatMap|null}, children?: import("preact").ComponentChildren}} props
 */
function ReadoutLine({ name, said, place, status, source, map, children }) {
  const where = said && said.offset !== null ? `  offset ${said.offset.toLocaleString("en")} in memory` : "";
  const text = said ? `${name}${said.index} ${said.exact ? "=" : ":"} ${said.value}${where}` : "";
  return html`<div class="tensor-readout">
    <output aria-live="off">${text || html`<span class="quiet">${hint(status)}</span>`}</output>
    <${Spoken} text=${place?.by === "keys" ? text : ""} />
    ${status?.error ? html`<button class="plain" onClick=${() => source.retry()}>Try again</button>` : null}
    ${children}<${ZoomButtons} map=${map} status=${status} />
  </div>`;
}

/** @param {{map: {current: HeatMap|null}, status: import("../../drawing/heat_map.js").Status|null}} props */
export function ZoomButtons({ map, status }) {
  return html`<span class="tensor-zoom" role="group" aria-label="Zoom">
      <button aria-label="Zoom out" disabled=${status?.fitted} onClick=${() => map.current?.zoom(1 / 2)}>−</button>
      <button title="Show the whole tensor (0)" onClick=${() => map.current?.fit()} disabled=${status?.fitted}>Fit</button>
      <button aria-label="Zoom in" onClick=${() => map.current?.zoom(2)}>+</button>
    </span>`;
}

/** @param {import("../../drawing/heat_map.js").Status|null} status @returns {string} */
function hint(status) {
  if (status?.error)
    return status.error instanceof Error ? status.error.message : "This part of the value could not be fetched.";
  if (status?.busy) return "Fetching …";
  if (status && status.level > 0)
    return `Each pixel covers ${2 ** status.level} × ${2 ** status.level} elements. Zoom in to see single elements.`;
  return "Point at an element, or move to it with the arrow keys.";
}
