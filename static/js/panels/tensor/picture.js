/** The heat map with its readout; the canvas itself is driven by `HeatMap`. */
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { axisName } from "../../tensor/axes.js";
import { automaticMap, isDiverging, lookupTable } from "../../tensor/colours.js";
import { kindOf } from "../../tensor/elements.js";
import { hasOtherOrder } from "../../tensor/memory.js";
import { scaleFor } from "../../tensor/scale.js";
import { placeInPicture, takeWanted, wantedElement } from "../../grid/element_wanted.js";
import { copyText } from "./export.js";
import { listen } from "./gestures.js";
import { HeatMap } from "./heat_map.js";
import { Legend } from "./legend.js";
import { readout } from "./readout.js";
import { coloursOpen, look, toggleOrder, turnsOrder } from "./settings.js";
import { ColourControls } from "./controls.js";

/** @typedef {import("./use.js").Known} Known */
/** @typedef {import("./settings.js").Layout} Layout */
/** @typedef {{source: import("../../tensor/source.js").WindowSource, arrived: {current: () => void}}} Windows */

/** @param {{known: Known, layout: Layout, windows: Windows, canvas: {current: HTMLCanvasElement|null}}} props */
export function Picture({ known, layout, windows, canvas }) {
  const { summary, selected } = known;
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  const map = useRef(/** @type {HeatMap|null} */ (null));
  const [place, setPlace] = useState(/** @type {import("./heat_map.js").Place|null} */ (null));
  const [status, setStatus] = useState(/** @type {import("./heat_map.js").Status|null} */ (null));
  const [arrivals, setArrivals] = useState(0);
  const ink = useInk(known);
  const { source, arrived } = windows;

  useEffect(() => {
    if (!canvas.current || !frame.current) return undefined;
    const made = new HeatMap(canvas.current, { place: setPlace, status: (next) => setStatus((old) => (sameStatus(old, next) ? old : next)) });
    map.current = made;
    const stop = listen(frame.current, canvas.current, made);
    return () => {
      stop();
      made.close();
    };
  }, []);

  useEffect(() => {
    arrived.current = () => {
      map.current?.redraw();
      setArrivals((count) => count + 1);
    };
    map.current?.show({ source, ink, elementType: summary.elementType, wire: summary.wire, names: axisNames(layout, summary) });
  }, [source, ink]);

  useEffect(() => redrawWithTheme(map), []);

  useEffect(() => {
    const wanted = takeWanted(selected);
    const at = wanted && placeInPicture(wanted, layout);
    if (at) map.current?.moveCursor(at.row, at.column);
  }, [source, wantedElement.value]);

  const said = useMemo(() => place && readout({ source, summary, layout }, place.row, place.column), [place, source, arrivals]);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (turnsOrder(event, summary)) return toggleOrder();
    if (said && (event.ctrlKey || event.metaKey) && event.key === "c") return void copyText(said.value);
  };
  const kind = kindOf(summary.elementType, summary.wire);
  return html`<div class="tensor-frame" ref=${frame} tabindex="0" role="application" aria-roledescription="heat map" onKeyDown=${onKey}
      aria-label=${`Heat map of ${selected.name}, ${summary.type}`} aria-describedby="tensor-keys">
      <canvas ref=${canvas}></canvas>
    </div>
    <p id="tensor-keys" class="hidden">Arrow keys move to an element and read it. Plus and minus zoom, 0 shows everything, Enter goes near, Ctrl+C copies.${hasOtherOrder(summary.layout, summary.shape) && " O turns to the order of memory and back."}</p>
    <${ReadoutLine} name=${selected.name} said=${said} place=${place} status=${status} source=${source} map=${map} />
    <div class="tensor-legend"><${Legend} ink=${ink} kind=${kind} statistics=${summary.statistics} />
      <span class="spring"></span>
      ${kind !== "boolean" && html`<button aria-expanded=${coloursOpen.value} onClick=${() => (coloursOpen.value = !coloursOpen.value)}>Colours ${coloursOpen.value ? "▴" : "▾"}</button>`}
    </div>
    ${coloursOpen.value && html`<${ColourControls} kind=${kind} binned=${(status?.level ?? 0) > 0} />`}`;
}

