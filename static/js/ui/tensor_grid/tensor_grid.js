/** One tensor of the picture: its title, its dimensions and their roles, and its cells. */
import { html } from "htm/preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, firstIndices, emptyRegion, pointBox, rectanglesIn } from "../../core/indexing/regions.js";
import {
  countOf,
  elementOf,
  EVERY_AXIS,
  foldWindow,
  foldedSize,
  pictureSize,
  sliceKey,
  sliceText,
} from "../../core/tensor/axes.js";
import { aheadWords } from "../../core/run/ahead.js";
import { countText, elementAt, elementText, indexText } from "../../core/tensor/elements.js";
import { exactElement, rearranged, WindowSource } from "../../core/tensor/window_source.js";
import { AxisControls } from "../axis_controls.js";
import { redrawWithTheme } from "../canvas.js";
import { LongName, LongType } from "../long_name.js";
import { placeOf, spreadOf, spreadWindows } from "./dilation.js";
import { foldingOf, foldedCell, foldedPicture } from "./folding.js";
import { cellOf, listenToGrid } from "./gestures.js";
import { GridView } from "./grid_view.js";
import { naturalSize, useRoom } from "./natural_size.js";
import { overlayOf } from "./projection.js";
import { gridColourScale } from "./sources.js";
/** @import {Tensor} from "../../core/indexing/related.js" */
/** @import {Grid} from "./gestures.js" */
/** @import {Lit} from "./projection.js" */
/** @import {Source} from "./sources.js" */
/** @import {Layout, PictureState} from "./state.js" */

/** Scale of pictures in the whole window, and of those of several processes. */
const ENLARGED = 1.8;
const SEVERAL = 0.6;
/** Two of those fit beside each other. */
const GAP = 16;
const SMALLEST = 118;

/** @param {{tensor: Tensor, source: Source, roles: string[], lit: Lit, state: PictureState, note?: import("preact").ComponentChild, process?: string|null, several?: boolean, ahead?: boolean}} props `process`: another one, whose elements are only looked at; `several`: one picture for each process; `ahead`: a glance ahead */
export function TensorGrid({
  tensor,
  source,
  roles,
  lit,
  state,
  note,
  process = null,
  several = false,
  ahead = false,
}) {
  const { name, type, shape } = source;
  const titled = (/** @type {string} */ part) =>
    html`<figcaption><span class="name"><${LongName} name=${name} /></span>${part && html`<span class="index-slice" title="The part that is drawn; the sliders choose another">${part}</span>`} <span class="type"><${LongType} type=${type} /></span>${ahead && html` <span class="ahead-word" title=${aheadWords(name)}>ahead</span>`}${note}</figcaption>`;
  const title = titled("");
  if (shape === null)
    return html`<figure class="index-tensor">${title}<p class="quiet">It has no elements that a map could refer to.</p></figure>`;
  if (shape.includes(0))
    return html`<figure class="index-tensor">${title}<p class="quiet">It is empty: a dimension has size 0.</p></figure>`;
  return html`<${Cells} tensor=${tensor} source=${source} shape=${shape} roles=${roles} lit=${lit} state=${state} titled=${titled} process=${process} several=${several} ahead=${ahead} />`;
}

/**
 * titled: the title with the drawn part of the tensor
 *
 * @typedef {{tensor: Tensor, source: Source, shape: number[], roles: string[], lit: Lit, state: PictureState,
 *   titled: (part: string) => import("preact").VNode, process: string|null, several: boolean, ahead: boolean}} CellsProps
 */

