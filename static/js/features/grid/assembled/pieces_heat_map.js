/** The heat map of a whole tensor, with its pieces drawn over it. */
import { LEFT, TOP, drawGrid, drawMarks } from "../../../drawing/draw.js";
import { HeatMap } from "../../../drawing/heat_map.js";
import { hasNonfinite, paint } from "../../../drawing/paint.js";
import { drawPieces } from "./draw.js";

/** Cells that hold a number leave room for the name of a process above it from this height on. */
const HIGH_ENOUGH = 44;

export class PiecesHeatMap extends HeatMap {
  /** @param {HTMLCanvasElement} canvas @param {{place: (place: import("../../../drawing/heat_map.js").Place|null) => void, status: (status: import("../../../drawing/heat_map.js").Status) => void}} tell */
  constructor(canvas, tell) {
    super(canvas, tell);
    /** @type {import("./draw.js").Outlined[]} */
    this.pieces = [];
    /** Pixels of each part's window. @type {WeakMap<object, {colourScale: object, pixels: Uint32Array}>} */
    this.known = new WeakMap();
  }

  /** @param {import("./draw.js").Outlined[]} pieces */
  outline(pieces) {
    this.pieces = pieces;
    this.redraw();
  }

  /** @override @param {CanvasRenderingContext2D} context @param {import("../../../drawing/draw.js").View} view @param {import("../../../core/tensor/window_source.js").Layer[]} layers */
  drawOn(context, view, layers) {
    super.drawOn(context, view, layers);
    const style = getComputedStyle(this.canvas);
    const token = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const theme = {
      text: token("--text"),
      quiet: token("--muted"),
      line: token("--control"),
      ground: token("--surface"),
      accent: token("--accent"),
      onAccent: token("--on-accent"),
      font: style.fontFamily,
    };
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

  /** Neighbours in a row are of different windows here. @override @param {import("../../../core/view_types.js").ValueWindow} window @returns {Uint32Array} */
  pixelsOf(window) {
    const colourScale = /** @type {import("../../../drawing/heat_map.js").Shown} */ (this.shown).colourScale;
    const already = this.known.get(window);
    if (already?.colourScale === colourScale) return already.pixels;
    const pixels = paint(window, colourScale);
    this.known.set(window, { colourScale, pixels });
    return pixels;
  }
}
