/** The picture of a whole tensor in pieces, its readout, and the list of pieces. */
import { html } from "htm/preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { showProcess } from "../../../core/actions.js";
import { valueWindow } from "../../../core/api.js";
import { namesOf } from "../../../core/grid/record.js";
import * as store from "../../../core/store.js";
import { pictureSize, sliceKey } from "../../../core/tensor/axes.js";
import { WindowSource } from "../../../core/tensor/window_source.js";
import { boxWords, sizeOf } from "../../../drawing/boxes.js";
import { drawGrid, drawMarks, LEFT, themeOf, TOP } from "../../../drawing/draw.js";
import { HeatMap } from "../../../drawing/heat_map.js";
import { hasNonfinite } from "../../../drawing/paint.js";
import { Details } from "../../../ui/details.js";
import { namesOfAxes, useHeatMap } from "../../../ui/use_heat_map.js";
import { useOwnColours } from "../../tensor/colour_scale.js";
import { openElement } from "../../tensor/cursor_target.js";
import { useBrush } from "../../tensor/histogram.js";
import { ColourLegend } from "../../tensor/legend.js";
import { ZoomButtons } from "../../tensor/picture.js";
import { readout } from "../../tensor/readout.js";
import { drawPieces } from "./draw.js";
import { elementPlace, holderOf, labelsOf, pieceAt, sliceIn } from "./model.js";
import { AssembledSource } from "./source.js";
import { coloursOf } from "../../../drawing/canvas.js";
/** @import {Slice} from "../../../core/tensor/axes.js" */
/** @import {ValueSummary} from "../../../core/types.js" */
/** @import {Place} from "../../../drawing/heat_map.js" */
/** @import {Sharding, VisiblePiece as Seen} from "./model.js" */

/** @typedef {ReadonlyMap<number, string>} Addresses */
/**
 * @typedef {{recording: string, selected: import("../../../core/view_types.js").SelectedValue, sharding: Sharding, slice: Slice, seen: Seen[],
 *   addresses: Addresses, known: ValueSummary|null}} Props
 */
/** @typedef {import("./source.js").Part & {slice: Slice, summary: ValueSummary}} DrawnPart */

/** A summary without values: only the pieces are drawn. @type {ValueSummary} */
const NOTHING = {
  address: "",
  type: "",
  shape: [],
  lanes: null,
  layout: null,
  elementType: "f32",
  wire: { dtype: "f32", components: 1 },
  count: 0,
  text: "",
  statistics: null,
  spread: null,
  histogram: null,
};

/** @param {Props} props */
export function AssembledPicture(props) {
  const { selected, sharding, slice, seen, addresses } = props;
  const known = props.known ?? NOTHING;
  const colours = useOwnColours(known, selected.name);
  const colourScale = useBrush(colours.colourScale, known);
  const { source, parts, arrived } = useAssembledSource(props);
  const { frame, canvas, map, place, status } = useHeatMap({
    source: /** @type {any} */ (source),
    kind: PiecesHeatMap,
    ...{ arrived, colourScale, summary: known, names: namesOfAxes(slice) },
  });
  const shown = store.process.value;
  useOutlines(map, { seen, shown, addresses, under: place && pieceAt(seen, place.row, place.column) });
  const at = place && elementPlace(slice, seen, place.row, place.column);
  const go = () => goTo(at, shown, addresses);
  return html`<div class="tensor-frame" ref=${frame} tabindex="0" role="application" aria-roledescription="heat map" aria-describedby="assembled-keys"
      aria-label=${`${selected.name}, assembled from the shards of the processes`}>
      <canvas ref=${canvas} onClick=${() => map.current?.hover === null && go()}></canvas></div>
    <p id="assembled-keys" class="hidden">Arrow keys move to an element and say which process holds it. Plus and minus zoom, 0 shows everything. The buttons below go to its process.</p>
    <div class="tensor-readout"><output aria-live=${place?.by === "keys" ? "polite" : "off"}>${words(parts, sharding, slice, at, place, selected.name) ?? html`<span class="quiet">${hint(status)}</span>`}</output>
      <${ZoomButtons} map=${map} status=${status} /></div>
    <${Ways} map=${map} place=${place} slice=${slice} seen=${seen} sharding=${sharding} addresses=${addresses} />
    ${props.known ? html`<${ColourLegend} summary=${known} colours=${colours} binned=${(status?.level ?? 0) > 0} />` : html`<div class="tensor-legend"><span class="spring"></span></div>`}`;
}

