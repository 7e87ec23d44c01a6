/**
 * Details of ops that move windows over a tensor: the window of an element, its start as read and as used, padding,
 * and elements that are clamped, dropped or written several times.
 *
 * @typedef {import("../../core/indexing/related.js").OpMaps & {parts: Parts}} Maps
 */
import { compile, intervalOf } from "../../core/indexing/expressions.js";
import { boxCount, indicesOfBox, wholeBox } from "../../core/indexing/regions.js";
import { mapsFrom } from "../../core/indexing/related.js";
import { runtimesOf } from "../../core/indexing/runtime_variables.js";
import { windowPositionsAt } from "../../core/indexing/window_positions.js";
/** @import {Values} from "../../core/indexing/maps.js" */
/** @import {Lit} from "../../ui/tensor_grid/projection.js" */
/** @import {TensorSide as Tensor, PictureParts as Parts} from "../../core/types.js" */

/** Maximum number of elements of tensors with marks. */
const MOST_MARKED = 1 << 14;

/** @param {Tensor} tensor */
const nameOf = ({ side, number }) => `${side} ${number}`;

/** @param {Maps} maps @param {Tensor} tensor */
const shapeOf = (maps, { side, number }) => (side === "operand" ? maps.operands : maps.results)[number]?.shape ?? null;

/** The windows of the chosen element, by tensor. @param {Maps} maps @param {import("../../core/indexing/related.js").Chosen|null} chosen @param {Values} values @returns {Map<string, import("../../core/indexing/window_positions.js").Window>} */
export function windowsAt(maps, chosen, values) {
  const found = new Map();
  if (!chosen || chosen.boxes.length !== 1 || boxCount(chosen.boxes[0] ?? wholeBox([0])) !== 1) return found;
  const { window, target } = maps.parts ?? {};
  if (window && target && window.side === chosen.side && window.number === chosen.number) {
    const outlines = movingWindow(maps, window, target, chosen.at, values);
    if (outlines) found.set(nameOf(target), { outlines, ghosts: [] });
  }
  for (const [name, taken] of windowPositionsAt(maps, chosen, values)) found.set(name, taken);
  return found;
}

/** The window of an element: as used, and at the start as read if that differs. @param {Maps} maps @param {Tensor & {dimensions: number[]}} window @param {Tensor} target @param {number[]} at @param {Values} values @returns {Lit["outlines"]|null} */
function movingWindow(maps, window, target, at, values) {
  const item = mapsFrom(maps, window).find(
    (map) => (target.side === "operand" ? map.operand : map.result) === target.number,
  );
  const shape = shapeOf(maps, window);
  const extent = shapeOf(maps, target);
  if (!item || !shape || !extent || item.map.kind !== "normal") return null;
  const first = at.map((place, axis) => (window.dimensions.includes(axis) ? 0 : place));
  const last = at.map((place, axis) =>
    window.dimensions.includes(axis) ? Math.max(0, (shape[axis] ?? 1) - 1) : place,
  );
  const used = spanBetween(item.map, first, last, values, false);
  const read = spanBetween(item.map, first, last, values, true);
  if (!used || !read) return null;
  const moved = read.start.some((start, axis) => start !== used.start[axis]);
  return [
    ...(moved ? [{ box: read, dashed: true, text: `start as read` }] : []),
    { box: used, dashed: false, text: moved ? "window, clamped" : "window" },
  ];
}

/** The box between the images of two corners; range variables take all their values. @param {import("../../core/types.js").MapInfo} map @param {number[]} first @param {number[]} last @param {Values} values @param {boolean} raw */
function spanBetween(map, first, last, values, raw) {
  const runtimes = runtimesOf(map, values);
  const s = map.ranges.map(([low]) => low);
  const readings = map.runtimes.map((_, number) => runtimes.read(number, first, s));
  if (readings.some(({ raw: read }) => read === undefined)) return null;
  const rt = readings.map((reading, number) =>
    raw || !map.runtimes[number]?.clamped ? (reading.raw ?? 0) : reading.value,
  );
  const bounds = map.results.map((result) =>
    intervalOf(result, (name) => {
      const number = Number(name.replace(/^\D+/, ""));
      if (name.startsWith("rt")) return [rt[number] ?? 0, rt[number] ?? 0];
      return name.startsWith("d") ? [first[number] ?? 0, last[number] ?? 0] : (map.ranges[number] ?? [0, 0]);
    }),
  );
  return {
    start: bounds.map(([low]) => low),
    sizes: bounds.map(([low, high]) => high - low + 1),
    strides: bounds.map(() => 1),
  };
}