/** @param {CellsProps} props */
function Cells(props) {
  const { source, shape, roles, lit, state, titled, process, several, tensor, ahead } = props;
  const layout = followSlice(state.layoutOf(tensor, shape, paddedAxes(lit), roles), lit, shape);
  const title = titled(layout.folding || shape.length < 3 ? "" : sliceText(layout.slice));
  const spread = useSpread(spreadOf(lit.padding, layout, shape));
  const windows = useMemo(
    () => windowsOf(source, shape, layout, spread),
    [source, sliceKey(layout.slice), layout.fold, layout.folding !== null, spread],
  );
  const overlay = overlayOf(lit, layout, shape, spread);
  const grid = { tensor, shape, layout, state, spread, picture: pictureOf(windows, layout, shape) };
  const { frame, canvas, view, arrivals } = useGridView({ source, windows, overlay, grid, listens: process === null });
  const size = useNaturalSize(frame, windows, overlay, { source, several, enlarged: state.enlarged.value });

  const active = process === null ? activeIn(tensor, state) : null;
  const cell = active && cellOf(active, layout, shape);
  const place = cell && placeOf(cell, spread);
  useEffect(() => view.current?.setCursor(place), [place?.row, place?.column]);
  const said = active && `${indexText(active)}${valueText(source, windows, place)}`;
  const drawn = html`<canvas ref=${canvas} style=${{ width: `${size.width}px`, height: `${size.height}px` }} aria-hidden="true"></canvas>`;
  const isLit = overlay.rectangles.length > 0;
  if (process === null)
    return html`<${OwnCells} ...${props} title=${title} grid=${grid} frame=${frame} arrivals=${arrivals} drawn=${drawn} cell=${cell} said=${said} isLit=${isLit} />`;
  return html`<figure class=${`index-tensor each elsewhere ${lit.role}${isLit ? " lit" : ""}${ahead ? " ahead" : ""}`} data-elsewhere=${`${tensor.side} ${tensor.number} ${process}`}>${title}
      <div class="index-cells" ref=${frame} role="img" aria-label=${elsewhereText(source.name, process, lit)} data-arrivals=${arrivals}>${drawn}</div></figure>`;
}

/**
 * The cells of the shown process, which have keyboard navigation.
 *
 * @param {CellsProps & {title: import("preact").VNode, grid: Grid, frame: {current: HTMLDivElement|null}, arrivals: number, drawn: import("preact").VNode,
 *   cell: {row: number, column: number}|null, said: string|null, isLit: boolean}} props
 */
function OwnCells({ tensor, source, shape, roles, lit, state, title, several, ahead, ...shown }) {
  const { grid, frame, arrivals, drawn, cell, said, isLit } = shown;
  const id = `index-${tensor.side}-${tensor.number}-cell`;
  const isArranged = shape.length > 2 || (shape.length === 1 && (shape[0] ?? 0) > 16);
  return html`<figure class=${`index-tensor ${several ? "each " : ""}${lit.role}${isLit ? " lit" : ""}${ahead ? " ahead" : ""}`} data-side=${tensor.side} data-number=${tensor.number}>${title}
    <${Roles} shape=${shape} roles=${roles} lit=${state.litAxes.value.filter(({ side, number }) => side === tensor.side && number === tensor.number)} />
    ${isArranged && html`<${Arrange} shape=${shape} layout=${grid.layout} set=${(/** @type {Layout} */ next) => state.setLayout(tensor, next)} />`}
    <div class="index-cells" ref=${frame} role="grid" tabindex="0" aria-label=${`Elements of ${source.name}, ${source.type}`} aria-multiselectable="true"
        aria-rowcount=${grid.picture.height} aria-colcount=${grid.picture.width} aria-activedescendant=${cell ? id : undefined} aria-describedby="index-keys"
        data-arrivals=${arrivals}>
      ${drawn}
      <div role="row" class="hidden" aria-rowindex=${(cell?.row ?? 0) + 1}><span role="gridcell" id=${id} aria-colindex=${(cell?.column ?? 0) + 1} aria-selected=${lit.role === "source"}>${said || "no element"}</span></div>
    </div>
  </figure>`;
}

/** The size of a picture in elements, without holes. @param {WindowSource} windows @param {Layout} layout @param {number[]} shape @returns {import("../../drawing/camera.js").Size} */
function pictureOf(windows, layout, shape) {
  if (layout.folding || layout.fold > 0) return { height: windows.picture.height, width: windows.picture.width };
  const [height, width] = pictureSize(layout.slice, shape);
  return { height, width };
}

/**
 * The view on the canvas, and a counter of arrived windows.
 *
 * @param {{source: Source, windows: WindowSource, overlay: import("./overlay.js").Overlay, grid: Grid, listens: boolean}} shown
 *   `listens`: to pointer and keys
 */
function useGridView({ source, windows, overlay, grid, listens }) {
  const frame = useRef(/** @type {HTMLDivElement|null} */ (null));
  const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
  const view = useRef(/** @type {GridView|null} */ (null));
  const latest = useRef(grid);
  latest.current = grid;
  const [arrivals, setArrivals] = useState(0);
  const colourScale = useMemo(() => gridColourScale(source), [source]);
  useEffect(() => {
    if (!canvas.current || !frame.current) return undefined;
    const made = new GridView(canvas.current, { point: () => undefined, status: () => undefined });
    view.current = made;
    const stop = listens ? listenToGrid(frame.current, canvas.current, made, () => latest.current) : () => undefined;
    return () => {
      stop();
      made.close();
    };
  }, []);
  useEffect(() => {
    windows.arrived = () => {
      view.current?.redraw();
      setArrivals((count) => count + 1);
    };
    if (view.current) showIn(view.current, { source, windows, colourScale, grid });
    return () => windows.close();
  }, [windows, colourScale]);
  useEffect(() => view.current?.lay(overlay));
  useEffect(() => redrawWithTheme(view), []);
  return { frame, canvas, view, arrivals };
}