/**
 * Draw the outlines and owners of pieces.
 *
 * @param {{current: PiecesHeatMap|null}} map
 * @param {{seen: Seen[], shown: number, addresses: Addresses, under: Seen|null}} pieces `shown`: a process; `under` the pointer
 */
function useOutlines(map, { seen, shown, addresses, under }) {
  const grid = store.grid.value;
  useEffect(
    () =>
      map.current?.outline(
        seen.map((piece) => ({
          rectangle: piece.rectangle,
          shown: piece.processes.includes(shown),
          hot: piece === under,
          absent: holderOf(piece, shown, addresses) === null,
          labels: labelsOf(piece.processes.map((process) => grid?.nameOf(process) ?? String(process))),
        })),
      ),
    [seen, shown, under, addresses],
  );
}

/** The windows of all pieces in this slice. @param {Props} props @returns {{source: AssembledSource, parts: DrawnPart[], arrived: {current: () => void}}} */
function useAssembledSource({ recording, selected, sharding, slice, seen, addresses, known }) {
  const arrived = useRef(() => {});
  const shown = store.process.value;
  const held = sharding.assembled
    ? []
    : seen.map((piece) => addresses.get(holderOf(piece, shown, addresses) ?? -1) ?? "");
  const name = [recording, selected.address, sliceKey(slice), ...held, known?.elementType].join(" ");
  const made = useMemo(() => {
    const [height, width] = pictureSize(slice, sharding.shape);
    const pieces = sharding.assembled
      ? [{ piece: onePiece(sharding.shape, { height, width }), address: selected.address }]
      : seen.map((piece, number) => ({ piece, address: held[number] ?? "" }));
    const parts = pieces.flatMap(({ piece, address }) =>
      known === null || address === ""
        ? []
        : [partOf(recording, address, piece, slice, known, () => arrived.current())],
    );
    return { source: new AssembledSource({ height, width }, parts), parts };
  }, [name]);
  useEffect(() => () => made.source.close(), [made]);
  return { ...made, arrived };
}

/** The whole tensor as one piece. @param {number[]} shape @param {import("../../../drawing/camera.js").Size} picture @returns {Seen} */
const onePiece = (shape, { height, width }) => ({
  processes: [],
  start: shape.map(() => 0),
  sizes: shape,
  rectangle: { row: 0, column: 0, height, width },
});

/** @param {string} recording @param {string} address @param {Seen} piece @param {Slice} slice @param {ValueSummary} summary @param {() => void} arrived @returns {DrawnPart} */
function partOf(recording, address, piece, slice, summary, arrived) {
  const inside = sliceIn(slice, piece);
  const { rows, columns, at } = inside;
  const { height, width } = piece.rectangle;
  const source = new WindowSource(
    { height, width },
    ({ level, from, size }, signal) =>
      valueWindow(recording, address, { rows, columns, at, from, size, level }, signal),
    arrived,
  );
  return { rectangle: piece.rectangle, source, slice: inside, summary };
}

/** An element in words: its index in the whole, its value, its process, and its index there. @param {DrawnPart[]} parts @param {Sharding} sharding @param {Slice} slice @param {ReturnType<typeof elementPlace>|null} at @param {Place|null} place @param {string} name @returns {string|null} */
function words(parts, sharding, slice, at, place, name) {
  if (!at || !place) return null;
  const part = pieceAt(parts, place.row, place.column);
  const said =
    part &&
    readout(
      { source: part.source, summary: part.summary, layout: { slice: part.slice, fold: 0 } },
      place.row - part.rectangle.row,
      place.column - part.rectangle.column,
    );
  const value = said ? (said.exact ? ` = ${said.value}` : ` : ${said.value}`) : "";
  const grid = store.grid.value;
  const whose =
    at.piece && grid
      ? `  ${at.piece.processes.length > 1 ? "processes" : "process"} ${namesOf(grid, at.piece.processes)}, [${at.inside?.join(", ")}] of ${sharding.assembled ? "the piece" : "the part"}`
      : "  in no piece";
  return `${name}[${at.index.join(", ")}]${value}${whose}`;
}

/** @param {import("../../../drawing/heat_map.js").Status|null} status @returns {string} */
function hint(status) {
  if (status?.error) return "Some of the shards could not be fetched.";
  if (status?.busy) return "Fetching…";
  return "Click an element to go to its process.";
}

