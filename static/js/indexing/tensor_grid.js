/** One tensor of the picture: what it is, its dimensions and their roles, and its cells. */
import { html } from "htm/preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { AxisControls } from "../panels/tensor/controls.js";
import { countOf, pictureSize, sliceKey } from "../tensor/axes.js";
import { foldedSize, folded } from "../tensor/fold.js";
import { WindowSource } from "../tensor/source.js";
import { elementAt, elementText } from "../tensor/elements.js";
import { cellOf, listenToGrid } from "./gestures.js";
import { foldingOf, foldedIndex, foldedPicture } from "./folding.js";
import { gridInk } from "./ink.js";
import { GridView } from "./grid_view.js";
import { naturalSize } from "./sizes.js";
import { overlayOf } from "./projecting.js";
import { count, firstIndices, nothing, pointBox, rectanglesIn } from "./regions.js";
import { placeOf, spreadOf, spreadWindows } from "./spreading.js";
import { LongName } from "../ui/long_name.js";

/**
 * @typedef {import("./sources.js").Source} Source
 * @typedef {import("./state.js").PictureState} PictureState
 * @typedef {import("./state.js").Layout} Layout
 * @typedef {import("./related.js").Tensor} Tensor
 * @typedef {import("./projecting.js").Lit} Lit
 */

/** How much larger pictures may be in the whole window, and how much smaller where each process has one. */
const ENLARGED = 1.8;
const SEVERAL = 0.6;
/** Two of those stand beside each other. */
const GAP = 16;
const SMALLEST = 140;

/** @param {{tensor: Tensor, source: Source, roles: string[], lit: Lit, state: PictureState, note?: import("preact").ComponentChild, process?: string|null, several?: boolean}} props `process`: another one, whose elements are only looked at; `several`: one picture for each process */
export function TensorGrid({ tensor, source, roles, lit, state, note, process = null, several = false }) {
  const { name, type, shape } = source;
  const title = html`<figcaption><span class="name"><${LongName} name=${name} /></span> <span class="type">${type}</span>${note}</figcaption>`;
  if (shape === null) return html`<figure class="index-tensor">${title}<p class="quiet">It has no elements that a map could lead to.</p></figure>`;
  if (shape.includes(0)) return html`<figure class="index-tensor">${title}<p class="quiet">It is empty: a dimension has size 0.</p></figure>`;
  return html`<${Cells} tensor=${tensor} source=${source} shape=${shape} roles=${roles} lit=${lit} state=${state} title=${title} process=${process} several=${several} />`;
}

