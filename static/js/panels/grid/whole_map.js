/** The heat map of a whole tensor, with its pieces drawn over it. */
import { LEFT, TOP, drawGrid, drawMarks } from "../../tensor/draw.js";
import { paint } from "../../tensor/paint.js";
import { drawPieces } from "../../grid/whole_drawing.js";
import { HeatMap } from "../tensor/heat_map.js";

/** Cells that hold a number leave room for the name of a process above it from this height on. */
const HIGH_ENOUGH = 38;

export class WholeMap extends HeatMap {
  /** @param {HTMLCanvasElement} canvas @param {{place: (place: import("../tensor/heat_map.js").Place|null) => void, status: (status: import("../tensor/heat_map.js").Status) => void}} tell */
  constructor(canvas, tell) {
    super(canvas, tell);
    /** @type {import("../../grid/whole_drawing.js").Outlined[]} */
    this.pieces = [];
    /** Pixels of each part's window. @type {WeakMap<object, {ink: object, pixels: Uint32Array}>} */
    this.known = new WeakMap();
  }

  /** @param {import("../../grid/whole_drawing.js").Outlined[]} pieces */
  outline(pieces) {
    this.pieces = pieces;
    this.redraw();
  }

  /** @override @param {CanvasRenderingContext2D} context @param {import("../../tensor/draw.js").View} view @param {import("../../tensor/source.js").Layer[]} layers */
  drawOn(context, view, layers) {
    super.drawOn(context, view, layers);
    const style = getComputedStyle(this.canvas);
    const token = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const theme = { text: token("--text"), quiet: token("--muted"), line: token("--control"), ground: token("--surface"), accent: token("--accent"), onAccent: token("--on-accent"), font: style.fontFamily };
    context.save();
    context.beginPath();
    context.rect(LEFT, TOP, view.screen.width, view.screen.height);
    context.clip();
    context.translate(LEFT, TOP);
    drawPieces(context, view, theme, this.pieces);
    context.restore();
  }

  /** @override @param {CanvasRenderingContext2D} context @param {import("../../tensor/draw.js").View} view @param {import("../../tensor/draw.js").Theme} theme */
  drawElements(context, view, theme) {
    if (view.cell.y >= HIGH_ENOUGH) return super.drawElements(context, view, theme);
    drawGrid(context, view, theme);
    drawMarks(context, view, (row, column) => this.pixelAt(row, column));
  }

  /** Neighbours in a row are of different windows here. @override @param {import("../../types.js").ValueWindow} window @returns {Uint32Array} */
  pixelsOf(window) {
    const ink = /** @type {import("../tensor/heat_map.js").Shown} */ (this.shown).ink;
    const already = this.known.get(window);
    if (already?.ink === ink) return already.pixels;
    const pixels = paint(window, ink);
    this.known.set(window, { ink, pixels });
    return pixels;
  }
}