/** Marks that do not depend on the selection. @param {Maps} maps @param {Values} values @returns {Map<string, Lit["marks"]>} */
export function marksOf(maps, values) {
  const found = new Map();
  const { window, target, indices, kind } = maps.parts ?? {};
  const shape = window && shapeOf(maps, window);
  if (!window || !target || indices === undefined || !shape || shape.includes(0)) return found;
  const item = mapsFrom(maps, window).find(
    (map) => (target.side === "operand" ? map.operand : map.result) === target.number,
  );
  if (!item || item.map.kind !== "normal") return found;
  const starts = {
    start: shape.map(() => 0),
    sizes: shape.map((size, axis) => (window.dimensions.includes(axis) ? 1 : size)),
    strides: shape.map(() => 1),
  };
  if (boxCount(starts) <= MOST_MARKED)
    indexMarks(item.map, starts, values).forEach((marks, operand) => found.set(`operand ${operand}`, marks));
  if (kind === "scatter" && boxCount(wholeBox(shape)) <= MOST_MARKED) {
    const { dropped, several } = writers(item.map, shape, shapeOf(maps, target) ?? [], values);
    found.set(nameOf(window), dropped);
    found.set(nameOf(target), several);
  }
  return found;
}

/** Indices that are clamped or outside. @param {import("../../core/types.js").MapInfo} map @param {import("../../core/indexing/regions.js").Box} starts @param {Values} values @returns {Map<number, Lit["marks"]>} */
function indexMarks(map, starts, values) {
  const found = new Map();
  const runtimes = runtimesOf(map, values);
  const s = map.ranges.map(([low]) => low);
  for (const d of indicesOfBox(starts)) {
    for (const [number, variable] of map.runtimes.entries()) {
      const { raw, value, index } = runtimes.read(number, d, s);
      if (raw === undefined) return new Map();
      const [low, high] = variable.interval;
      if (raw >= low && raw <= high) continue;
      const marks = found.get(variable.operand) ?? new Map();
      marks.set(
        index.join(),
        variable.clamped ? { index, kind: "clamped", text: `→${value}` } : { index, kind: "outside", text: "✕" },
      );
      found.set(variable.operand, marks);
    }
  }
  return new Map([...found].map(([operand, marks]) => [operand, [...marks.values()]]));
}

/** Updates that are dropped, and elements that are written several times. @param {import("../../core/types.js").MapInfo} map @param {number[]} shape @param {number[]} target @param {Values} values */
function writers(map, shape, target, values) {
  const results = map.results.map(compile);
  const checks = map.constraints.map(([expression, [low, high]]) => ({ value: compile(expression), low, high }));
  const runtimes = runtimesOf(map, values);
  /** @type {Lit["marks"]} */
  const dropped = [];
  /** @type {Map<string, {index: number[], count: number}>} */
  const written = new Map();
  for (const d of indicesOfBox(wholeBox(shape))) {
    const readings = map.runtimes.map((_, number) => runtimes.read(number, d, []));
    if (readings.some(({ raw }) => raw === undefined)) return { dropped: [], several: [] };
    const rt = readings.map(({ value }) => value);
    const inside =
      readings.every(({ known }) => known) &&
      checks.every(({ value, low, high }) => value(d, [], rt) >= low && value(d, [], rt) <= high);
    const index = results.map((result) => result(d, [], rt));
    if (!inside || index.some((place, axis) => place < 0 || place >= (target[axis] ?? 1)))
      dropped.push({ index: d, kind: "dropped", text: "dropped" });
    else written.set(index.join(), { index, count: (written.get(index.join())?.count ?? 0) + 1 });
  }
  const several = [...written.values()]
    .filter(({ count }) => count > 1)
    .map(({ index, count }) => ({ index, kind: /** @type {const} */ ("several"), text: `×${count}` }));
  return { dropped, several };
}
