/**
 * Tensors to draw, from any source: a recording, given numbers, or a shape alone.
 *
 * @typedef {{rows: number, columns: number, at: number[], from: [number, number], size: [number, number], level: number}} View
 * @typedef {{name: string, type: string, shape: number[]|null, elementType: string, wire: {dtype: WireType, components: 1|2},
 *   statistics: Record<string, string|number|null>|null, spread: import("../../drawing/scale.js").Spread, address: string|null, process: number|null,
 *   lanes?: number[]|null, atLane?: (lane: number) => Source,
 *   window: ((view: View, signal: AbortSignal) => Promise<ValueWindow>)|null,
 *   block: (index: number[]) => import("../../core/indexing/runtime_variables.js").Block|null}} Source  window: null where there are no values
 *
 * `lanes`: a region was run on so many elements at once, each a lane; `atLane` is what one of them has.
 */
import { parseAddress } from "../../core/addresses.js";
import { getBinary, recordingPath, valueSummary, valueWindow } from "../../core/api.js";
import { elementOf, EVERY_AXIS, numberOf } from "../../core/tensor/axes.js";
import { kindOf } from "../../core/tensor/elements.js";
import { spreadOf } from "../../core/tensor/spread.js";
import { coloursIn } from "../../drawing/paint.js";
import { AUTOMATIC, scaleFor } from "../../drawing/scale.js";
/** @import {WireType} from "../../core/types.js" */
/** @import {ValueWindow} from "../../core/view_types.js" */

/** Number of elements of a block along each of its last two axes. */
const BLOCK = 256;
/** Number of elements of a block of computed integers. */
const RUN = 1 << 16;

/** A tensor with only a shape. @param {{name: string, type: string, shape: number[]|null, elementType?: string}} named @returns {Source} */
export const shapeSource = ({ name, type, shape, elementType = "i64" }) => ({
  name,
  type,
  shape,
  elementType,
  wire: { dtype: "i64", components: 1 },
  statistics: null,
  spread: null,
  address: null,
  process: null,
  window: null,
  block: () => null,
});

/** A tensor without elements. @param {Source} source @returns {Source} */
export const hollow = ({ name, type, shape, elementType }) => shapeSource({ name, type, shape, elementType });

/** A recorded value. @param {string} key @param {string} address @param {{name: string, type: string, shape?: number[]|null}} named @param {AbortSignal} [signal] @returns {Promise<Source>} */
export async function recordedSource(key, address, { name, type, shape: declared }, signal) {
  const { shape, elementType, wire, statistics, spread, lanes } = await valueSummary(key, address, signal);
  const window = (/** @type {View} */ view, /** @type {AbortSignal} */ stop) => valueWindow(key, address, view, stop);
  const source = {
    name,
    type,
    shape,
    elementType,
    wire,
    statistics,
    spread,
    address,
    process: parseAddress(address).process,
    window,
    lanes: null,
    block: (/** @type {number[]} */ index) => (shape ? windowBlock(shape, index, window) : null),
  };
  const lifted = lanes && lanes.length > 0 && (!declared || shape.length === declared.length + lanes.length);
  return lifted ? { ...source, lanes, atLane: (lane) => laneOf(source, lanes, lane) } : source;
}

/** One lane of a value: its leading axes are fixed. @param {Source} source @param {number[]} lanes @param {number} lane @returns {Source} */
function laneOf(source, lanes, lane) {
  const held = elementOf(lanes, lane);
  const shape = (source.shape ?? []).slice(lanes.length);
  const inner = source.window;
  const shift = (/** @type {number} */ axis) => (axis < 0 ? axis : axis + lanes.length);
  const window =
    inner &&
    ((/** @type {View} */ view, /** @type {AbortSignal} */ stop) =>
      inner({ ...view, rows: shift(view.rows), columns: shift(view.columns), at: [...held, ...view.at] }, stop));
  return {
    ...source,
    shape,
    window,
    lanes: null,
    atLane: undefined,
    block: (index) => (window ? windowBlock(shape, index, window) : null),
  };
}

/** @param {number[]} shape @param {number[]} index @param {NonNullable<Source["window"]>} window @returns {import("../../core/indexing/runtime_variables.js").Block} */
function windowBlock(shape, index, window) {
  const [rows, columns] = [shape.length - 2, shape.length - 1];
  const corner = [index[rows] ?? 0, index[columns] ?? 0].map((at) => Math.floor(at / BLOCK) * BLOCK);
  const [top = 0, left = 0] = corner;
  const size = /** @type {[number, number]} */ ([
    Math.min(BLOCK, (shape[rows] ?? 1) - top),
    Math.min(BLOCK, (shape[columns] ?? 1) - left),
  ]);
  const at = index.map((number, axis) => (axis >= rows ? 0 : number));
  const view = {
    rows: Math.max(-1, rows),
    columns,
    at,
    from: /** @type {[number, number]} */ ([top, left]),
    size,
    level: 0,
  };
  return {
    key: `${at.join()} ${corner.join()}`,
    load: async () => {
      const plane = (await window(view, new AbortController().signal)).planes.value ?? [];
      return (wanted) => Number(plane[((wanted[rows] ?? 0) - top) * size[1] + (wanted[columns] ?? 0) - left] ?? 0);
    },
  };
}

