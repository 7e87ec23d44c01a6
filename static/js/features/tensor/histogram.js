/** The histogram of a value over its colour bar; bins can be selected, which marks their elements in the picture. */
import { signal } from "@preact/signals";
import { html } from "htm/preact";
import { useMemo } from "preact/hooks";
import { countText, short } from "../../core/tensor/elements.js";
import { followPointer } from "../../drawing/heat_map_gestures.js";
import { shareAt } from "../../ui/acts.js";
import { placer, reader } from "../../drawing/scale.js";

const [WIDTH, HEIGHT] = [240, 28];
/** Minimum width of a bar, in units of the picture. */
const THINNEST = 1;

/** Maximum share of a bar: bins have equal widths, and on a logarithmic scale the first may cover nearly everything. */
const TELLING = 0.6;

/** @typedef {NonNullable<import("../../core/types.js").ValueSummary["histogram"]>} Counts */

/** The selected bins of a value: the first and the last. */
export const brushed = signal(/** @type {{address: string, anchor: number, end: number}|null} */ (null));

/** The selected bins of a value, in order; null without any. @param {string} address @returns {[number, number]|null} */
function binsOf(address) {
  const bins = brushed.value;
  if (bins?.address !== address) return null;
  return [Math.min(bins.anchor, bins.end), Math.max(bins.anchor, bins.end)];
}

/** Colours in which elements outside the selected bins are pale. @param {import("../../drawing/paint.js").ColourScale} colourScale @param {import("../../core/types.js").ValueSummary} summary */
export function useBrush(colourScale, { address, histogram }) {
  const [first, last] = binsOf(address) ?? [-1, -1];
  return useMemo(() => {
    if (first < 0 || !histogram) return colourScale;
    const isLast = last + 1 === histogram.edges.length - 1;
    const high = isLast ? Infinity : Number(histogram.edges[last + 1]);
    return { ...colourScale, brush: { low: Number(histogram.edges[first]), high } };
  }, [colourScale, first, last, histogram]);
}

/** `1,234 of 4,096 elements from 0.5 to 0.75`, and a button that ends the selection. @param {{address: string, histogram: Counts|null, otherwise: string}} props */
export function BrushWords({ address, histogram, otherwise }) {
  const bins = binsOf(address);
  const text = bins && histogram ? brushText(histogram, bins) : "";
  return html`<span role="status">${text}</span>${text ? html` <button class="link" onClick=${() => (brushed.value = null)}>Clear</button>` : otherwise}`;
}

/** @param {Counts} histogram @param {[number, number]} bins @returns {string} */
export function brushText({ counts, edges }, [first, last]) {
  const sum = (/** @type {number[]} */ some) => some.reduce((all, count) => all + count, 0);
  const [found, all] = [sum(counts.slice(first, last + 1)), sum(counts)];
  return `${countText(found)} of ${countText(all)} finite elements from ${short(edges[first], 4)} to ${short(edges[last + 1], 4)}`;
}

/** @param {{histogram: Counts|null, scale: import("../../drawing/scale.js").Scale, address: string}} props */
export function Histogram({ histogram, scale, address }) {
  if (!histogram || histogram.counts.length < 2 || scale.cyclic) return null;
  const found = barsOf(histogram, scale);
  if (found.some(({ width }) => width > TELLING * WIDTH)) return null;
  const bins = binsOf(address);
  const isChosen = (/** @type {number} */ bin) => bins !== null && bin >= bins[0] && bin <= bins[1];
  const bars = found.map(
    ({ x, width, height, title, bin }) =>
      html`<rect key=${title} class=${isChosen(bin) ? "chosen" : ""} x=${x} y=${HEIGHT - height} width=${width} height=${height}><title>${title}</title></rect>`,
  );
  const at = reader(scale);
  const under = (/** @type {PointerEvent} */ event) => binUnder(histogram, at(shareAt(event)));
  const drag = (/** @type {PointerEvent} */ event) => {
    if (event.button !== 0) return;
    const anchor = under(event);
    brushed.value = { address, anchor, end: anchor };
    const histogram = /** @type {HTMLElement} */ (event.currentTarget);
    followPointer(histogram, event, (moved) => (brushed.value = { address, anchor, end: under(moved) }));
  };
  return html`<div class="tensor-histogram" tabindex="0" role="application" aria-roledescription="histogram" aria-label="Select bins" title="Drag over the histogram to mark its elements in the picture"
      onPointerDown=${drag} onKeyDown=${(/** @type {KeyboardEvent} */ event) => onKey(event, address, histogram.counts.length)}>
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${histogramWords(histogram)}>${bars}</svg></div>`;
}

/** Arrow keys select a bin, with Shift a range; Escape ends the selection. @param {KeyboardEvent} event @param {string} address @param {number} count of bins */
function onKey(event, address, count) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const now = brushed.value?.address === address ? brushed.value : null;
  if (event.key === "Escape" && now) brushed.value = null;
  else if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
  else {
    const end = now ? Math.min(count - 1, Math.max(0, now.end + by)) : by > 0 ? 0 : count - 1;
    brushed.value = { address, anchor: event.shiftKey && now ? now.anchor : end, end };
  }
  event.preventDefault();
  event.stopPropagation();
}

/** The bin that holds a number, else the nearest. @param {Counts} histogram @param {number} number @returns {number} */
export function binUnder({ edges, counts }, number) {
  const above = edges.findIndex((edge) => Number(edge) > number);
  return Math.min(counts.length - 1, Math.max(0, (above < 0 ? edges.length : above) - 1));
}

/**
 * A bar per bin, above its colours; bins outside the scale are omitted.
 *
 * @param {Counts} histogram @param {import("../../drawing/scale.js").Scale} scale
 */
export function barsOf({ counts, edges }, scale) {
  const place = placer(scale);
  const within = (/** @type {unknown} */ edge) => Math.min(1, Math.max(0, placeOf(place(Number(edge))))) * WIDTH;
  const most = Math.max(...counts);
  return counts.flatMap((count, bin) => {
    const [from, to] = [within(edges[bin]), within(edges[bin + 1])];
    if (count === 0 || (from === to && (from === 0 || from === WIDTH))) return [];
    const width = Math.max(THINNEST, to - from);
    const title = `${short(edges[bin], 4)} to ${short(edges[bin + 1], 4)}: ${countText(count)}`;
    const height = Math.max(1, (count / most) * HEIGHT);
    return [{ x: Math.min(from, WIDTH - width), width, height, title, bin }];
  });
}

/** A logarithmic scale has no position for 0 and negative numbers. @param {number} place @returns {number} */
const placeOf = (place) => (Number.isNaN(place) ? 0 : place);

/** @param {Counts} histogram @returns {string} */
function histogramWords({ counts, edges }) {
  const most = Math.max(...counts);
  const fullest = counts.indexOf(most);
  const [low, high] = [short(edges[0], 3), short(edges[edges.length - 1], 3)];
  return `Histogram from ${low} to ${high}; most elements, ${countText(most)}, lie between ${short(edges[fullest], 3)} and ${short(edges[fullest + 1], 3)}.`;
}