/** Axis names on the rulers; a folded vector has none that mean something. @param {Layout} layout @param {import("../../types.js").ValueSummary} summary */
function axisNames({ slice, fold }, { lanes }) {
  const name = (/** @type {number} */ axis) => (axis < 0 || fold > 0 ? "" : axisName(axis, lanes).replace("lane ", "l"));
  return { rows: name(slice.rows), columns: name(slice.columns) };
}

/** The colours of a value. @param {Known} known @returns {import("../../tensor/paint.js").Ink} */
export function useInk({ summary }) {
  const chosen = look.value;
  return useMemo(() => {
    const kind = kindOf(summary.elementType, summary.wire);
    const scale = scaleFor(summary.statistics, kind, chosen, chosen.part);
    const name = mapName(kind, scale, chosen.map);
    const centred = isDiverging(name) && !scale.diverging && chosen.range !== "fixed" ? aroundZero(scale) : scale;
    return { table: lookupTable(name), scale: centred, part: chosen.part, bins: chosen.bins, categories: name === "categories" };
  }, [summary, chosen]);
}

/** @param {import("../../tensor/elements.js").Kind} kind @param {import("../../tensor/scale.js").Scale} scale @param {import("./settings.js").Look["map"]} chosen */
function mapName(kind, scale, chosen) {
  if (chosen === "auto" || kind === "boolean" || scale.cyclic) return automaticMap(kind, scale);
  return chosen === "categories" && kind !== "integer" ? automaticMap(kind, scale) : chosen;
}

/** The middle of a diverging map means 0, also for values of one sign. @param {import("../../tensor/scale.js").Scale} scale */
function aroundZero(scale) {
  const reach = Math.max(Math.abs(scale.low), Math.abs(scale.high)) || 1;
  const shape = scale.shape === "log" ? /** @type {const} */ ("arcsinh") : scale.shape;
  return { ...scale, low: -reach, high: reach, shape, diverging: true };
}

/** @param {import("./heat_map.js").Status|null} a @param {import("./heat_map.js").Status} b */
function sameStatus(a, b) {
  return a !== null && a.level === b.level && a.whole === b.whole && a.busy === b.busy && a.error === b.error && a.cell.x === b.cell.x;
}

/** @param {{current: HeatMap|null}} map @returns {() => void} */
export function redrawWithTheme(map) {
  const redraw = () => map.current?.redraw();
  const watcher = new MutationObserver(redraw);
  watcher.observe(document.documentElement, { attributes: true });
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", redraw);
  return () => {
    watcher.disconnect();
    system.removeEventListener("change", redraw);
  };
}

/**
 * @param {{name: string, said: import("./readout.js").Readout|null, place: import("./heat_map.js").Place|null,
 *   status: import("./heat_map.js").Status|null, source: Windows["source"], map: {current: HeatMap|null}}} props
 */
function ReadoutLine({ name, said, place, status, source, map }) {
  const where = said && said.offset !== null ? `  offset ${said.offset.toLocaleString("en")} in memory` : "";
  const text = said ? `${name}${said.index} ${said.exact ? "=" : ":"} ${said.value}${where}` : "";
  return html`<div class="tensor-readout">
    <output aria-live=${place?.by === "keys" ? "polite" : "off"}>${text || html`<span class="quiet">${hint(status)}</span>`}</output>
    ${status?.error ? html`<button class="plain" onClick=${() => source.retry()}>Try again</button>` : null}
    <span class="tensor-zoom" role="group" aria-label="Zoom">
      <button aria-label="Zoom out" disabled=${status?.whole} onClick=${() => map.current?.zoom(1 / 2)}>−</button>
      <button onClick=${() => map.current?.fit()} disabled=${status?.whole}>Whole</button>
      <button aria-label="Zoom in" onClick=${() => map.current?.zoom(2)}>+</button>
    </span>
  </div>`;
}

/** @param {import("./heat_map.js").Status|null} status @returns {string} */
function hint(status) {
  if (status?.error) return status.error instanceof Error ? status.error.message : "This part of the value could not be fetched.";
  if (status?.busy) return "Fetching …";
  if (status && status.level > 0) return `Each pixel stands for ${2 ** status.level} × ${2 ** status.level} elements. Zoom in for single ones.`;
  return "Point at an element, or move to it with the arrow keys.";
}