/** Integers that an op computed in a run, in runs of row-major order. @param {string} key @param {{op: number, process: number, step: number, number: number, name: string, shape: number[]}} where @returns {Source} */
export function foundSource(key, { op, process, step, number, name, shape }) {
  const path = (/** @type {number} */ start) =>
    `${recordingPath(key)}/maps/${op}/found?process=${process}&step=${step}&number=${number}&start=${start}&count=${RUN}`;
  return {
    ...shapeSource({ name, type: "", shape }),
    process,
    block: (index) => {
      const start = Math.floor(numberOf(shape, index) / RUN) * RUN;
      return {
        key: String(start),
        load: async () => {
          const numbers = new BigInt64Array((await getBinary(path(start))).bytes);
          return (wanted) => Number(numbers[numberOf(shape, wanted) - start] ?? 0);
        },
      };
    },
  };
}

/** @typedef {ArrayLike<number>|ArrayLike<bigint>} Numbers */

/** Given numbers in row-major order; booleans as 0 and 1. @param {{name: string, type: string, shape: number[], elementType: string, values: Numbers}} given @returns {Source} */
export function inlineSource({ name, type, shape, elementType, values }) {
  const wire = { dtype: wireType(elementType), components: /** @type {1} */ (1) };
  return {
    name,
    type,
    shape,
    elementType,
    wire,
    ...statisticsOf(values),
    address: null,
    process: null,
    window: (view) => Promise.resolve(inlineWindow(shape, values, wire, view)),
    block: () => ({ key: "", load: () => Promise.resolve((index) => Number(values[numberOf(shape, index)] ?? 0)) }),
  };
}

/** @param {string} elementType @returns {WireType} */
function wireType(elementType) {
  const integer = /^(ui|u|si|i|s)(\d+)$/.exec(elementType);
  if (elementType === "pred" || elementType === "i1") return "u8";
  if (!integer) return "f64";
  const bits = Math.max(8, Number(integer[2]));
  return /** @type {WireType} */ (`${integer[1]?.startsWith("u") ? "u" : "i"}${bits > 32 ? 64 : bits}`);
}

/** @param {Numbers} values */
function statisticsOf(values) {
  const ordered = Float64Array.from(/** @type {ArrayLike<number>} */ (values), Number)
    .filter(Number.isFinite)
    .sort();
  const [min, max] = [ordered[0], ordered.at(-1)];
  return { statistics: min === undefined ? null : { min, max: max ?? min }, spread: spreadOf(ordered) };
}

const ARRAYS = { u8: Uint8Array, i8: Int8Array, u16: Uint16Array, i16: Int16Array, u32: Uint32Array, i32: Int32Array };

/** @param {number[]} shape @param {Numbers} values @param {{dtype: WireType, components: 1}} wire @param {View} view @returns {ValueWindow} */
function inlineWindow(shape, values, wire, { rows, columns, at, from, size: [height, width], level }) {
  const numbers = new Float64Array(height * width);
  if (columns === EVERY_AXIS)
    return inlineWindow([1, values.length], values, wire, {
      rows: 0,
      columns: 1,
      at: [0, 0],
      from: [0, 0],
      size: [1, values.length],
      level: 0,
    });
  const index = [...at];
  const place = (/** @type {number} */ row, /** @type {number} */ column) => {
    if (rows >= 0) index[rows] = row;
    if (columns >= 0) index[columns] = column;
    return numberOf(shape, index);
  };
  const bin = 2 ** level;
  for (let cell = 0; cell < numbers.length; cell++) {
    numbers[cell] = Number(
      values[place((from[0] + Math.floor(cell / width)) * bin, (from[1] + (cell % width)) * bin)] ?? 0,
    );
  }
  const total = /** @type {[number, number]} */ ([shape[rows] ?? 1, shape[columns] ?? 1]);
  const header = {
    rows,
    columns,
    height,
    width,
    level,
    total,
    wire,
    planes: level === 0 ? ["value"] : ["min", "mean", "max"],
  };
  const planes =
    level === 0 ? { value: typedArray(numbers, wire.dtype) } : { min: numbers, mean: numbers, max: numbers };
  return { header, planes: /** @type {any} */ (planes) };
}

/** @param {Float64Array} numbers @param {WireType} dtype */
function typedArray(numbers, dtype) {
  if (dtype === "i64") return BigInt64Array.from(numbers, (value) => BigInt(Math.trunc(value)));
  if (dtype === "u64") return BigUint64Array.from(numbers, (value) => BigInt(Math.trunc(value)));
  const made = ARRAYS[/** @type {keyof typeof ARRAYS} */ (dtype)];
  return made ? made.from(numbers) : numbers;
}

/** The colours of elements, as in the tensor view. @param {Source} source @returns {import("../../drawing/paint.js").ColourScale} */
export const gridColourScale = ({ elementType, wire, statistics, spread }) =>
  coloursIn(scaleFor(statistics, kindOf(elementType, wire), AUTOMATIC, "abs", spread));
