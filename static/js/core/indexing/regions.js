/**
 * Exact sets of elements of a tensor: unions of products of strided boxes over separate axes. A row of a 4096 x 4096
 * tensor is one box; nothing is enumerated.
 *
 * @typedef {{start: number, size: number, stride: number}} Span
 * @typedef {{start: number[], sizes: number[], strides: number[]}} Box
 * @typedef {{axes: number[], boxes: Box[]}} Factor  disjoint boxes over some of the axes
 * @typedef {Factor[]} Part  over all axes, each in one factor
 * @typedef {{shape: number[], parts: Part[], complete: boolean, waiting: boolean}} Region  complete: nothing is left out;
 *   waiting: some numbers that it depends on have not come yet
 * @typedef {{row: Span, column: Span}} Rectangle
 */
import { countOf, elementOf, heldAxes } from "../tensor/axes.js";

/** Maximum number of elements of a union that are counted one by one. */
const MOST_COUNTED = 1 << 20;
/** Maximum number of rectangles that are drawn. */
const MOST_RECTANGLES = 1 << 15;

/** @param {number[]} shape @returns {Region} */
export const emptyRegion = (shape) => ({ shape, parts: [], complete: true, waiting: false });

/** @param {readonly number[]} shape @returns {Box} */
export const wholeBox = (shape) => ({ start: shape.map(() => 0), sizes: [...shape], strides: shape.map(() => 1) });

/** @param {readonly number[]} index @returns {Box} */
export const pointBox = (index) => ({ start: [...index], sizes: index.map(() => 1), strides: index.map(() => 1) });

/** The box between two corners. @param {readonly number[]} one @param {readonly number[]} other @returns {Box} */
export function boxBetween(one, other) {
  const start = one.map((at, axis) => Math.min(at, other[axis] ?? at));
  return { start, sizes: one.map((at, axis) => Math.abs(at - (other[axis] ?? at)) + 1), strides: one.map(() => 1) };
}

/** @param {Box} box @returns {number} */
export const boxCount = ({ sizes }) => countOf(sizes);

/** A box as a part with one factor per axis. @param {Box} box @returns {Part} */
export const partOf = ({ start, sizes, strides }) =>
  start.map((at, axis) => ({
    axes: [axis],
    boxes: [{ start: [at], sizes: [sizes[axis] ?? 1], strides: [strides[axis] ?? 1] }],
  }));

/** @param {number[]} shape @param {Box[]} boxes @returns {Region} */
export const regionOf = (shape, boxes) => ({ shape, parts: boxes.map(partOf), complete: true, waiting: false });

/** The union of regions of one tensor. @param {number[]} shape @param {Region[]} regions @returns {Region} */
export function union(shape, regions) {
  const parts = new Map(regions.flatMap((region) => region.parts).map((part) => [JSON.stringify(part), part]));
  return {
    shape,
    parts: [...parts.values()],
    complete: regions.every((region) => region.complete),
    waiting: regions.some((region) => region.waiting),
  };
}

/** Whether a span contains a number. @param {number} start @param {number} size @param {number} stride @param {number} at */
function inSpan(start, size, stride, at) {
  const steps = (at - start) / stride;
  return steps >= 0 && steps < size && Number.isInteger(steps);
}

/** @param {Box} box @param {readonly number[]} axes @param {readonly number[]} index @returns {boolean} */
const boxHolds = ({ start, sizes, strides }, axes, index) =>
  axes.every((axis, at) => inSpan(start[at] ?? 0, sizes[at] ?? 1, strides[at] ?? 1, index[axis] ?? 0));

/** @param {Region} region @param {readonly number[]} index @returns {boolean} */
export const contains = ({ parts }, index) =>
  parts.some((part) => part.every(({ axes, boxes }) => boxes.some((box) => boxHolds(box, axes, index))));

/** @param {Part} part @returns {number} */
const partCount = (part) =>
  part.reduce((count, { boxes }) => count * boxes.reduce((sum, box) => sum + boxCount(box), 0), 1);

