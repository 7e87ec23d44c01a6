/**
 * What belongs together in a tensor of any rank, as it lies in the two dimensions that are shown.
 *
 * @typedef {import("./regions.js").Region} Region
 * @typedef {import("./regions.js").Box} Box
 * @typedef {{low: number[], high: number[]}} Padding  cells beyond the edges of each axis
 * @typedef {{role: "source"|"related"|"idle", region: Region|null, unknown: boolean, ghosts: Box[], padding: Padding|null,
 *   outlines: {box: Box, dashed: boolean, text: string}[], marks: {index: number[], kind: import("./overlay.js").MarkKind, text: string}[]}} Lit
 */
import { heldAxes } from "../tensor/axes.js";
import { noMargin } from "./overlay.js";
import { foldedBlocks, foldedCell, foldedRegion } from "./folding.js";
import { foldedRectangles, rectanglesIn, regionOf } from "./regions.js";

/** @returns {Lit} */
export const unlit = () => ({ role: "idle", region: null, unknown: false, ghosts: [], padding: null, outlines: [], marks: [] });

/** @param {Lit} lit @param {import("./state.js").Layout} layout @param {number[]} shape @returns {import("./overlay.js").Overlay} */
export function overlayOf(lit, layout, shape) {
  const { slice, fold, whole } = layout;
  if (whole) return wholeOverlay(lit, layout, whole, shape);
  const rectangles = lit.region ? rectanglesIn(lit.region, slice) : [];
  if (fold > 0) {
    return { role: lit.role, unknown: lit.unknown, rectangles: foldedRectangles(rectangles, fold), ghosts: [], outlines: [], marks: marksIn(lit, layout), margin: noMargin() };
  }
  return {
    role: lit.role, unknown: lit.unknown, rectangles, ghosts: ghostsIn(lit, slice, shape), marks: marksIn(lit, layout),
    outlines: lit.outlines.flatMap(({ box, dashed, text }) => outlineIn(box, slice, dashed, text)), margin: marginOf(lit.padding, slice),
  };
}

/** Without padding: beyond an edge there the next block begins. @param {Lit} lit @param {import("./state.js").Layout} layout @param {import("./folding.js").Folding} whole @param {number[]} shape @returns {import("./overlay.js").Overlay} */
function wholeOverlay(lit, layout, whole, shape) {
  const outlines = lit.outlines.filter(({ box }) => box.start.every((start, axis) => start >= 0 && start + (box.sizes[axis] ?? 1) <= (shape[axis] ?? 1)));
  return {
    role: lit.role, unknown: lit.unknown, rectangles: lit.region ? foldedRegion(lit.region, whole, shape) : [], ghosts: [], margin: noMargin(),
    marks: lit.marks.map(({ index, kind, text }) => ({ ...foldedCell(whole, shape, index), kind, text })),
    outlines: outlines.flatMap(({ box, dashed, text }) => foldedBlocks(box, whole, shape).map((block, at) => ({ ...block, dashed, text: at === 0 ? text : "" }))),
  };
}

/** @param {Padding|null} padding @param {import("../tensor/axes.js").Slice} slice @returns {import("./overlay.js").Margin} */
function marginOf(padding, { rows, columns }) {
  if (!padding) return noMargin();
  const { low, high } = padding;
  return { top: low[rows] ?? 0, left: low[columns] ?? 0, bottom: high[rows] ?? 0, right: high[columns] ?? 0 };
}

/** Cells beyond the edges; where held axes lie in the padding there is nothing to draw. @param {Lit} lit @param {import("../tensor/axes.js").Slice} slice @param {number[]} shape */
function ghostsIn({ ghosts }, slice, shape) {
  const outside = rectanglesIn(regionOf(shape, ghosts), slice);
  return outside;
}

/** @param {Box} box @param {import("../tensor/axes.js").Slice} slice @param {boolean} dashed @param {string} text @returns {import("./overlay.js").Outline[]} */
function outlineIn({ start, sizes }, slice, dashed, text) {
  const hidden = heldAxes(slice).some((axis) => (slice.at[axis] ?? 0) < (start[axis] ?? 0) || (slice.at[axis] ?? 0) >= (start[axis] ?? 0) + (sizes[axis] ?? 1));
  if (hidden) return [];
  const { rows, columns } = slice;
  return [{ row: start[rows] ?? 0, column: start[columns] ?? 0, rows: sizes[rows] ?? 1, columns: sizes[columns] ?? 1, dashed, text }];
}

/** @param {Lit} lit @param {import("./state.js").Layout} layout @returns {import("./overlay.js").Mark[]} */
function marksIn({ marks }, { slice, fold }) {
  const held = heldAxes(slice);
  return marks.filter(({ index }) => fold > 0 || held.every((axis) => index[axis] === slice.at[axis])).map(({ index, kind, text }) => {
    if (fold > 0) return { row: Math.floor((index[0] ?? 0) / fold), column: (index[0] ?? 0) % fold, kind, text };
    return { row: index[slice.rows] ?? 0, column: index[slice.columns] ?? 0, kind, text };
  });
}
