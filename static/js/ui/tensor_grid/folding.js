/**
 * A tensor of several dimensions in one picture: dimensions are nested in blocks along rows and columns.
 *
 * @typedef {{rows: number[], columns: number[]}} Folding  the axes of each side, the outermost first
 * @typedef {{row: number, column: number}} Cell
 */
import { boxesOf, indicesIn } from "../../core/indexing/regions.js";

/** Maximum number of elements that are shown all at once initially. */
export const MOST_FOLDED = 1024;

/**
 * The last axis runs to the right and the one before it down; each other axis goes where it keeps the picture closer
 * to a square. Axes of size 1 are omitted.
 *
 * @param {number[]} shape @returns {Folding}
 */
export function foldingOf(shape) {
  const wide = [...shape.keys()].filter((axis) => (shape[axis] ?? 1) > 1);
  const columns = wide.slice(-1);
  const rows = wide.slice(-2, -1);
  let [height, width] = [sizeOf(rows, shape), sizeOf(columns, shape)];
  for (const axis of wide.slice(0, -2).reverse()) {
    const size = shape[axis] ?? 1;
    if (height <= width) {
      rows.unshift(axis);
      height *= size;
    } else {
      columns.unshift(axis);
      width *= size;
    }
  }
  return { rows, columns };
}

/** @param {number[]} axes @param {number[]} shape @returns {number} */
const sizeOf = (axes, shape) => axes.reduce((product, axis) => product * (shape[axis] ?? 1), 1);

/** @param {Folding} folding @param {number[]} shape @returns {import("../../drawing/camera.js").Size} */
export const foldedPicture = ({ rows, columns }, shape) => ({
  height: sizeOf(rows, shape),
  width: sizeOf(columns, shape),
});

/** @param {Folding} folding @param {number[]} shape @param {readonly number[]} index @returns {Cell} */
export function foldedCell({ rows, columns }, shape, index) {
  const place = (/** @type {number[]} */ axes) =>
    axes.reduce((at, axis) => at * (shape[axis] ?? 1) + (index[axis] ?? 0), 0);
  return { row: place(rows), column: place(columns) };
}

/** @param {Folding} folding @param {number[]} shape @param {Cell} cell @returns {number[]} */
export function foldedIndex({ rows, columns }, shape, { row, column }) {
  const index = shape.map(() => 0);
  for (const [axes, at] of /** @type {[number[], number][]} */ ([
    [rows, row],
    [columns, column],
  ])) {
    let rest = at;
    for (const axis of [...axes].reverse()) {
      index[axis] = rest % (shape[axis] ?? 1);
      rest = Math.floor(rest / (shape[axis] ?? 1));
    }
  }
  return index;
}

/** The cells of a region as rectangles. @param {import("../../core/indexing/regions.js").Region} region @param {Folding} folding @param {number[]} shape @returns {import("../../core/indexing/regions.js").Rectangle[]} */
export function foldedRegion({ parts }, folding, shape) {
  const { height, width } = foldedPicture(folding, shape);
  const lit = new Uint8Array(height * width);
  for (const part of parts) {
    for (const index of indicesIn(part)) {
      const { row, column } = foldedCell(folding, shape, index);
      lit[row * width + column] = 1;
    }
  }
  const places = [...lit.keys()].filter((place) => lit[place]);
  return boxesOf(places, [height, width]).map(({ start, sizes, strides }) => ({
    row: { start: start[0] ?? 0, size: sizes[0] ?? 1, stride: strides[0] ?? 1 },
    column: { start: start[1] ?? 0, size: sizes[1] ?? 1, stride: strides[1] ?? 1 },
  }));
}

/** A box cut at the blocks. @param {import("../../core/indexing/regions.js").Box} box @param {Folding} folding @param {number[]} shape @returns {{row: number, column: number, rows: number, columns: number}[]} */
export function foldedBlocks(box, folding, shape) {
  const rows = runsOf(box, folding.rows, shape);
  const columns = runsOf(box, folding.columns, shape);
  return rows.flatMap(([row, height]) =>
    columns.map(([column, width]) => ({ row, column, rows: height, columns: width })),
  );
}

/** @param {import("../../core/indexing/regions.js").Box} box @param {number[]} axes @param {number[]} shape @returns {[number, number][]} */
function runsOf({ start, sizes }, axes, shape) {
  const inner = axes.at(-1);
  if (inner === undefined) return [[0, 1]];
  /** @type {[number, number][]} */
  let runs = [[start[inner] ?? 0, sizes[inner] ?? 1]];
  let block = shape[inner] ?? 1;
  for (const axis of axes.slice(0, -1).reverse()) {
    const before = runs;
    const size = block;
    runs = Array.from({ length: sizes[axis] ?? 1 }, (_, at) => at).flatMap((at) =>
      before.map(
        ([first, length]) => /** @type {[number, number]} */ ([((start[axis] ?? 0) + at) * size + first, length]),
      ),
    );
    block *= shape[axis] ?? 1;
  }
  return runs;
}

/** The ends of blocks, each with the number of dimensions that end there. @param {number[]} axes @param {number[]} shape @returns {{at: number, depth: number}[]} */
export function blockEnds(axes, shape) {
  const ends = [];
  let block = 1;
  const total = sizeOf(axes, shape);
  const sizes = [...axes].reverse().map((axis) => (block *= shape[axis] ?? 1));
  for (let at = sizes[0] ?? total; at < total; at += sizes[0] ?? total)
    ends.push({ at, depth: sizes.filter((size) => at % size === 0).length });
  return ends;
}