/** The number of elements; an upper bound where a large union overlaps. @param {Region} region @returns {{count: number, exact: boolean}} */
export function count({ parts, shape, complete }) {
  const most = parts.reduce((sum, part) => sum + partCount(part), 0);
  if (parts.length < 2 || allApart(parts)) return { count: most, exact: complete };
  if (most > MOST_COUNTED) return { count: Math.min(most, countOf(shape)), exact: false };
  const seen = new Set();
  for (const part of parts) for (const index of indicesIn(part)) seen.add(index.join());
  return { count: seen.size, exact: complete };
}

/** @param {Part[]} parts @returns {boolean} */
const allApart = (parts) =>
  parts.length <= 64 && parts.every((part, at) => parts.slice(at + 1).every((other) => areApart(part, other)));

/** Whether two parts are disjoint because they are separate along some axis. @param {Part} one @param {Part} other @returns {boolean} */
const areApart = (one, other) =>
  one.some(({ axes, boxes }) =>
    axes.some((axis, at) => {
      const theirs = other.find((factor) => factor.axes.includes(axis));
      if (!theirs) return false;
      const [low, high] = reach(boxes, at);
      const [otherLow, otherHigh] = reach(theirs.boxes, theirs.axes.indexOf(axis));
      return high < otherLow || otherHigh < low;
    }),
  );

/** @param {Box[]} boxes @param {number} at @returns {[number, number]} */
function reach(boxes, at) {
  const lows = boxes.map(({ start }) => start[at] ?? 0);
  const highs = boxes.map(
    ({ start, sizes, strides }) => (start[at] ?? 0) + ((sizes[at] ?? 1) - 1) * (strides[at] ?? 1),
  );
  return [lows.reduce((a, b) => Math.min(a, b), Infinity), highs.reduce((a, b) => Math.max(a, b), -Infinity)];
}

/** The indices of a part, each a new array. @param {Part} part @returns {Generator<number[]>} */
export function* indicesIn(part) {
  const rank = part.reduce((sum, { axes }) => sum + axes.length, 0);
  yield* within(part, 0, new Array(rank).fill(0));
}

/** @param {Part} part @param {number} at @param {number[]} index @returns {Generator<number[]>} */
function* within(part, at, index) {
  const factor = part[at];
  if (!factor) {
    yield [...index];
    return;
  }
  for (const box of factor.boxes) {
    for (const inner of indicesOfBox(box)) {
      factor.axes.forEach((axis, position) => (index[axis] = inner[position] ?? 0));
      yield* within(part, at + 1, index);
    }
  }
}

/** @param {Box} box @returns {Generator<number[]>} */
export function* indicesOfBox({ start, sizes, strides }) {
  const total = countOf(sizes);
  for (let number = 0; number < total; number++) {
    yield elementOf(sizes, number).map((at, axis) => (start[axis] ?? 0) + at * (strides[axis] ?? 1));
  }
}

/** The first elements of a region, up to a maximum; elements of several parts are repeated. @param {Region} region @param {number} most @returns {number[][]} */
export function firstIndices({ parts }, most) {
  const found = [];
  for (const part of parts) for (const index of indicesIn(part)) if (found.push(index) >= most) return found;
  return found;
}

/** Distinct ascending numbers as spans. @param {ArrayLike<number>} numbers @returns {Span[]} */
export function spansOf(numbers) {
  const spans = [];
  for (let at = 0; at < numbers.length;) {
    const start = numbers[at] ?? 0;
    const stride = at + 1 < numbers.length ? (numbers[at + 1] ?? 0) - start : 1;
    let end = at + 1;
    while (end < numbers.length && (numbers[end] ?? 0) - (numbers[end - 1] ?? 0) === stride) end++;
    spans.push({ start, size: end - at, stride: end - at > 1 ? stride : 1 });
    at = end;
  }
  return spans;
}