/** @param {ReturnType<typeof elementPlace>|null} at @param {number} shown @param {Addresses} addresses */
function goTo(at, shown, addresses) {
  if (!at?.piece || at.piece.processes.includes(shown)) return;
  showProcess(holderOf(at.piece, shown, addresses) ?? /** @type {number} */ (at.piece.processes[0]));
}

/** Links for the element at the cursor: to its process, and to itself in the tensor view. @param {{map: {current: PiecesHeatMap|null}, place: Place|null, slice: Slice, seen: Seen[], sharding: Sharding, addresses: Addresses}} props */
function Ways({ map, place, slice, seen, sharding, addresses }) {
  const cursor = place?.by === "keys" ? place : (map.current?.cursor ?? null);
  const at = cursor && elementPlace(slice, seen, cursor.row, cursor.column);
  const grid = store.grid.value;
  const shown = store.process.value;
  if (!at?.piece || !grid)
    return html`<div class="assembled-ways"><span class="quiet">No element is marked.</span></div>`;
  const piece = at.piece;
  const holder = holderOf(piece, shown, addresses);
  const index = sharding.assembled ? at.index : (at.inside ?? []);
  return html`<div class="assembled-ways"><span>Marked: [${at.index.join(", ")}], of ${namesOf(grid, piece.processes)}</span>
    ${!piece.processes.includes(shown) && html`<button class="plain" onClick=${() => goTo(at, shown, addresses)}>Show process ${grid.nameOf(holder ?? piece.processes[0] ?? 0)}</button>`}
    ${holder !== null && html`<button class="plain" onClick=${() => openElement(holder, index)}>Open [${index.join(", ")}] in the tensor view</button>`}</div>`;
}

/** All pieces in words. @param {{sharding: Sharding, addresses: Addresses}} props */
export function PieceList({ sharding: { pieces, shape }, addresses }) {
  const grid = store.grid.value;
  const shown = store.process.value;
  if (!grid) return null;
  return html`<${Details} name="pieces" class="assembled-pieces" summary=${`${pieces.length === 1 ? "The piece" : `The ${pieces.length} pieces`} in words`}>
    <ul>${pieces.map((piece) => {
      const holder = holderOf(piece, shown, addresses) ?? piece.processes[0] ?? 0;
      return html`<li key=${piece.processes.join()}><button aria-pressed=${piece.processes.includes(shown)} onClick=${() => showProcess(holder)}>
        <span class="who">${namesOf(grid, piece.processes, 16)}</span> <span class="box">${sizeOf(piece) === 0 ? "nothing" : boxWords(piece, shape)}</span></button></li>`;
    })}</ul><//>`;
}

/** Minimum height of cells with numbers that leave space for a process name. */
const HIGH_ENOUGH = 44;

class PiecesHeatMap extends HeatMap {
  /** @param {HTMLCanvasElement} canvas @param {{place: (place: Place|null) => void, status: (status: import("../../../drawing/heat_map.js").Status) => void}} tell */
  constructor(canvas, tell) {
    super(canvas, tell);
    /** @type {import("./draw.js").Outlined[]} */
    this.pieces = [];
  }

  /** @param {import("./draw.js").Outlined[]} pieces */
  outline(pieces) {
    this.pieces = pieces;
    this.redraw();
  }

  /** @override @param {CanvasRenderingContext2D} context @param {import("../../../drawing/draw.js").View} view @param {import("../../../core/tensor/window_source.js").Layer[]} layers */
  drawOn(context, view, layers) {
    super.drawOn(context, view, layers);
    const token = coloursOf(this.canvas);
    const theme = { ...themeOf(this.canvas), line: token("--control"), onAccent: token("--on-accent") };
    context.save();
    context.beginPath();
    context.rect(LEFT, TOP, view.screen.width, view.screen.height);
    context.clip();
    context.translate(LEFT, TOP);
    drawPieces(context, view, theme, this.pieces);
    context.restore();
  }

  /** @override @param {CanvasRenderingContext2D} context @param {import("../../../drawing/draw.js").View} view @param {import("../../../drawing/draw.js").Theme} theme @param {import("../../../core/tensor/window_source.js").Layer[]} layers */
  drawElements(context, view, theme, layers) {
    if (view.cell.y >= HIGH_ENOUGH) return super.drawElements(context, view, theme, layers);
    if (layers.some(({ window }) => hasNonfinite(window)))
      drawMarks(context, view, (row, column) => this.pixelAt(row, column));
    drawGrid(context, view, theme);
    return undefined;
  }
}