/** @param {{tensor: Tensor, source: Source, shape: number[], roles: string[], lit: Lit, state: PictureState, title: import("preact").VNode, process: string|null, several: boolean}} props */
function Cells({ tensor, source, shape, roles, lit, state, title, process, several }) {
  const layout = followed(state.layoutOf(tensor, shape, paddedAxes(lit)), lit, shape);
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const view = useRef(/** @type {GridView|null} */ (null));
  const [arrivals, setArrivals] = useState(0);
  const spread = useSpread(spreadOf(lit.padding, layout, shape));
  const windows = useMemo(() => windowsOf(source, shape, layout, spread), [source, sliceKey(layout.slice), layout.fold, layout.whole !== null, spread]);
  const [height, width] = layout.whole || layout.fold > 0 ? [windows.picture.height, windows.picture.width] : pictureSize(layout.slice, shape);
  const ink = useMemo(() => gridInk(source), [source]);
  const room = useWidth(frame);
  const overlay = overlayOf(lit, layout, shape, spread);
  const size = naturalSize(windows.picture, source, overlay.margin, several ? Math.max(SMALLEST, (room - GAP) / 2) : room, (state.enlarged.value ? ENLARGED : 1) * (several ? SEVERAL : 1));

  useEffect(() => {
    if (!canvas.current || !frame.current) return undefined;
    const made = new GridView(canvas.current, { point: () => undefined, status: () => undefined });
    view.current = made;
    const stop = process === null ? listenToGrid(frame.current, canvas.current, made, () => latest.current) : () => undefined;
    return () => {
      stop();
      made.close();
    };
  }, []);
  const latest = useRef(/** @type {import("./gestures.js").Grid} */ ({ tensor, shape, layout, state, spread, picture: { height, width } }));
  latest.current = { tensor, shape, layout, state, spread, picture: { height, width } };

  useEffect(() => {
    windows.arrived = () => {
      view.current?.redraw();
      setArrivals((count) => count + 1);
    };
    if (view.current) view.current.whole = layout.whole && { folding: layout.whole, shape };
    const names = layout.fold > 0 ? { rows: "", columns: "" } : { rows: axisLabel(layout.slice.rows), columns: axisLabel(layout.slice.columns) };
    if (view.current) view.current.hollow = source.window === null;
    if (view.current) view.current.spread = spread;
    view.current?.show({ source: windows, ink, elementType: source.elementType, wire: source.wire, names });
    return () => windows.close();
  }, [windows, ink]);
  useEffect(() => view.current?.lay(overlay));
  useEffect(() => redrawWithTheme(view), []);

  const active = process === null ? activeIn(tensor, state) : null;
  const cell = active && cellOf(active, layout, shape);
  const place = cell && placeOf(cell, spread);
  useEffect(() => view.current?.setCursor(place), [place?.row, place?.column]);
  const said = active && `${indexText(active)}${valueText(source, windows, place)}`;
  const id = `index-${tensor.side}-${tensor.number}-cell`;
  const drawn = html`<canvas ref=${canvas} style=${{ width: `${size.width}px`, height: `${size.height}px` }} aria-hidden="true"></canvas>`;
  if (process !== null) {
    return html`<figure class=${`index-tensor each elsewhere ${lit.role}${overlay.rectangles.length > 0 ? " lit" : ""}`}>${title}
      <div class="index-cells" ref=${frame} role="img" aria-label=${elsewhereText(source.name, process, lit)} data-arrivals=${arrivals}>${drawn}</div></figure>`;
  }
  return html`<figure class=${`index-tensor ${several ? "each " : ""}${lit.role}${overlay.rectangles.length > 0 ? " lit" : ""}`} data-side=${tensor.side} data-number=${tensor.number}>${title}
    <${Roles} shape=${shape} roles=${roles} />
    ${shape.length > 0 && (shape.length > 2 || (shape.length === 1 && (shape[0] ?? 0) > 16)) && html`<${Arrange} shape=${shape} layout=${layout} set=${(/** @type {Layout} */ next) => state.setLayout(tensor, next)} />`}
    <div class="index-cells" ref=${frame} role="grid" tabindex="0" aria-label=${`Elements of ${source.name}, ${source.type}`} aria-multiselectable="true"
        aria-rowcount=${height} aria-colcount=${width} aria-activedescendant=${cell ? id : undefined} aria-describedby="index-keys"
        data-arrivals=${arrivals}>
      ${drawn}
      <div role="row" class="hidden" aria-rowindex=${(cell?.row ?? 0) + 1}><span role="gridcell" id=${id} aria-colindex=${(cell?.column ?? 0) + 1} aria-selected=${lit.role === "source"}>${said || "no element"}</span></div>
    </div>
  </figure>`;
}

/** What a picture of another process says. @param {string} name @param {string} process @param {Lit} lit */
function elsewhereText(name, process, { role, region }) {
  const lit = role === "related" && region ? count(region).count : 0;
  return `${name} in process ${process}: ${lit === 0 ? "no element belongs" : lit === 1 ? `${indexText(firstIndices(region ?? nothing([]), 1)[0] ?? [])} belongs` : `${lit.toLocaleString("en")} elements belong`}`;
}