/** Distinct ascending row-major indices in a space of these sizes, as disjoint boxes. @param {ArrayLike<number>} places @param {number[]} sizes @returns {Box[]} */
export function boxesOf(places, sizes) {
  if (sizes.length === 0) return places.length > 0 ? [{ start: [], sizes: [], strides: [] }] : [];
  if (sizes.length === 1)
    return spansOf(places).map(({ start, size, stride }) => ({ start: [start], sizes: [size], strides: [stride] }));
  const inner = countOf(sizes.slice(1));
  /** @type {Map<string, {coordinates: number[], boxes: Box[]}>} */
  const alike = new Map();
  for (let at = 0; at < places.length;) {
    const coordinate = Math.floor((places[at] ?? 0) / inner);
    const own = [];
    for (; at < places.length && (places[at] ?? 0) < (coordinate + 1) * inner; at++)
      own.push((places[at] ?? 0) - coordinate * inner);
    const boxes = boxesOf(own, sizes.slice(1));
    const key = JSON.stringify(boxes);
    const same = alike.get(key);
    if (same) same.coordinates.push(coordinate);
    else alike.set(key, { coordinates: [coordinate], boxes });
  }
  return [...alike.values()].flatMap(({ coordinates, boxes }) =>
    spansOf(coordinates).flatMap((span) => boxes.map((box) => widen(span, box))),
  );
}

/** @param {Span} span @param {Box} box @returns {Box} */
const widen = ({ start, size, stride }, box) => ({
  start: [start, ...box.start],
  sizes: [size, ...box.sizes],
  strides: [stride, ...box.strides],
});

const ONE = { start: 0, size: 1, stride: 1 };

/** The rectangles of a region in a slice. @param {Region} region @param {import("../tensor/axes.js").Slice} slice @returns {Rectangle[]} */
export function rectanglesIn({ parts }, slice) {
  const held = heldAxes(slice);
  const found = [];
  for (const part of parts) {
    for (const rectangle of rectanglesOfPart(part, slice, held)) {
      if (found.push(rectangle) >= MOST_RECTANGLES) return found;
    }
  }
  return found;
}

/** @param {Part} part @param {import("../tensor/axes.js").Slice} slice @param {number[]} held @returns {Generator<Rectangle>} */
function* rectanglesOfPart(part, slice, held) {
  /** @type {Span[]|null} */
  let rows = slice.rows < 0 ? [ONE] : null;
  /** @type {Span[]|null} */
  let columns = slice.columns < 0 ? [ONE] : null;
  /** @type {Rectangle[]|null} */
  let both = null;
  for (const { axes, boxes } of part) {
    const kept = boxes.filter((box) =>
      axes.every(
        (axis, at) =>
          !held.includes(axis) ||
          inSpan(box.start[at] ?? 0, box.sizes[at] ?? 1, box.strides[at] ?? 1, slice.at[axis] ?? 0),
      ),
    );
    if (kept.length === 0) return;
    const [row, column] = [axes.indexOf(slice.rows), axes.indexOf(slice.columns)];
    if (row >= 0 && column >= 0) both = kept.map((box) => ({ row: spanOf(box, row), column: spanOf(box, column) }));
    else if (row >= 0) rows = kept.map((box) => spanOf(box, row));
    else if (column >= 0) columns = kept.map((box) => spanOf(box, column));
  }
  if (both) yield* both;
  else for (const row of rows ?? [ONE]) for (const column of columns ?? [ONE]) yield { row, column };
}

/** @param {Box} box @param {number} at @returns {Span} */
const spanOf = ({ start, sizes, strides }, at) => ({
  start: start[at] ?? 0,
  size: sizes[at] ?? 1,
  stride: strides[at] ?? 1,
});

/** Rectangles of a strip that is folded into rows of `width`. @param {Rectangle[]} rectangles @param {number} width @returns {Rectangle[]} */
export const foldedRectangles = (rectangles, width) =>
  rectangles.flatMap(({ column }) => (column.stride === 1 ? foldedRun(column, width) : foldedSteps(column, width)));

/** @param {Span} span @param {number} width @returns {Rectangle[]} */
function foldedRun({ start, size }, width) {
  const found = [];
  const end = start + size;
  for (let at = start; at < end;) {
    const [row, column] = [Math.floor(at / width), at % width];
    const rows = column === 0 && end - at >= width ? Math.floor((end - at) / width) : 1;
    const columns = rows > 1 ? width : Math.min(width - column, end - at);
    found.push({ row: { start: row, size: rows, stride: 1 }, column: { start: column, size: columns, stride: 1 } });
    at += rows > 1 ? rows * width : columns;
  }
  return found;
}

