/**
 * Windows of complete values, in the bytes that the server would send: see app/present/value_windows.py.
 *
 * @typedef {{rows: number, columns: number, at: number[], from: [number, number], size: [number, number], level: number, planes: number}} View
 */
import { WIRE_ARRAYS } from "../api.js";
import { EVERY_AXIS, indexAt, numberOf, pictureSize } from "../tensor/axes.js";
import { numberAt } from "./values.js";
/** @import {Whole} from "./values.js" */

/** Parse the query of a window. @param {URLSearchParams} query @returns {View} */
export function viewOf(query) {
  const numbers = (/** @type {string} */ name) => (query.get(name) || "").split(",").filter(Boolean).map(Number);
  const pair = (/** @type {string} */ name) => /** @type {[number, number]} */ (numbers(name));
  const [rows = -1] = numbers("rows");
  const [columns = -1] = numbers("columns");
  const [level = 0] = numbers("level");
  const [planes = 0] = numbers("planes");
  return { rows, columns, at: numbers("at"), from: pair("from"), size: pair("size"), level, planes };
}

/** @param {Whole} value @param {View} view @returns {ArrayBuffer} */
export function cutWindow(value, view) {
  const picture = pictureOf(value.summary.shape, view);
  const bin = 2 ** view.level;
  const total = [Math.ceil(picture.height / bin), Math.ceil(picture.width / bin)];
  const [top, left] = view.from.map((at, axis) => Math.min(at, total[axis] ?? 0));
  const [height, width] = [top, left].map((at = 0, axis) => Math.min(view.size[axis] ?? 0, (total[axis] ?? 0) - at));
  const cells = { top: top ?? 0, left: left ?? 0, height: height ?? 0, width: width ?? 0 };
  const planes = view.level === 0 ? exactPlanes(value, picture, cells) : binPlanes(value, picture, cells, bin);
  const wire = view.level === 0 ? value.summary.wire : { dtype: isWide(value) ? "f64" : "f32", components: 1 };
  const head = { rows: view.rows, columns: view.columns, ...sizes(cells), level: view.level, total, wire };
  const names = view.level === 0 ? ["value"] : ["min", "mean", "max", "nonfinite", "mark"].slice(0, planes.length);
  return encode({ ...head, planes: names }, planes);
}

const sizes = (/** @type {{height: number, width: number}} */ { height, width }) => ({ height, width });

/** Whether elements need more digits than f32 has. @param {Whole} value */
const isWide = ({ summary: { wire } }) => /64$|32$/.test(wire.dtype) && wire.dtype !== "f32";

/** The layout of a picture, and the number of the element at a row and a column. @typedef {{height: number, width: number, place: (row: number, column: number) => number}} Picture */

/** @param {number[]} shape @param {View} view @returns {Picture} */
function pictureOf(shape, { rows, columns, at, planes }) {
  const count = shape.reduce((all, size) => all * size, 1);
  if (columns === EVERY_AXIS) return { height: 1, width: count, place: (_row, column) => column };
  if (planes > 0) {
    const slice = { rows, columns, at: shape.map(() => 0), planes: { across: planes, shape } };
    const [height, width] = pictureSize(slice, shape);
    return { height, width, place: (row, column) => numberOf(shape, indexAt(slice, row, column)) };
  }
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((all, size) => all * size, 1));
  const start = strides.reduce(
    (all, stride, axis) => all + (axis === rows || axis === columns ? 0 : stride * (at[axis] ?? 0)),
    0,
  );
  const [down, right] = [rows < 0 ? 0 : (strides[rows] ?? 0), columns < 0 ? 0 : (strides[columns] ?? 0)];
  return {
    height: rows < 0 ? 1 : (shape[rows] ?? 1),
    width: columns < 0 ? 1 : (shape[columns] ?? 1),
    place: (row, column) => start + row * down + column * right,
  };
}

/** @typedef {{top: number, left: number, height: number, width: number}} Cells */

/** @param {Whole} value @param {Picture} picture @param {Cells} cells @returns {ArrayBufferView[]} */
function exactPlanes({ summary: { wire }, plane }, picture, cells) {
  const { components, dtype } = wire;
  const found = new WIRE_ARRAYS[dtype](cells.height * cells.width * components);
  let to = 0;
  for (let row = cells.top; row < cells.top + cells.height; row++) {
    for (let column = cells.left; column < cells.left + cells.width; column++) {
      const from = picture.place(row, column) * components;
      for (let part = 0; part < components; part++) found[to++] = /** @type {any} */ (plane[from + part]);
    }
  }
  return [found];
}

/** @param {Whole} value @param {Picture} picture @param {Cells} cells @param {number} bin @returns {ArrayBufferView[]} */
function binPlanes(value, picture, cells, bin) {
  const Numbers = isWide(value) ? Float64Array : Float32Array;
  const count = cells.height * cells.width;
  const [low, mean, high] = [new Numbers(count), new Numbers(count), new Numbers(count)];
  const [bad, mark] = [new Uint32Array(count), new Uint32Array(count)];
  for (let cell = 0; cell < count; cell++) {
    const row = (cells.top + Math.floor(cell / cells.width)) * bin;
    const column = (cells.left + (cell % cells.width)) * bin;
    const found = binAt(value, picture, row, column, bin);
    [low[cell], mean[cell], high[cell]] = [found.low, found.sum / found.finite, found.high];
    [bad[cell], mark[cell]] = [found.bad, found.mark];
  }
  return [low, mean, high, bad, ...(mark.some(Boolean) ? [mark] : [])];
}

/** @param {Whole} value @param {Picture} picture @param {number} top @param {number} left @param {number} bin */
function binAt(value, picture, top, left, bin) {
  const found = { low: Infinity, high: -Infinity, sum: 0, finite: 0, bad: 0, mark: 0 };
  for (let row = top; row < Math.min(top + bin, picture.height); row++) {
    for (let column = left; column < Math.min(left + bin, picture.width); column++) {
      const number = numberAt(value, picture.place(row, column));
      if (!Number.isFinite(number)) {
        found.bad++;
        // As in engine/small_pictures.py.
        found.mark = Math.max(found.mark, number > 0 ? 254 : number < 0 ? 253 : 255);
        continue;
      }
      found.finite++;
      found.sum += number;
      found.low = Math.min(found.low, number);
      found.high = Math.max(found.high, number);
    }
  }
  return found.finite > 0 ? found : { ...found, low: NaN, high: NaN };
}

/** Windows in one answer: for each its length, its bytes, and padding to a multiple of 8. @param {ArrayBuffer[]} windows @returns {ArrayBuffer} */
export function oneAfterAnother(windows) {
  const room = (/** @type {ArrayBuffer} */ { byteLength }) => 8 + Math.ceil(byteLength / 8) * 8;
  const bytes = new Uint8Array(windows.reduce((all, window) => all + room(window), 0));
  let at = 0;
  for (const window of windows) {
    new DataView(bytes.buffer).setBigUint64(at, BigInt(window.byteLength), true);
    bytes.set(new Uint8Array(window), at + 8);
    at += room(window);
  }
  return bytes.buffer;
}

/** Layout: length of the header, header, padding to a multiple of 8, planes. @param {object} head @param {ArrayBufferView[]} planes @returns {ArrayBuffer} */
function encode(head, planes) {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const start = Math.ceil((4 + text.length) / 8) * 8;
  const bytes = new Uint8Array(planes.reduce((all, { byteLength }) => all + byteLength, start));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  let at = start;
  for (const { buffer, byteOffset, byteLength } of planes) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes.buffer;
}
