/**
 * Windows that extend beyond the edges of a tensor and, if it is dilated, between its elements: which of their
 * positions hold an element, and which are padding or holes.
 *
 * Positions along an axis count from the first element and include holes: neighbouring elements are `base` positions
 * apart.
 *
 * @typedef {{low: number[], high: number[], base: number[]}} Padding  places beyond the edges, and how far apart elements are
 * @typedef {{variable: string|null, steps: number[], places: number[], size: number, base: number}} Axis
 *   the places of one window along an axis, one for each step of a range variable
 * @typedef {{total: number, padding: number, holes: number}} Counts
 * @typedef {Pick<import("../../ui/tensor_grid/projection.js").Lit, "outlines"|"ghosts"> & {counts?: Counts}} Window
 */
import { countText } from "../tensor/elements.js";
import { compile, intervalOf, variableOf, variablesIn } from "./expressions.js";
import { spansOf } from "./regions.js";
import { runtimesOf } from "./runtime_variables.js";
/** @import {WindowPositions, TensorSide as Tensor, MapInfo as IndexMap} from "../types.js" */

/** Maximum padding that is drawn. */
const MOST_PADDING = 48;

/** @param {Tensor} tensor */
const nameOf = ({ side, number }) => `${side} ${number}`;

/** @param {import("../../features/index_map/window_parts.js").Maps} maps @param {Tensor} tensor */
const shapeOf = (maps, { side, number }) => (side === "operand" ? maps.operands : maps.results)[number]?.shape ?? null;

/** The padding around each tensor, and the distance between its elements. @param {import("../../features/index_map/window_parts.js").Maps} maps @param {import("./maps.js").Values} values @returns {Map<string, Padding>} */
export function paddingOf(maps, values) {
  const found = new Map();
  const { windowPositions: windows } = maps.parts ?? {};
  if (!windows || windows.map.kind !== "normal") return found;
  const numbers = numbersRead(
    windows.map,
    windows.map.dimensions.map(([low]) => low),
    values,
  );
  const reach = windows.map.results.map((result) => intervalOf(result, (name) => boundsOf(windows.map, numbers, name)));
  for (const tensor of windows.over) {
    const shape = shapeOf(maps, tensor);
    if (!shape || shape.includes(0)) continue;
    found.set(nameOf(tensor), {
      low: reach.map(([low]) => Math.min(MOST_PADDING, Math.max(0, -low))),
      high: reach.map(([, high], axis) =>
        Math.min(MOST_PADDING, Math.max(0, high - ((shape[axis] ?? 1) - 1) * (windows.base[axis] ?? 1))),
      ),
      base: windows.base,
    });
  }
  return found;
}

/** The values of runtime variables; null while some are loading. @param {IndexMap} map @param {number[]} at @param {import("./maps.js").Values} values @returns {number[]|null} */
function numbersRead(map, at, values) {
  const runtimes = runtimesOf(map, values);
  const steps = map.ranges.map(([low]) => low);
  const numbers = map.runtimes.map((_, number) => runtimes.read(number, at, steps).raw);
  return numbers.every((number) => number !== undefined) ? numbers : null;
}

/** @param {IndexMap} map @param {number[]|null} numbers @param {string} name @returns {import("./expressions.js").Interval} */
function boundsOf(map, numbers, name) {
  const [kind, number] = variableOf(name);
  if (kind !== "rt") return (kind === "d" ? map.dimensions : map.ranges)[number] ?? [0, 0];
  const read = numbers?.[number];
  return read === undefined ? (map.runtimes[number]?.interval ?? [0, 0]) : [read, read];
}

/** The windows of an element, by tensor. @param {import("../../features/index_map/window_parts.js").Maps} maps @param {Tensor & {at: number[]}} chosen @param {import("./maps.js").Values} values @returns {Map<string, Window>} */
export function windowPositionsAt(maps, chosen, values) {
  const found = new Map();
  const { windowPositions: windows, kind } = maps.parts ?? {};
  if (
    !windows ||
    windows.map.kind !== "normal" ||
    windows.of.side !== chosen.side ||
    windows.of.number !== chosen.number
  )
    return found;
  const numbers = numbersRead(windows.map, chosen.at, values);
  for (const tensor of numbers ? windows.over : []) {
    const axes = axesOf(windows, shapeOf(maps, tensor) ?? [], chosen.at, numbers ?? []);
    const outlines = kind === "window" ? [{ box: boxAround(axes), dashed: false, text: "window" }] : [];
    found.set(nameOf(tensor), { outlines, ghosts: missing(axes), counts: countsOf(axes) });
    if (windows.partner)
      found.set(nameOf(windows.partner), { outlines: [], ghosts: partners(windows.partner.map, axes, chosen.at) });
  }
  return found;
}

