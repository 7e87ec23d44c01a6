/**
 * A tensor as cells on one canvas, with related elements highlighted. A heat map whose picture may extend beyond the
 * edges of the tensor, with range selection and indices of the tensor.
 */
import * as cameras from "../../drawing/camera.js";
import { coloursOf } from "../../drawing/canvas.js";
import { pixelOf } from "../../drawing/colour_maps.js";
import * as drawing from "../../drawing/draw.js";
import { LEFT, TOP, isForMany } from "../../drawing/draw.js";
import { HeatMap } from "../../drawing/heat_map.js";
import { elementAt, rulerView } from "./dilation.js";
import { blockEnds, foldedIndex } from "./folding.js";
import {
  drawGhosts,
  drawHoles,
  drawMarks,
  drawOutlines,
  drawPadding,
  drawRegions,
  drawVeil,
  idle,
  isVeiled,
} from "./overlay.js";
/** @import {View} from "../../drawing/draw.js" */
/** @import {Overlay} from "./overlay.js" */

/** @typedef {{row: number, column: number}} Cell */

/** Margin right of and below the cells, in pixels. */
export const EDGE = 5;
/** Minimum size of elements that stay square. */
export const SQUARE = 5;
/** Maximum ratio of width to height for larger ones. */
export const WIDEST = 2;

export class GridView extends HeatMap {
  /** @param {HTMLCanvasElement} canvas @param {{point: (cell: Cell|null) => void, status: (status: import("../../drawing/heat_map.js").Status) => void}} tell */
  constructor(canvas, tell) {
    super(canvas, { place: () => undefined, status: tell.status });
    this.says = tell;
    /** @type {Overlay} */
    this.overlay = idle();
    /** Whether the tensor has elements to draw; otherwise only its cells are drawn. */
    this.hollow = false;
    /** The theme with the colours of regions, cached. @type {ReturnType<typeof gridTheme>|null} */
    this.colours = null;
    /** The background colour of the page, as a pixel. */
    this.paper = 0;
    /** The folding that shows all dimensions at once. @type {{folding: import("./folding.js").Folding, shape: number[]}|null} */
    this.folded = null;
    /** The distance between elements. @type {import("./dilation.js").Spread|null} */
    this.spread = null;
    /** The position of an element; null in another slice. @type {(index: number[]) => Cell|null} */
    this.placeOf = () => null;
  }

  /** The rectangle of an element on the canvas, and its colour; null in another slice. @param {number[]} index */
  cellOf(index) {
    const place = this.placeOf(index);
    if (!place || !this.shown) return null;
    const { camera, cell } = this.innerView();
    const [x, y] = [LEFT + (place.column - camera.left) * cell.x, TOP + (place.row - camera.top) * cell.y];
    return { x, y, width: cell.x, height: cell.y, pixel: this.pixelAt(place.row, place.column) };
  }

  /** The view to draw on the canvas. @param {HTMLCanvasElement} canvas @returns {GridView|null} */
  static on(canvas) {
    const map = super.on(canvas);
    return map instanceof GridView ? map : null;
  }

  /** @param {Overlay} overlay */
  lay(overlay) {
    const { top, left, bottom, right } = this.overlay.margin;
    this.overlay = overlay;
    const { margin } = overlay;
    const isSame = margin.top === top && margin.left === left && margin.bottom === bottom && margin.right === right;
    if (!isSame) this.fit();
    this.redraw();
  }

  restyle() {
    this.colours = null;
    super.restyle();
  }

  /** Frames at the edges need space beside the cells. */
  get edge() {
    return EDGE;
  }

  /** Shapes of regions are compared by eye, so single elements stay nearly square. @returns {import("../../drawing/camera.js").Least|undefined} */
  get least() {
    const zoom = cameras.fittingZoom(this.picture, this.screen);
    if (zoom < SQUARE) return cameras.stretched(this.picture, this.screen);
    const wide = this.screen.width / Math.max(1, this.picture.width);
    return wide > zoom && wide <= WIDEST * zoom + 1 ? { x: wide, y: zoom } : undefined;
  }

  /** The picture: the tensor with its padding. */
  get picture() {
    const { height = 0, width = 0 } = this.shown?.source.picture ?? {};
    const { top = 0, left = 0, bottom = 0, right = 0 } = this.overlay?.margin ?? {};
    return { height: height + top + bottom, width: width + left + right };
  }

