/** The heat map with its readout; `HeatMap` controls the canvas. */
import { countText } from "../../core/tensor/elements.js";
import { html } from "htm/preact";
import { useEffect, useMemo } from "preact/hooks";
import { isComputed } from "../../core/addresses.js";
import { hasOtherOrder } from "../../core/tensor/memory_layout.js";
import { standOn, stepIntoElement } from "../../core/view_actions.js";
import { isFile } from "../../core/source.js";
import { Spoken } from "../../ui/spoken.js";
import { namesOfAxes, useHeatMap } from "../../ui/use_heat_map.js";
import { Bits } from "./bits.js";
import { useColours } from "./colour_scale.js";
import { cursorTarget, takeCursorTarget } from "./cursor_target.js";
import { copyText } from "../../ui/export.js";
import { useBrush } from "./histogram.js";
import { ColourLegend } from "./legend.js";
import { useLinked } from "./linked.js";
import { useMarks } from "./marks.js";
import { onBadElement } from "./nonfinite.js";
import { OriginButton } from "./origin.js";
import { elementIn, readout } from "./readout.js";
import { exactElement } from "../../core/tensor/window_source.js";
import { toggleOrder, turnsOrder } from "./settings.js";
import { StepInButton, stepsInto } from "./step_in.js";
/** @import {Layout} from "../../core/tensor/axes.js" */
/** @import {ValueSummary} from "../../core/types.js" */
/** @import {ColourScale} from "../../drawing/paint.js" */
/** @import {Known} from "./recorded_value.js" */

/** @typedef {{source: import("../../core/tensor/window_source.js").WindowSource, arrived: {current: () => void}}} Windows */

/** @param {{known: Known, layout: Layout, change: (layout: Layout) => void, windows: Windows, canvas: {current: HTMLCanvasElement|null}, beside?: import("preact").ComponentChild}} props  beside: drawn beside the heat map */
export function Picture({ known, layout, change, windows, canvas, beside }) {
  const { summary, selected } = known;
  const { source } = windows;
  const colours = useColours(known);
  const colourScale = useBrush(colours.colourScale, summary);
  const { frame, map, place, status, arrivals } = useHeatMap({
    ...windows,
    canvas,
    summary,
    colourScale,
    names: axisNames(layout, summary),
  });
  useMarks(map, selected, layout);
  useLinked(map, summary.shape, layout, place);
  useEffect(() => {
    const at = takeCursorTarget(selected, layout, change);
    if (at) map.current?.moveCursor(at.row, at.column);
  }, [source, cursorTarget.value]);
  const said = useMemo(
    () => place && readout({ source, summary, layout }, place.row, place.column),
    [place, source, arrivals],
  );
  const stands = place?.by === "keys" && said ? elementIn(layout, place).join() : "";
  useEffect(() => {
    standOn(selected.address, stands === "" ? null : stands.split(",").map(Number));
  }, [stands, selected.address]);
  // For the element at the cursor: under the pointer, a button would be gone before the pointer reaches it.
  const bad = place?.by === "keys" && said?.exact && isNonfinite(said.value) ? elementIn(layout, place) : null;
  useEffect(() => {
    onBadElement.value = bad !== null;
    return () => void (onBadElement.value = false);
  }, [bad === null]);
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    if (turnsOrder(event, summary)) return toggleOrder();
    if (stands !== "" && stepsInto(event) && !isComputed(selected.address))
      return stepIntoElement(selected, stands.split(",").map(Number));
    if (said && (event.ctrlKey || event.metaKey) && event.key === "c") return void copyText(said.value);
  };
  return html`<div class="tensor-pictures"><div><div class="tensor-frame" ref=${frame} tabindex="0" role="application" aria-roledescription="heat map" onKeyDown=${onKey}
      aria-label=${`Heat map of ${selected.name}, ${summary.type}`} aria-describedby="tensor-summary tensor-keys">
      <canvas ref=${canvas}></canvas>
    </div></div>${beside}</div>
    <p id="tensor-summary" class="hidden">${summary.text}.</p>
    <p id="tensor-keys" class="hidden">Arrow keys move to an element and read it. Plus and minus zoom, 0 shows everything, Enter goes near, ${isFile() ? "" : "Shift+Enter steps into the element, "}Ctrl+C copies.${hasOtherOrder(summary.layout, summary.shape) && " O turns to the order of memory and back."}</p>
    <${ReadoutLine} name=${selected.name} said=${said} place=${place} status=${status} source=${source} map=${map}>
      ${bad && html`<${OriginButton} known=${known} index=${bad} />`}
      ${stands !== "" && said?.exact && html`<${StepInButton} selected=${selected} index=${stands.split(",").map(Number)} />`}<//>
    <${Bits} known=${known} element=${place && exactElement({ source, wire: summary.wire }, place.row, place.column)} index=${place && elementIn(layout, place)} />
    <${ColourLegend} summary=${summary} colours=${colours} binned=${(status?.level ?? 0) > 0} />`;
}

/** @param {string} text of an element @returns {boolean} */
const isNonfinite = (text) => /NaN|Inf/.test(text);

/** A folded vector has no meaningful axes. @param {Layout} layout @param {ValueSummary} summary */
const axisNames = ({ slice, fold }, { lanes }) => (fold > 0 ? { rows: "", columns: "" } : namesOfAxes(slice, lanes));

/**
 * @param {{name: string, said: import("./readout.js").Readout|null, place: import("../../drawing/heat_map.js").Place|null,
 *   status: import("../../drawing/heat_map.js").Status|null, source: Windows["source"], map: {current: import("../../drawing/heat_map.js").HeatMap|null}, children?: import("preact").ComponentChildren}} props
 */
function ReadoutLine({ name, said, place, status, source, map, children }) {
  const where = said && said.offset !== null ? `  offset ${countText(said.offset)} in memory` : "";
  const text = said ? `${name}${said.index} ${said.exact ? "=" : ":"} ${said.value}${where}` : "";
  return html`<div class="tensor-readout">
    <output aria-live="off">${text || html`<span class="quiet">${hint(status)}</span>`}</output>
    <${Spoken} text=${place?.by === "keys" ? text : ""} />
    ${status?.error ? html`<button class="plain" onClick=${() => source.retry()}>Try again</button>` : null}
    ${children}<${ZoomButtons} map=${map} status=${status} />
  </div>`;
}

/** @param {{map: {current: import("../../drawing/heat_map.js").HeatMap|null}, status: import("../../drawing/heat_map.js").Status|null}} props */
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
  if (status?.busy) return "Fetching…";
  if (status && status.level > 0)
    return `Each pixel covers ${2 ** status.level} × ${2 ** status.level} elements. Zoom in to see single elements.`;
  return "Point at an element, or move to it with the arrow keys.";
}