/** What belongs to the chosen element is shown, wherever it lies along the held axes. @param {Layout} layout @param {Lit} lit @param {number[]} shape @returns {Layout} */
function followed(layout, lit, shape) {
  if (layout.whole || shape.length < 3 || lit.role !== "related" || !lit.region || rectanglesIn(lit.region, layout.slice).length > 0) return layout;
  const first = firstIndices(lit.region, 1)[0] ?? windowStart(lit, shape);
  return first ? { ...layout, slice: { ...layout.slice, at: first } } : layout;
}

/** Where the window begins, if it holds no element. @param {Lit} lit @param {number[]} shape @returns {number[]|null} */
function windowStart({ outlines, padding }, shape) {
  const start = outlines[0]?.box.start;
  return start ? shape.map((size, axis) => Math.min(Math.max(0, Math.floor((start[axis] ?? 0) / (padding?.base[axis] ?? 1))), size - 1)) : null;
}

/** One object while the distances are the same. @param {import("./spreading.js").Spread|null} spread */
const useSpread = (spread) => useMemo(() => spread, [spread?.rows, spread?.columns]);

/** Padding, and holes, are seen along two axes: those are shown. @param {Lit} lit @returns {[number, number]|null} */
function paddedAxes({ padding }) {
  if (!padding) return null;
  const axes = padding.low.flatMap((low, axis) => (low > 0 || (padding.high[axis] ?? 0) > 0 || (padding.base[axis] ?? 1) > 1 ? [axis] : []));
  if (axes.length === 0) return null;
  const [rows = 0, columns = axes[0] === padding.low.length - 1 ? (axes[0] ?? 1) - 1 : (axes[0] ?? 0) + 1] = axes;
  return [Math.min(rows, columns), Math.max(rows, columns)];
}

/** @param {number} axis */
const axisLabel = (axis) => (axis < 0 ? "" : `d${axis}`);

/** Which axes are shown, or all of them. @param {{shape: number[], layout: Layout, set: (layout: Layout) => void}} props */
function Arrange({ shape, layout, set }) {
  const count = countOf(shape);
  const whole = shape.length > 2 && count <= MOST_WHOLE;
  return html`<div class="index-arrange">
    ${whole && html`<label class="quiet"><input type="checkbox" checked=${layout.whole !== null}
      onChange=${(/** @type {Event} */ event) => set({ ...layout, whole: /** @type {HTMLInputElement} */ (event.currentTarget).checked ? foldingOf(shape) : null })} /> all dimensions at once</label>`}
    ${!layout.whole && html`<${AxisControls} summary=${{ shape, lanes: null }} layout=${layout} axes=${null}
      change=${(/** @type {{slice: import("../tensor/axes.js").Slice, fold: number}} */ next) => set({ ...layout, ...next })} />`}</div>`;
}

/** More elements than these are not shown all at once. */
const MOST_WHOLE = 1 << 14;

/** The dimensions with their sizes, and what each is for. @param {{shape: number[], roles: string[]}} props */
function Roles({ shape, roles }) {
  if (shape.length === 0) return html`<p class="index-roles quiet">one element, no dimensions</p>`;
  return html`<ul class="index-roles" aria-label="Dimensions">${shape.map((size, axis) => html`<li><span class="axis">d${axis}</span> <span class="size">${size.toLocaleString("en")}</span>
    ${roles[axis] && html`<span class="role">${roles[axis]}</span>`}</li>`)}</ul>`;
}

/** The windows of a picture of a source. @param {Source} source @param {number[]} shape @param {Layout} layout @param {import("./spreading.js").Spread|null} spread @returns {WindowSource} */
function windowsOf(source, shape, { slice, fold, whole }, spread) {
  const { rows, columns, at } = slice;
  const load = source.window ?? (() => new Promise(() => undefined));
  if (whole) return wholeWindows(load, shape, whole);
  if (fold > 0) return foldedWindows(load, shape, slice, fold);
  if (spread) return spreadWindows(load, shape, slice, spread);
  const [height, width] = pictureSize(slice, shape);
  return new WindowSource({ height, width }, ({ level, from, size }, signal) => load({ rows, columns, at, from, size, level }, signal), () => undefined);
}