  /** The view in cells of the tensor; cells outside it have negative positions or are not visible. @returns {View} */
  innerView() {
    const view = this.view();
    const { top, left } = this.overlay.margin;
    const { height, width } = this.shown?.source.picture ?? { height: 0, width: 0 };
    const { seen, camera } = view;
    return {
      ...view,
      camera: { ...camera, top: camera.top - top, left: camera.left - left },
      picture: { height, width },
      seen: {
        top: Math.max(0, seen.top - top),
        left: Math.max(0, seen.left - left),
        bottom: Math.min(height, seen.bottom - top),
        right: Math.min(width, seen.right - left),
      },
    };
  }

  draw() {
    if (!this.shown || this.screen.width <= 0) return;
    const inner = this.innerView();
    this.tellStatus(inner);
    const context = this.cleared();
    if (context) this.drawTo(context, inner);
  }

  /** Draw on this canvas, on another one or into a file. @param {any} context @param {View} [inner] */
  drawTo(context, inner = this.innerView()) {
    if (!this.shown) return;
    const layers = this.hollow ? [] : this.shown.source.layers(inner.seen, this.level);
    this.colours ??= gridTheme(this.canvas);
    const { source, related } = this.colours;
    const theme = { ...this.colours, highlight: this.overlay.role === "source" ? source : related };
    this.paper = pixelOf(theme.ground);
    if (this.folded) drawFoldedRulers(context, inner, theme, this.folded.folding, this.folded.shape);
    else drawing.drawRulers(context, rulerView(inner, this.spread), theme, this.shown.names);
    context.save();
    context.translate(drawing.LEFT, drawing.TOP);
    clipToScreen(context, this.screen);
    drawPadding(context, this.overlay, inner, theme);
    context.save();
    this.clipToTensor(context, inner);
    for (const { request, window } of layers) drawing.drawImage(context, this.imageOf(window), request, inner);
    if (this.hollow) this.drawHollow(context, inner, theme);
    drawVeil(context, this.overlay, inner, theme);
    if (!this.hollow && this.level === 0) this.drawElements(context, inner, theme, layers);
    if (this.spread) drawHoles(context, this.spread, inner, theme);
    if (this.folded) drawBlocks(context, this.folded, inner, theme);
    context.restore();
    drawing.drawEdge(context, inner, theme);
    drawGhosts(context, this.overlay, inner, theme);
    drawRegions(context, this.overlay, inner, theme);
    drawOutlines(context, this.overlay, inner, theme);
    drawMarks(context, this.overlay, inner, theme);
    if (this.cursor) drawing.drawCursor(context, inner, theme, { ...this.cursor, bin: 1 }, true);
    context.restore();
  }

  /** @param {CanvasRenderingContext2D} context @param {View} inner */
  clipToTensor(context, { camera, picture, cell }) {
    context.beginPath();
    context.rect(-camera.left * cell.x, -camera.top * cell.y, picture.width * cell.x, picture.height * cell.y);
    context.clip();
  }

  /** Numbers under the veil keep their colours. @param {number} row @param {number} column @param {number} room */
  numberIn(row, column, room) {
    const found = elementAt({ row, column }, this.spread) && super.numberIn(row, column, room);
    return found && isVeiled(this.overlay, row, column) ? { ...found, pixel: this.paper } : found;
  }

  /** Cells without elements show their index, if there is space. @param {CanvasRenderingContext2D} context @param {View} inner @param {ReturnType<typeof gridTheme>} theme */
  drawHollow(context, inner, theme) {
    const { camera, picture, cell } = inner;
    context.fillStyle = theme.hover;
    context.fillRect(-camera.left * cell.x, -camera.top * cell.y, picture.width * cell.x, picture.height * cell.y);
    drawing.drawGrid(context, inner, theme);
  }

  /** The cell of the tensor under a point; null outside. @param {{x: number, y: number}} point from the canvas's corner @returns {Cell|null} */
  cellAt(point) {
    const under = cameras.elementUnder(
      this.camera,
      { x: point.x - drawing.LEFT, y: point.y - drawing.TOP },
      this.picture,
    );
    if (!under) return null;
    const { top, left } = this.overlay.margin;
    const { height = 0, width = 0 } = this.shown?.source.picture ?? {};
    const [row, column] = [under.row - top, under.column - left];
    return row >= 0 && column >= 0 && row < height && column < width ? { row, column } : null;
  }

  /** @param {{x: number, y: number}|null} point */
  point(point) {
    this.pointer = point;
    this.says.point(point && this.cellAt(point));
  }

