/**
 * A heat map on one canvas: it has the camera and the cursor, draws after changes, and reports the element under the
 * pointer or cursor. `show` sets its data.
 *
 * @typedef {{source: WindowSource, colourScale: import("./paint.js").ColourScale, elementType: string,
 *   wire: import("../core/tensor/elements.js").Wire, names: import("./draw.js").Names}} Shown
 * @typedef {{row: number, column: number, by: "pointer"|"keys"}} Place
 * @typedef {{cell: {x: number, y: number}, level: number, fitted: boolean, busy: boolean, error: unknown}} Status
 */
import { afterPause, onFrame } from "../core/idle.js";
import { elementAt, fittedText } from "../core/tensor/elements.js";
import * as cameras from "./camera.js";
import { clearCanvas, withPixels } from "./canvas.js";
import * as drawing from "./draw.js";
import { hasNonfinite, paint } from "./paint.js";
import { exactElement } from "../core/tensor/window_source.js";
/** @import {WindowSource} from "../core/tensor/window_source.js" */

/** Maximum time for which the previous picture stays while the next one is loading. */
const PATIENCE_MS = 200;
/** Minimum zoom that shows single elements. */
const EXACT_ZOOM = 48;

/** The heat map of each canvas. @type {WeakMap<Element, HeatMap>} */
const drawn = new WeakMap();

export class HeatMap {
  /** The heat map on a canvas, if there is one. @param {Element} canvas */
  static on(canvas) {
    return drawn.get(canvas) ?? null;
  }

  /** @param {HTMLCanvasElement} canvas @param {{place: (place: Place|null) => void, status: (status: Status) => void}} tell */
  constructor(canvas, tell) {
    this.canvas = canvas;
    this.tell = tell;
    /** @type {Shown|null} */
    this.shown = null;
    /** @type {import("./camera.js").Camera} */
    this.camera = { zoom: 1, left: 0, top: 0 };
    this.screen = { width: 0, height: 0 };
    this.fitted = true;
    /** @type {Place|null} */
    this.cursor = null;
    /** @type {Place|null} */
    this.hover = null;
    /** The element that another view of a value of this shape points at. @type {{row: number, column: number}|null} */
    this.mark = null;
    /** Called when the user has moved the camera. */
    this.looked = () => {};
    /** The position of the pointer on the canvas. @type {{x: number, y: number}|null} */
    this.pointer = null;
    /** Draws over the elements. @type {((context: CanvasRenderingContext2D, view: import("./draw.js").View) => void)|null} */
    this.drawOver = null;
    /** Of several windows: neighbours in a row may come from different ones. @type {WeakMap<object, {colourScale: object, pixels: Uint32Array}>} */
    this.pixels = new WeakMap();
    /** @type {WeakMap<object, {pixels: Uint32Array, image: HTMLCanvasElement}>} */
    this.images = new WeakMap();
    /** The theme, cached: reading styles is expensive. @type {import("./draw.js").Theme|null} */
    this.theme = null;
    this.since = 0;
    /** Cancels the timer that drops the previous picture. @type {(() => void)|null} */
    this.forget = null;
    /** @type {(() => void)|null} */
    this.cancelFrame = null;
    this.observer = new ResizeObserver(() => {
      this.resize();
      this.drawNow(); // the frame with the new size is not painted yet
    });
    this.observer.observe(canvas);
    drawn.set(canvas, this);
  }

  /** @param {Shown} shown */
  show(shown) {
    const before = this.shown?.source;
    const other = shown.source !== before;
    const { height, width } = shown.source.picture;
    this.shown = shown;
    if (other) this.since = performance.now();
    if (before?.picture.height !== height || before?.picture.width !== width) {
      this.cursor = null;
      this.hover = null;
      this.mark = null;
      this.refit();
    }
    this.redraw();
  }

  get picture() {
    return this.shown?.source.picture ?? { width: 0, height: 0 };
  }

  resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    const { edge } = this;
    this.screen = {
      width: Math.max(0, width - drawing.LEFT - edge),
      height: Math.max(0, height - drawing.TOP - edge),
    };
    if (this.fitted) this.refit();
    else this.look({ ...this.camera, least: this.least });
  }

  /** Margin right of and below the picture, in pixels. @returns {number} */
  get edge() {
    return 0;
  }

  /** The stretch of elements; undefined for square ones. @returns {import("./camera.js").Least|undefined} */
  get least() {
    return cameras.stretched(this.picture, this.screen);
  }

  /** Show the whole picture. */
  fit() {
    this.refit();
    this.looked();
  }

  /** Show what another view shows. @param {HeatMap} other */
  follow({ camera, fitted }) {
    if (fitted) return this.refit();
    this.camera = cameras.clamp({ ...camera, least: this.least }, this.picture, this.screen);
    this.fitted = false;
    this.redraw();
  }

  /** Mark the element that another view points at. @param {{row: number, column: number}|null} place */
  markPlace(place) {
    if (place === this.mark) return;
    this.mark = place;
    this.redraw();
  }

  refit() {
    this.camera = cameras.fit(this.picture, this.screen, this.least);
    this.fitted = true;
    this.redraw();
  }

  /** @param {import("./camera.js").Camera} camera */
  look(camera) {
    this.camera = cameras.clamp(camera, this.picture, this.screen);
    this.fitted = this.camera.zoom <= cameras.fittingZoom(this.picture, this.screen);
    this.looked();
    this.redraw();
  }

  /** Update the element under the pointer after zooming and panning. */
  pointAgain() {
    if (this.pointer) this.point(this.pointer);
  }

  /** @param {number} factor @param {{x: number, y: number}} [point] */
  zoom(factor, point = this.middle()) {
    this.look(cameras.zoomAt(this.camera, factor, point, this.picture, this.screen));
    this.pointAgain();
  }

  /** @param {number} x @param {number} y */
  pan(x, y) {
    this.look(cameras.panBy(this.camera, x, y, this.picture, this.screen));
    this.pointAgain();
  }

  /** The position of the cursor on the screen, else the middle. */
  middle() {
    if (!this.cursor) return { x: this.screen.width / 2, y: this.screen.height / 2 };
    const cell = cameras.cellSize(this.camera, this.picture);
    return {
      x: (this.cursor.column + 0.5 - this.camera.left) * cell.x,
      y: (this.cursor.row + 0.5 - this.camera.top) * cell.y,
    };
  }

  /** Zoom until the element at the cursor is a single cell. */
  zoomToElement() {
    const { row, column } = this.cursor ?? { row: 0, column: 0 };
    const near = { ...this.camera, zoom: Math.max(this.camera.zoom, EXACT_ZOOM) };
    const cell = cameras.cellSize(near, this.picture);
    const left = column + 0.5 - this.screen.width / cell.x / 2;
    this.look({ ...near, left, top: row + 0.5 - this.screen.height / cell.y / 2 });
  }

  /** Number of elements per cursor step: 1, or the size of a bin. */
  get stride() {
    return 2 ** this.level;
  }

  get level() {
    const level = cameras.levelFor(this.camera, this.picture, window.devicePixelRatio);
    return Math.min(level, this.shown?.source.coarse.level ?? 0);
  }

  /** @param {number} row @param {number} column */
  moveCursor(row, column) {
    const { height, width } = this.picture;
    if (height * width === 0) return;
    const place = { row: Math.min(Math.max(0, row), height - 1), column: Math.min(Math.max(0, column), width - 1) };
    this.cursor = { ...place, by: "keys" };
    this.hover = null;
    this.pointer = null;
    this.look(cameras.reveal(this.camera, place.row, place.column, this.picture, this.screen));
    this.tell.place(this.cursor);
  }

  /** @param {{x: number, y: number}|null} point from the canvas's corner */
  point(point) {
    this.pointer = point;
    const inside = point && { x: point.x - drawing.LEFT, y: point.y - drawing.TOP };
    const under = inside && cameras.elementUnder(this.camera, inside, this.picture);
    this.hover = under && { ...under, by: "pointer" };
    this.tell.place(this.hover ?? this.cursor);
    this.redraw();
  }

  /** The position of a point in elements, with fractions; null outside the picture. @param {{x: number, y: number}} point from the canvas's corner */
  placeAt({ x, y }) {
    const cell = cameras.cellSize(this.camera, this.picture);
    const row = (y - drawing.TOP) / cell.y + this.camera.top;
    const column = (x - drawing.LEFT) / cell.x + this.camera.left;
    const isInside = row >= 0 && column >= 0 && row <= this.picture.height && column <= this.picture.width;
    return isInside ? { row, column } : null;
  }

  /** The point of a position in elements. @param {{row: number, column: number}} place @returns {{x: number, y: number}} from the canvas's corner */
  pointAt({ row, column }) {
    const cell = cameras.cellSize(this.camera, this.picture);
    return {
      x: (column - this.camera.left) * cell.x + drawing.LEFT,
      y: (row - this.camera.top) * cell.y + drawing.TOP,
    };
  }

  /** Redraw with the current colours of the page. */
  restyle() {
    this.theme = null;
    this.redraw();
  }

  redraw() {
    this.cancelFrame ??= onFrame(() => {
      this.cancelFrame = null;
      this.draw();
    });
  }

  /** Draw without waiting for the next frame. */
  drawNow() {
    this.cancelFrame?.();
    this.cancelFrame = null;
    this.draw();
  }

  /** The visible part of the picture and its scale. @returns {import("./draw.js").View} */
  view() {
    const { camera, picture, screen } = this;
    return {
      camera,
      picture,
      screen,
      cell: cameras.cellSize(camera, picture),
      seen: cameras.visible(camera, picture, screen),
    };
  }

  draw() {
    if (!this.shown || this.screen.width === 0) return;
    const { source } = this.shown;
    const view = this.view();
    const layers = source.layers(view.seen, this.level);
    this.tellStatus(view);
    if (layers.length === 0 && source.busy && performance.now() - this.since < PATIENCE_MS) {
      this.forget ??= afterPause(() => this.redraw(), PATIENCE_MS);
      return;
    }
    this.forget?.();
    this.forget = null;
    const context = this.cleared();
    if (context) this.drawOn(context, view, layers);
  }

  /** @param {import("./draw.js").View} view */
  tellStatus({ cell }) {
    const { busy, error } = /** @type {Shown} */ (this.shown).source;
    this.tell.status({ cell, level: this.level, fitted: this.fitted, busy, error });
  }

  /** The cleared canvas, in CSS pixels. @returns {CanvasRenderingContext2D|null} */
  cleared() {
    const { width, height } = this.screen;
    return clearCanvas(this.canvas, {
      width: width + drawing.LEFT + this.edge,
      height: height + drawing.TOP + this.edge,
    });
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./draw.js").View} view @param {import("../core/tensor/window_source.js").Layer[]} layers */
  drawOn(context, view, layers) {
    this.theme ??= drawing.themeOf(this.canvas);
    const { theme } = this;
    drawing.drawRulers(context, view, theme, /** @type {Shown} */ (this.shown).names);
    context.save();
    context.translate(drawing.LEFT, drawing.TOP);
    drawing.clipToPicture(context, view);
    for (const { request, window } of layers) drawing.drawImage(context, this.imageOf(window), request, view);
    if (this.level === 0) this.drawElements(context, view, theme, layers);
    const { planes } = /** @type {Shown} */ (this.shown).names;
    if (planes) drawing.drawPlanes(context, view, theme, planes);
    this.drawOver?.(context, view);
    context.restore();
    context.save();
    context.translate(drawing.LEFT, drawing.TOP);
    drawing.drawEdge(context, view, theme);
    for (const place of [this.cursor, this.hover]) {
      if (place) drawing.drawCursor(context, view, theme, this.binAround(place), place.by === "keys");
    }
    if (this.mark) drawing.drawCursor(context, view, theme, this.binAround(this.mark), true);
    context.restore();
  }

  /** @param {CanvasRenderingContext2D} context @param {import("./draw.js").View} view @param {import("./draw.js").Theme} theme @param {import("../core/tensor/window_source.js").Layer[]} layers */
  drawElements(context, view, theme, layers) {
    const isMarked = layers.some(({ window }) => hasNonfinite(window));
    const pixelAt = (/** @type {number} */ row, /** @type {number} */ column) => this.pixelAt(row, column);
    if (isMarked) drawing.drawMarks(context, view, pixelAt, !drawing.namesInfinities(view));
    drawing.drawGrid(context, view, theme); // over the hatching, which would break its lines
    if (drawing.hasRoomForNumbers(view))
      drawing.drawNumbers(context, view, theme, (row, column, room) => this.numberIn(row, column, room));
  }

  /** @param {{row: number, column: number}} place */
  binAround({ row, column }) {
    const bin = this.stride;
    return { row: Math.floor(row / bin) * bin, column: Math.floor(column / bin) * bin, bin };
  }

  /** @param {import("../core/view_types.js").ValueWindow} window @returns {HTMLCanvasElement} */
  imageOf(window) {
    const pixels = this.pixelsOf(window);
    const already = this.images.get(window);
    if (already?.pixels === pixels) return already.image;
    const image = withPixels(already?.image ?? document.createElement("canvas"), pixels, window.header);
    this.images.set(window, { pixels, image });
    return image;
  }

  /** @param {number} row @param {number} column @param {number} room */
  numberIn(row, column, room) {
    const found = this.shown && exactElement(this.shown, row, column);
    if (!found || !this.shown) return null;
    const { elementType, wire } = this.shown;
    return {
      text: fittedText(elementAt(found.plane, wire, found.at), elementType, wire, room),
      pixel: this.pixelAt(row, column),
    };
  }

  /** @param {number} row @param {number} column @returns {number} */
  pixelAt(row, column) {
    const found = this.shown && exactElement(this.shown, row, column);
    return (found && this.pixelsOf(found.window)[found.at]) ?? 0;
  }

  /** @param {import("../core/view_types.js").ValueWindow} window @returns {Uint32Array} */
  pixelsOf(window) {
    const colourScale = /** @type {Shown} */ (this.shown).colourScale;
    const already = this.pixels.get(window);
    if (already?.colourScale === colourScale) return already.pixels;
    const pixels = paint(window, colourScale);
    this.pixels.set(window, { colourScale, pixels });
    return pixels;
  }

  close() {
    this.cancelFrame?.();
    this.forget?.();
    this.observer.disconnect();
  }
}