/** @param {Span} span @param {number} width @returns {Rectangle[]} */
function foldedSteps({ start, size, stride }, width) {
  if (stride % width === 0)
    return [
      {
        row: { start: Math.floor(start / width), size, stride: stride / width },
        column: { start: start % width, size: 1, stride: 1 },
      },
    ];
  return Array.from({ length: Math.min(size, MOST_RECTANGLES) }, (_, step) => {
    const at = start + step * stride;
    return { row: { ...ONE, start: Math.floor(at / width) }, column: { ...ONE, start: at % width } };
  });
}

/** The elements in one process; the last axis is the index of the process. @param {Region} region @param {number} place @returns {Region} */
export function atPlace({ shape, parts, ...rest }, place) {
  const axis = shape.length - 1;
  const kept = parts.map((part) =>
    part
      .map((factor) => heldFactor(factor, axis, place))
      .filter((factor) => factor.axes.length > 0 || factor.boxes.length === 0),
  );
  return {
    ...rest,
    shape: shape.slice(0, -1),
    parts: kept.filter((part) => part.every(({ boxes }) => boxes.length > 0)),
  };
}

/** @param {Factor} factor @param {number} axis @param {number} value @returns {Factor} */
function heldFactor({ axes, boxes }, axis, value) {
  const at = axes.indexOf(axis);
  if (at < 0) return { axes, boxes };
  const without = (/** @type {number[]} */ list) => list.filter((_, position) => position !== at);
  const kept = boxes.filter((box) => inSpan(box.start[at] ?? 0, box.sizes[at] ?? 1, box.strides[at] ?? 1, value));
  return {
    axes: without(axes),
    boxes: kept.map((box) => ({ start: without(box.start), sizes: without(box.sizes), strides: without(box.strides) })),
  };
}

/** The indices of the processes in a region, ascending. @param {Region} region @returns {number[]} */
export function placesIn({ shape, parts }) {
  const axis = shape.length - 1;
  const found = new Set();
  for (const part of parts) {
    const factor = part.find(({ axes }) => axes.includes(axis));
    const at = factor?.axes.indexOf(axis) ?? 0;
    for (const box of factor?.boxes ?? []) {
      const { start, size, stride } = spanOf(box, at);
      for (let step = 0; step < size; step++) found.add(start + step * stride);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** A set of boxes in wire format. @param {number[]} shape @param {Box[]} boxes */
export const wireSet = (shape, boxes) => ({ shape, count: boxes.reduce((sum, box) => sum + boxCount(box), 0), boxes });

/** A region from wire format: boxes, or runs of row-major indices. @param {{shape: number[], boxes?: Box[], runs?: [number, number][], complete?: boolean}} wire @returns {Region} */
export function regionFromWire({ shape, boxes, runs, complete = true }) {
  if (boxes) return { ...regionOf(shape, boxes), complete };
  const found = (runs ?? []).flatMap(([first, length]) => boxesOfRun(first, length, shape));
  return { ...regionOf(shape, found), complete };
}

/** @param {number} first @param {number} length @param {number[]} shape @returns {Box[]} */
function boxesOfRun(first, length, shape) {
  if (shape.length === 0) return [wholeBox([])];
  const inner = countOf(shape.slice(1));
  const found = [];
  for (let at = first; at < first + length;) {
    const [coordinate, offset] = [Math.floor(at / inner), at % inner];
    const whole = offset === 0 ? Math.floor((first + length - at) / inner) : 0;
    const taken = whole > 0 ? whole * inner : Math.min(inner - offset, first + length - at);
    const boxes = whole > 0 ? [wholeBox(shape.slice(1))] : boxesOfRun(offset, taken, shape.slice(1));
    found.push(...boxes.map((box) => widen({ start: coordinate, size: Math.max(whole, 1), stride: 1 }, box)));
    at += taken;
  }
  return found;
}