  /** Set the cell of the keyboard cursor. @param {Cell|null} cell */
  setCursor(cell) {
    if (cell === null) {
      this.cursor = null;
      return this.redraw();
    }
    const { top, left } = this.overlay.margin;
    this.cursor = /** @type {import("../../drawing/heat_map.js").Place} */ ({ ...cell, by: "keys" });
    this.pointer = null;
    return this.look(cameras.reveal(this.camera, cell.row + top, cell.column + left, this.picture, this.screen));
  }

  /** The position of the cursor on the screen, else the middle. */
  middle() {
    const { top, left } = this.overlay.margin;
    const { x, y } = super.middle();
    const cell = cameras.cellSize(this.camera, this.picture);
    return this.cursor ? { x: x + left * cell.x, y: y + top * cell.y } : { x, y };
  }
}

/** Draw lines between blocks, wider where more dimensions end. @param {CanvasRenderingContext2D} context @param {NonNullable<GridView["folded"]>} folded @param {View} view @param {{ground: string, text: string}} theme */
function drawBlocks(context, { folding, shape }, { camera, picture, cell }, { ground, text }) {
  const [left, top] = [-camera.left * cell.x, -camera.top * cell.y];
  const [width, height] = [picture.width * cell.x, picture.height * cell.y];
  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {number} depth */
  const line = (x, y, w, h, depth) => {
    context.fillStyle = ground;
    const room = 2 + 2 * depth;
    context.fillRect(w ? x : x - room / 2, h ? y : y - room / 2, w || room, h || room);
    if (depth < 2) return;
    context.fillStyle = text;
    context.fillRect(w ? x : x - 0.5, h ? y : y - 0.5, w || 1, h || 1);
  };
  for (const { at, depth } of blockEnds(folding.rows, shape)) line(left, top + at * cell.y, width, 0, depth);
  for (const { at, depth } of blockEnds(folding.columns, shape)) line(left + at * cell.x, top, 0, height, depth);
}

/** @param {CanvasRenderingContext2D} context @param {import("../../drawing/camera.js").Size} screen */
function clipToScreen(context, { width, height }) {
  context.beginPath();
  // With a margin, so that frames at the edges are visible.
  context.rect(-6, -14, width + 12, height + 20);
  context.clip();
}

/** The page's colours for this canvas, from the style sheet. @param {HTMLElement} element */
function gridTheme(element) {
  const colour = coloursOf(element);
  return {
    ...drawing.themeOf(element),
    hover: colour("--hover"),
    alarm: colour("--alarm"),
    veil: colour("--veil"),
    source: colour("--lit-source"),
    related: colour("--lit-related"),
  };
}

/** Rulers for several dimensions per side: the index of the inner one, and of the outer ones where a block begins. */

const ROOM = { between: 6, down: 11 };

/** @param {any} context @param {View} view in cells of the tensor @param {{quiet: string, font: string}} theme @param {import("./folding.js").Folding} folding @param {number[]} shape */
export function drawFoldedRulers(context, { camera, cell, seen, screen }, theme, folding, shape) {
  context.font = `${isForMany() ? 14 : 10}px ${theme.font}`;
  context.fillStyle = theme.quiet;
  context.textBaseline = "middle";
  context.textAlign = "center";
  const widest = (/** @type {number[]} */ axes) =>
    context.measureText(axes.map((axis) => Math.max(0, (shape[axis] ?? 1) - 1)).join(",")).width + ROOM.between;
  const isRoom = widest(folding.columns) <= cell.x;
  const columns = isRoom ? 1 : Math.ceil(widest(folding.columns.slice(-1)) / cell.x);
  for (let column = seen.left; column < seen.right; column += columns) {
    const x = LEFT + (column + 0.5 - camera.left) * cell.x;
    if (x <= LEFT + screen.width)
      context.fillText(labelOf(folding.columns, shape, { row: 0, column }, isRoom), x, TOP / 2);
  }
  context.textAlign = "right";
  const rows = Math.ceil(ROOM.down / cell.y);
  for (let row = seen.top; row < seen.bottom; row += rows) {
    const y = TOP + (row + 0.5 - camera.top) * cell.y;
    if (y <= TOP + screen.height) context.fillText(labelOf(folding.rows, shape, { row, column: 0 }, true), LEFT - 6, y);
  }
}

/** @param {number[]} axes @param {number[]} shape @param {{row: number, column: number}} cell @param {boolean} room @returns {string} */
function labelOf(axes, shape, cell, room) {
  const index = foldedIndex(
    { rows: axes, columns: axes },
    shape,
    cell.row > 0 ? { row: cell.row, column: cell.row } : { row: cell.column, column: cell.column },
  );
  const places = axes.map((axis) => index[axis] ?? 0);
  return room ? places.join(",") : String(places.at(-1) ?? 0);
}