/** @param {GridView} view @param {{source: Source, windows: WindowSource, colourScale: ReturnType<typeof gridColourScale>, grid: Grid}} shown */
function showIn(view, { source, windows, colourScale, grid: { layout, shape, spread } }) {
  const { slice, fold, folding } = layout;
  view.folded = folding && { folding, shape };
  view.hollow = source.window === null;
  view.spread = spread;
  view.placeOf = (index) => {
    const cell = cellOf(index, layout, shape);
    return cell && placeOf(cell, spread);
  };
  const names =
    fold > 0 ? { rows: "", columns: "" } : { rows: axisLabel(slice.rows), columns: axisLabel(slice.columns) };
  view.show({ source: windows, colourScale, elementType: source.elementType, wire: source.wire, names });
}

/**
 * The size of the canvas in the available space.
 *
 * @param {{current: HTMLDivElement|null}} frame @param {WindowSource} windows @param {import("./overlay.js").Overlay} overlay
 * @param {{source: Source, several: boolean, enlarged: boolean}} how `several`: each process has a picture
 */
function useNaturalSize(frame, windows, { margin }, { source, several, enlarged }) {
  const { width, height } = useRoom(frame, enlarged);
  const room = { width: several ? Math.max(SMALLEST, (width - GAP) / 2) : width, height };
  const scale = (enlarged ? ENLARGED : 1) * (several ? SEVERAL : 1);
  return naturalSize(windows.picture, source, margin, room, scale);
}

/** The description of a picture of another process. @param {string} name @param {string} process @param {Lit} lit */
function elsewhereText(name, process, { role, region }) {
  const lit = role === "related" && region ? count(region).count : 0;
  return `${name} in process ${process}: ${lit === 0 ? "no element belongs" : lit === 1 ? `${indexText(firstIndices(region ?? emptyRegion([]), 1)[0] ?? [])} belongs` : `${countText(lit)} elements belong`}`;
}

/** Move the fixed axes to the elements related to the selected one. @param {Layout} layout @param {Lit} lit @param {number[]} shape @returns {Layout} */
function followSlice(layout, lit, shape) {
  if (
    layout.folding ||
    shape.length < 3 ||
    lit.role !== "related" ||
    !lit.region ||
    rectanglesIn(lit.region, layout.slice).length > 0
  )
    return layout;
  const first = firstIndices(lit.region, 1)[0] ?? windowStart(lit, shape);
  return first ? { ...layout, slice: { ...layout.slice, at: first } } : layout;
}

/** The start of the window, if it holds no element. @param {Lit} lit @param {number[]} shape @returns {number[]|null} */
function windowStart({ outlines, padding }, shape) {
  const start = outlines[0]?.box.start;
  return start
    ? shape.map((size, axis) =>
        Math.min(Math.max(0, Math.floor((start[axis] ?? 0) / (padding?.base[axis] ?? 1))), size - 1),
      )
    : null;
}

/** One object while the distances are unchanged. @param {import("./dilation.js").Spread|null} spread */
const useSpread = (spread) => useMemo(() => spread, [spread?.rows, spread?.columns]);

/** Show the two axes with padding or holes. @param {Lit} lit @returns {[number, number]|null} */
function paddedAxes({ padding }) {
  if (!padding) return null;
  const axes = padding.low.flatMap((low, axis) =>
    low > 0 || (padding.high[axis] ?? 0) > 0 || (padding.base[axis] ?? 1) > 1 ? [axis] : [],
  );
  if (axes.length === 0) return null;
  const [rows = 0, columns = axes[0] === padding.low.length - 1 ? (axes[0] ?? 1) - 1 : (axes[0] ?? 0) + 1] = axes;
  return [Math.min(rows, columns), Math.max(rows, columns)];
}

/** @param {number} axis */
const axisLabel = (axis) => (axis < 0 ? "" : `d${axis}`);

