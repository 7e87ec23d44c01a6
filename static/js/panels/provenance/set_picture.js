/** A small picture of a tensor in which some elements are lit. */
import { html } from "htm/preact";
import { countOf } from "../../tensor/axes.js";
import { rectanglesOf } from "../../provenance/sets.js";

const WIDEST = 72;
const HIGHEST = 36;
const SMALLEST = 6;

/** @param {{set: import("../../provenance/sets.js").WireSet}} props */
export function SetPicture({ set }) {
  const picture = pictureOf(set.shape);
  const lit = rectanglesOf(set, picture);
  return html`<svg class="set-picture" width=${picture.width} height=${picture.height} viewBox=${`0 0 ${picture.width} ${picture.height}`} aria-hidden="true">
    <rect class="whole" width=${picture.width} height=${picture.height} />
    ${lit.map(({ x, y, width, height }, number) => html`<rect key=${number} class="lit" x=${x} y=${y} width=${width} height=${height} />`)}
  </svg>`;
}

/** As wide and as high as the tensor is, within what a line has room for. @param {number[]} shape */
function pictureOf(shape) {
  const columns = Math.max(1, shape.at(-1) ?? 1);
  const rows = Math.max(1, countOf(shape.slice(0, -1)));
  const scale = Math.min(WIDEST / columns, HIGHEST / rows, 9);
  const fit = (/** @type {number} */ count, /** @type {number} */ most) => Math.min(most, Math.max(SMALLEST, Math.round(count * scale)));
  return { width: fit(columns, WIDEST), height: fit(rows, HIGHEST) };
}
