/**
 * Related elements of a tensor of any rank, projected to the two shown dimensions.
 *
 * @typedef {{role: "source"|"related"|"idle", region: Region|null, unknown: boolean, ghosts: Box[], padding: Padding|null,
 *   outlines: {box: Box, dashed: boolean, text: string}[], marks: {index: number[], kind: import("./overlay.js").MarkKind, text: string}[]}} Lit
 *
 * Outlines and ghosts are counted in places of the padding, where there is some: holes between elements are places, too.
 */
import { foldedRectangles, rectanglesIn, regionOf } from "../../core/indexing/regions.js";
import { heldAxes } from "../../core/tensor/axes.js";
import { placeOf, spreadRectangles } from "./dilation.js";
import { foldedBlocks, foldedCell, foldedRegion } from "./folding.js";
import { noMargin } from "./overlay.js";
/** @import {Box, Region} from "../../core/indexing/regions.js" */
/** @import {Padding} from "../../core/indexing/window_positions.js" */
/** @import {Spread} from "./dilation.js" */

/** @returns {Lit} */
export const unlit = () => ({
  role: "idle",
  region: null,
  unknown: false,
  ghosts: [],
  padding: null,
  outlines: [],
  marks: [],
});

/** @param {Lit} lit @param {import("./state.js").Layout} layout @param {number[]} shape @param {Spread|null} [spread] @returns {import("./overlay.js").Overlay} */
export function overlayOf(lit, layout, shape, spread = null) {
  const { slice, fold, folding } = layout;
  if (folding) return foldedOverlay(lit, layout, folding, shape);
  const rectangles = lit.region ? rectanglesIn(lit.region, slice) : [];
  if (fold > 0) {
    return {
      role: lit.role,
      unknown: lit.unknown,
      rectangles: foldedRectangles(rectangles, fold),
      ghosts: [],
      outlines: [],
      marks: marksIn(lit, layout),
      margin: noMargin(),
    };
  }
  const seen = visiblePlaces(lit.padding, slice);
  return {
    role: lit.role,
    unknown: lit.unknown,
    rectangles: spreadRectangles(rectangles, spread),
    ...beyondElements(lit, seen, shape, spread),
    marks: marksIn(lit, layout).map((mark) => ({ ...mark, ...placeOf(mark, spread) })),
  };
}

/** The slice in window positions, which include holes. @param {Padding|null} padding @param {import("../../core/tensor/axes.js").Slice} slice */
const visiblePlaces = (padding, slice) => ({
  ...slice,
  at: slice.at.map((at, axis) => at * (padding?.base[axis] ?? 1)),
});

/** Windows, and their positions without an element. If elements are adjacent, a hole belongs to the element before it. @param {Lit} lit @param {import("../../core/tensor/axes.js").Slice} slice by places @param {number[]} shape @param {Spread|null} spread */
function beyondElements({ outlines, ghosts, padding }, slice, shape, spread) {
  const boxes = outlines.flatMap(({ box, dashed, text }) => outlineIn(box, slice, dashed, text));
  const apart = { rows: padding?.base[slice.rows] ?? 1, columns: padding?.base[slice.columns] ?? 1 };
  const beside = !spread && (apart.rows > 1 || apart.columns > 1);
  const margin = marginOf(padding, slice);
  if (!beside) return { ghosts: rectanglesIn(regionOf(shape, ghosts), slice), outlines: boxes, margin };
  return {
    ghosts: [],
    outlines: boxes.map((outline) => pack(outline, apart)),
    margin: {
      top: Math.ceil(margin.top / apart.rows),
      bottom: Math.ceil(margin.bottom / apart.rows),
      left: Math.ceil(margin.left / apart.columns),
      right: Math.ceil(margin.right / apart.columns),
    },
  };
}

/** @param {import("./overlay.js").Outline} outline @param {Spread} apart @returns {import("./overlay.js").Outline} */
function pack(outline, apart) {
  const [row, column] = [Math.floor(outline.row / apart.rows), Math.floor(outline.column / apart.columns)];
  const [bottom, right] = [
    Math.floor((outline.row + outline.rows - 1) / apart.rows),
    Math.floor((outline.column + outline.columns - 1) / apart.columns),
  ];
  return { ...outline, row, column, rows: bottom - row + 1, columns: right - column + 1 };
}

/** Without padding: the next block begins beyond the edge. @param {Lit} lit @param {import("./state.js").Layout} layout @param {import("./folding.js").Folding} folding @param {number[]} shape @returns {import("./overlay.js").Overlay} */
function foldedOverlay(lit, layout, folding, shape) {
  const dilated = lit.padding?.base.some((apart) => apart > 1) ?? false;
  const outlines = lit.outlines
    .filter(() => !dilated)
    .filter(({ box }) =>
      box.start.every((start, axis) => start >= 0 && start + (box.sizes[axis] ?? 1) <= (shape[axis] ?? 1)),
    );
  return {
    role: lit.role,
    unknown: lit.unknown,
    rectangles: lit.region ? foldedRegion(lit.region, folding, shape) : [],
    margin: noMargin(),
    ghosts: lit.padding ? [] : foldedRegion(regionOf(shape, lit.ghosts), folding, shape),
    marks: lit.marks.map(({ index, kind, text }) => ({ ...foldedCell(folding, shape, index), kind, text })),
    outlines: outlines.flatMap(({ box, dashed, text }) =>
      foldedBlocks(box, folding, shape).map((block, at) => ({ ...block, dashed, text: at === 0 ? text : "" })),
    ),
  };
}

/** @param {Padding|null} padding @param {import("../../core/tensor/axes.js").Slice} slice @returns {import("./overlay.js").Margin} */
function marginOf(padding, { rows, columns }) {
  if (!padding) return noMargin();
  const { low, high } = padding;
  return { top: low[rows] ?? 0, left: low[columns] ?? 0, bottom: high[rows] ?? 0, right: high[columns] ?? 0 };
}

/** @param {Box} box @param {import("../../core/tensor/axes.js").Slice} slice @param {boolean} dashed @param {string} text @returns {import("./overlay.js").Outline[]} */
function outlineIn({ start, sizes }, slice, dashed, text) {
  const hidden = heldAxes(slice).some(
    (axis) =>
      (slice.at[axis] ?? 0) < (start[axis] ?? 0) || (slice.at[axis] ?? 0) >= (start[axis] ?? 0) + (sizes[axis] ?? 1),
  );
  if (hidden) return [];
  const { rows, columns } = slice;
  return [
    {
      row: start[rows] ?? 0,
      column: start[columns] ?? 0,
      rows: sizes[rows] ?? 1,
      columns: sizes[columns] ?? 1,
      dashed,
      text,
    },
  ];
}

/** @param {Lit} lit @param {import("./state.js").Layout} layout @returns {import("./overlay.js").Mark[]} */
function marksIn({ marks }, { slice, fold }) {
  const held = heldAxes(slice);
  return marks
    .filter(({ index }) => fold > 0 || held.every((axis) => index[axis] === slice.at[axis]))
    .map(({ index, kind, text }) => {
      if (fold > 0) return { row: Math.floor((index[0] ?? 0) / fold), column: (index[0] ?? 0) % fold, kind, text };
      return { row: index[slice.rows] ?? 0, column: index[slice.columns] ?? 0, kind, text };
    });
}