/** The choice of axes, or of all of them. @param {{shape: number[], layout: Layout, set: (layout: Layout) => void}} props */
function Arrange({ shape, layout, set }) {
  const count = countOf(shape);
  const fitsAtOnce = shape.length > 2 && count <= MOST_AT_ONCE;
  return html`<div class="index-arrange">
    ${
      fitsAtOnce &&
      html`<label class="quiet"><input type="checkbox" checked=${layout.folding !== null}
      onChange=${(/** @type {Event} */ event) => set({ ...layout, folding: /** @type {HTMLInputElement} */ (event.currentTarget).checked ? foldingOf(shape) : null })} /> all dimensions at once</label>`
    }
    ${
      !layout.folding &&
      html`<${AxisControls} summary=${{ shape, lanes: null }} layout=${layout} axes=${null}
      change=${(/** @type {{slice: import("../../core/tensor/axes.js").Slice, fold: number}} */ next) => set({ ...layout, ...next })} />`
    }</div>`;
}

/** Maximum number of elements that can be shown all at once. */
const MOST_AT_ONCE = 1 << 14;

/** The dimensions with their sizes and roles. @param {{shape: number[], roles: string[], lit: import("./state.js").LitAxes}} props */
function Roles({ shape, roles, lit }) {
  if (shape.length === 0) return html`<p class="index-roles quiet">one element, no dimensions</p>`;
  return html`<ul class="index-roles" aria-label="Dimensions">${shape.map(
    (
      size,
      axis,
    ) => html`<li class=${lit.some((each) => each.axis === axis) ? "lit" : undefined}><span class="axis">d${axis}</span> <span class="size">${countText(size)}</span>
    ${roles[axis] && html`<span class="role">${roles[axis]}</span>`}${lit.map((each) => each.axis === axis && each.text && html`<span class="lit-text">${each.text}</span>`)}</li>`,
  )}</ul>`;
}

/** The windows of a source's picture. @param {Source} source @param {number[]} shape @param {Layout} layout @param {import("./dilation.js").Spread|null} spread @returns {WindowSource} */
function windowsOf(source, shape, { slice, fold, folding }, spread) {
  const { rows, columns, at } = slice;
  const load = source.window ?? (() => new Promise(() => undefined));
  if (folding) return unfoldedWindows(load, shape, folding);
  if (fold > 0) return foldedWindows(load, shape, slice, fold);
  if (spread) return spreadWindows(load, shape, slice, spread);
  const [height, width] = pictureSize(slice, shape);
  return new WindowSource(
    { height, width },
    ({ level, from, size }, signal) => load({ rows, columns, at, from, size, level }, signal),
    () => undefined,
  );
}

/** @param {NonNullable<Source["window"]>} load @param {number[]} shape @param {import("../../core/tensor/axes.js").Slice} slice @param {number} fold */
function foldedWindows(load, shape, { rows, columns, at }, fold) {
  const [count = 0] = shape;
  return WindowSource.ofOne(foldedSize(count, fold), async (signal) =>
    foldWindow(await load({ rows, columns, at, level: 0, from: [0, 0], size: [1, count] }, signal), fold),
  );
}

/** All elements arrive as one row and are put at their positions. @param {NonNullable<Source["window"]>} load @param {number[]} shape @param {import("./folding.js").Folding} folding */
function unfoldedWindows(load, shape, folding) {
  const picture = foldedPicture(folding, shape);
  /** @type {[number, number]} */
  const size = [1, picture.height * picture.width];
  const placeOf = (/** @type {number} */ from) => {
    const { row, column } = foldedCell(folding, shape, elementOf(shape, from));
    return row * picture.width + column;
  };
  return WindowSource.ofOne(picture, async (signal) =>
    rearranged(
      await load({ rows: -1, columns: EVERY_AXIS, at: shape.map(() => 0), level: 0, from: [0, 0], size }, signal),
      picture,
      placeOf,
    ),
  );
}

/** The current element, if it belongs to this tensor. @param {Tensor} tensor @param {PictureState} state @returns {number[]|null} */
function activeIn({ side, number }, state) {
  const chosen = state.selected.value;
  return chosen && chosen.side === side && chosen.number === number ? chosen.at : null;
}

/** @param {Source} source @param {WindowSource} windows @param {{row: number, column: number}|null} cell @returns {string} */
export function valueText(source, windows, cell) {
  if (!cell || source.window === null) return "";
  const { wire, elementType } = source;
  const found = exactElement({ source: windows, wire }, cell.row, cell.column);
  return found ? ` = ${elementText(elementAt(found.plane, wire, found.at), elementType, wire)}` : "";
}

/** A selection of one element. @param {Tensor} tensor @param {number[]} at @returns {import("../../core/indexing/related.js").Chosen} */
export const oneElement = ({ side, number }, at) => ({ side, number, at, boxes: [pointBox(at)] });
