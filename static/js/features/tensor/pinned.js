/** The pinned values beside the selected one: a heat map each, with linked cursors, zoom and position. */
import { html } from "htm/preact";
import { isAnythingHidden } from "../../core/hidden_values.js";
import { pins, shownInstead, subtract, unpin } from "../../core/tensor/compared.js";
import { namesOfAxes, useHeatMap } from "../../ui/use_heat_map.js";
import { useColours } from "./colour_scale.js";
import { placeInPicture } from "./cursor_target.js";
import { isShown, useLinked } from "./linked.js";
import { readout } from "./readout.js";
import { useSource, useSummary } from "./recorded_value.js";
import { axesInMemory, layoutOf } from "./settings.js";
/** @import {Layout} from "../../core/tensor/axes.js" */
/** @import {Pin} from "../../core/tensor/compared.js" */
/** @import {Known} from "./recorded_value.js" */

/** @param {{known: Known, layout: Layout}} props  of the selected value */
export function PinnedValues({ known, layout }) {
  if (pins.value.length === 0 || isAnythingHidden()) return null;
  return pins.value.map((pin) => html`<${PinnedValue} key=${pin.id} pin=${pin} main=${known} mainLayout=${layout} />`);
}

/** @param {{pin: Pin, main: Known, mainLayout: Layout}} props */
function PinnedValue({ pin, main, mainLayout }) {
  const { known, error, retry } = useSummary(pin.key, pin.selected);
  const message = error instanceof Error ? error.message : "";
  return html`<figure class="tensor-pin" aria-label=${`Pinned: ${pin.selected.name}, ${pin.where}`}>
    <${Caption} pin=${pin} />
    ${error && html`<p class="quiet" role="alert">${message} <button class="plain" onClick=${retry}>Try again</button></p>`}
    ${known && !error && known.summary.shape && known.summary.count > 0 && html`<${Shown} known=${known} main=${main} mainLayout=${mainLayout} />`}
  </figure>`;
}

/** @param {{pin: Pin}} props */
function Caption({ pin }) {
  const shown = shownInstead.value;
  const isSubtracted = shown?.kind === "difference" && shown.pin === pin;
  const toggle = () => (isSubtracted ? (shownInstead.value = null) : subtract(pin));
  const { name } = pin.selected;
  return html`<figcaption><code class="name" title=${name}>${name}</code> <span class="quiet">${pin.where}</span><span class="spring"></span>
    <button aria-pressed=${isSubtracted} title=${`Show the selected value minus ${name}`} onClick=${toggle}>Subtract</button>
    <button aria-label=${`Unpin ${name}, ${pin.where}`} title="Unpin" onClick=${() => unpin(pin)}>×</button></figcaption>`;
}

/** @param {{known: Known, main: Known, mainLayout: Layout}} props */
function Shown({ known, main, mainLayout }) {
  const { summary, selected } = known;
  const isLike = summary.shape.join() === main.summary.shape.join();
  const own = layoutOf(`${selected.value} ${selected.name}`, summary.shape, axesInMemory(summary));
  const layout = isLike ? mainLayout : own;
  const windows = useSource(known, layout);
  const { colourScale } = useColours(known);
  const names = layout.fold > 0 ? { rows: "", columns: "" } : namesOfAxes(layout.slice, summary.lanes);
  const { frame, canvas, map, place, arrivals } = useHeatMap({ ...windows, summary, colourScale, names });
  const at = useLinked(map, summary.shape, layout, place);
  const where = place ?? (at && isShown(at, layout) ? placeInPicture(at, layout) : null);
  const said =
    where && arrivals >= 0 ? readout({ source: windows.source, summary, layout }, where.row, where.column) : null;
  return html`<div class="tensor-frame" ref=${frame} tabindex="0" role="application" aria-roledescription="heat map"
      aria-label=${`Heat map of ${selected.name}, ${summary.type}`} aria-describedby="tensor-keys"><canvas ref=${canvas}></canvas></div>
    <p class="tensor-pin-readout">${said ? `${said.index} ${said.exact ? "=" : ":"} ${said.value}` : html`<span class="quiet" title=${summary.text}>${summary.text}</span>`}</p>`;
}