/** @param {WindowPositions} windows @param {number[]} shape @param {number[]} at @param {number[]} numbers @returns {Axis[]} */
const axesOf = ({ map, base }, shape, at, numbers) =>
  map.results.map((result, axis) => {
    const variable = rangeIn(result);
    const steps = variable === null ? [0] : numbersIn(map.ranges[variableOf(variable)[1]] ?? [0, 0]);
    const value = compile(result);
    return {
      variable,
      steps,
      places: steps.map((step) => value(at, withStep(map, variable, step), numbers)),
      size: shape[axis] ?? 1,
      base: base[axis] ?? 1,
    };
  });

/** The range variable of an axis: windows are products, so there is at most one. @param {import("../types.js").ExpressionJson} expression @returns {string|null} */
const rangeIn = (expression) => [...variablesIn(expression)].find((name) => variableOf(name)[0] === "s") ?? null;

/** @param {import("./expressions.js").Interval} interval */
const numbersIn = ([low, high]) => Array.from({ length: Math.max(0, high - low + 1) }, (_, at) => low + at);

/** @param {IndexMap} map @param {string|null} variable @param {number} step */
const withStep = ({ ranges }, variable, step) =>
  ranges.map(([low], number) => (variable === `s${number}` ? step : low));

/** @param {Axis} axis @param {number} place */
const isInside = ({ size, base }, place) => place >= 0 && place <= (size - 1) * base;

/** @param {Axis} axis @param {number} place */
const holdsElement = (axis, place) => isInside(axis, place) && place % axis.base === 0;

/** @param {Axis[]} axes @returns {import("./regions.js").Box} */
function boxAround(axes) {
  const ends = axes.map(({ places }) => ({ first: places[0] ?? 0, last: places.at(-1) ?? 0 }));
  return {
    start: ends.map(({ first }) => first),
    sizes: ends.map(({ first, last }) => last - first + 1),
    strides: ends.map(() => 1),
  };
}

/** The number of positions, and of those without an element. @param {Axis[]} axes @returns {Counts} */
function countsOf(axes) {
  const product = (/** @type {(axis: Axis) => number} */ count) => axes.reduce((all, axis) => all * count(axis), 1);
  const total = product(({ places }) => places.length);
  const inside = product((axis) => axis.places.filter((place) => isInside(axis, place)).length);
  const held = product((axis) => axis.places.filter((place) => holdsElement(axis, place)).length);
  return { total, padding: total - inside, holes: inside - held };
}

/** The positions without an element, as boxes that may overlap: on some axis there is none. @param {Axis[]} axes @returns {import("./regions.js").Box[]} */
function missing(axes) {
  const all = axes.map(({ places }) => spansOf(places));
  return axes.flatMap((axis, number) =>
    boxesOver(
      all.map((spans, other) =>
        other === number ? spansOf(axis.places.filter((place) => !holdsElement(axis, place))) : spans,
      ),
    ),
  );
}

/** The elements of the kernel that belong to positions without an element. @param {IndexMap} map @param {Axis[]} axes @param {number[]} at @returns {import("./regions.js").Box[]} */
function partners(map, axes, at) {
  if (map.kind !== "normal") return [];
  return axes.flatMap((axis) => {
    const lost = axis.steps.filter((_, number) => !holdsElement(axis, axis.places[number] ?? 0));
    if (lost.length === 0) return [];
    return boxesOver(
      map.results.map((result) => {
        const variable = rangeIn(result);
        const steps =
          variable === null
            ? [0]
            : variable === axis.variable
              ? lost
              : numbersIn(map.ranges[variableOf(variable)[1]] ?? [0, 0]);
        const value = compile(result);
        return spansOf(steps.map((step) => value(at, withStep(map, variable, step), [])).sort((a, b) => a - b));
      }),
    );
  });
}

/** The boxes with one of the spans along each axis. @param {import("./regions.js").Span[][]} spans @returns {import("./regions.js").Box[]} */
function boxesOver(spans) {
  /** @type {import("./regions.js").Box[]} */
  const none = [{ start: [], sizes: [], strides: [] }];
  return spans.reduce(
    (boxes, along) =>
      boxes.flatMap(({ start, sizes, strides }) =>
        along.map((span) => ({
          start: [...start, span.start],
          sizes: [...sizes, span.size],
          strides: [...strides, span.stride],
        })),
      ),
    none,
  );
}

/** The number of positions that read nothing, as a sentence; null for none. @param {string} element @param {string} over @param {Counts} counts @returns {string|null} */
export function windowPositionsSentence(element, over, { total, padding, holes }) {
  if (padding + holes === 0) return null;
  if (total === 1) return `${element} lies in ${padding > 0 ? "the padding" : "a hole between elements"} of ${over}.`;
  const parts = [
    padding > 0 && `${countText(padding)} ${padding === 1 ? "lies" : "lie"} in padding`,
    holes > 0 && `${countText(holes)} ${holes === 1 ? "lies" : "lie"} in holes`,
  ];
  return `Of the ${countText(total)} positions of its window over ${over}, ${parts.filter(Boolean).join(" and ")}: no element is there.`;
}