/** @param {NonNullable<Source["window"]>} load @param {number[]} shape @param {import("../tensor/axes.js").Slice} slice @param {number} fold */
function foldedWindows(load, shape, { rows, columns, at }, fold) {
  const picture = foldedSize(shape[0] ?? 0, fold);
  const source = new WindowSource(picture, async (_request, signal) =>
    folded(await load({ rows, columns, at, level: 0, from: [0, 0], size: [1, shape[0] ?? 0] }, signal), fold), () => undefined);
  source.coarse = { level: 0, from: [0, 0], size: [picture.height, picture.width] };
  return source;
}

/** All elements come as one row and are put where they are shown. @param {NonNullable<Source["window"]>} load @param {number[]} shape @param {import("./folding.js").Folding} whole */
function wholeWindows(load, shape, whole) {
  const picture = foldedPicture(whole, shape);
  const count = picture.height * picture.width;
  const source = new WindowSource(picture, async (_request, signal) => {
    const strip = await load({ rows: -1, columns: -2, at: shape.map(() => 0), level: 0, from: [0, 0], size: [1, count] }, signal);
    return unfolded(strip, picture, (row, column) => foldedIndex(whole, shape, { row, column }).reduce((place, at, axis) => place * (shape[axis] ?? 1) + at, 0));
  }, () => undefined);
  source.coarse = { level: 0, from: [0, 0], size: [picture.height, picture.width] };
  return source;
}

/** @param {import("../types.js").ValueWindow} strip @param {import("../tensor/camera.js").Size} picture @param {(row: number, column: number) => number} placeOf @returns {import("../types.js").ValueWindow} */
function unfolded({ header, planes }, { height, width }, placeOf) {
  const { components } = header.wire;
  const before = /** @type {any} */ (planes.value);
  const value = new before.constructor(before.length);
  for (let cell = 0; cell < height * width; cell++) {
    const place = placeOf(Math.floor(cell / width), cell % width);
    for (let part = 0; part < components; part++) value[cell * components + part] = before[place * components + part];
  }
  return { header: { ...header, height, width, total: [height, width] }, planes: { value } };
}

/** The element that one stands on, if it is one of this tensor. @param {Tensor} tensor @param {PictureState} state @returns {number[]|null} */
function activeIn({ side, number }, state) {
  const chosen = state.selected.value;
  return chosen && chosen.side === side && chosen.number === number ? chosen.at : null;
}

/** @param {number[]} index @returns {string} */
export const indexText = (index) => `[${index.join(", ")}]`;

/** @param {Source} source @param {WindowSource} windows @param {{row: number, column: number}|null} cell @returns {string} */
export function valueText(source, windows, cell) {
  if (!cell || source.window === null) return "";
  const layer = windows.at(cell.row, cell.column);
  const plane = layer?.request.level === 0 ? layer.window.planes.value : undefined;
  if (!layer || !plane) return "";
  const at = (cell.row - layer.request.from[0]) * layer.window.header.width + cell.column - layer.request.from[1];
  return ` = ${elementText(elementAt(plane, source.wire, at), source.elementType, source.wire)}`;
}

/** @param {{current: HTMLElement|null}} element @returns {number} */
function useWidth(element) {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (!element.current) return undefined;
    // A tensor takes what room its side has, however narrow it is itself.
    const watched = element.current.closest(".index-side") ?? element.current;
    const observer = new ResizeObserver(() => setWidth(watched.clientWidth));
    observer.observe(watched);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** Canvases know nothing of style sheets. @param {{current: GridView|null}} view */
function redrawWithTheme(view) {
  const redraw = () => view.current?.redraw();
  const system = matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(redraw);
  observer.observe(document.documentElement, { attributes: true });
  system.addEventListener("change", redraw);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", redraw);
  };
}

/** A selection of one element. @param {Tensor} tensor @param {number[]} at @returns {import("./related.js").Chosen} */
export const oneElement = ({ side, number }, at) => ({ side, number, at, boxes: [pointBox(at)] });
