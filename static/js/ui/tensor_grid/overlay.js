/**
 * The overlay of a tensor's cells: related regions, outlines of windows, cells beyond the edges, and marks. Drawn on a
 * canvas; holds no state.
 *
 * @typedef {"clamped"|"dropped"|"several"|"outside"} MarkKind
 * @typedef {{row: number, column: number, kind: MarkKind, text: string}} Mark
 * @typedef {{row: number, column: number, rows: number, columns: number, dashed: boolean, text: string}} Outline
 * @typedef {{top: number, left: number, bottom: number, right: number}} Margin  rows and columns of padding that are drawn
 * @typedef {{role: "source"|"related"|"idle", rectangles: Rectangle[], unknown: boolean, ghosts: Rectangle[], outlines: Outline[],
 *   marks: Mark[], margin: Margin}} Overlay
 * @typedef {{highlight: string, ground: string, veil: string, line: string, text: string, alarm: string, font: string}} OverlayTheme
 * @typedef {CanvasRenderingContext2D} Context
 */

import { drawCross } from "../../drawing/marks.js";
import { drawable, Path } from "../../drawing/svg.js";
/** @import {Rectangle} from "../../core/indexing/regions.js" */
/** @import {View} from "../../drawing/draw.js" */

export const noMargin = () => ({ top: 0, left: 0, bottom: 0, right: 0 });

/** @returns {Overlay} */
export const idle = () => ({
  role: "idle",
  rectangles: [],
  unknown: false,
  ghosts: [],
  outlines: [],
  marks: [],
  margin: noMargin(),
});

/** Minimum size of cells with their own frames; regions of smaller ones have one frame. */
const FRAMED = 7;
const HATCH = 6;

/** The runs of a rectangle on the screen: one if its cells touch or are tiny. @param {import("../../core/indexing/regions.js").Span} span @param {number} first @param {number} size @param {number} from @param {number} to @returns {Generator<[number, number]>} start and length in pixels */
function* runs(span, first, size, from, to) {
  const touching = span.stride === 1 || span.stride * size < 3;
  if (touching) {
    yield [(span.start - first) * size, ((span.size - 1) * span.stride + 1) * size];
    return;
  }
  const begin = Math.max(0, Math.floor((from - span.start) / span.stride));
  for (let step = begin; step < span.size; step++) {
    const at = span.start + step * span.stride;
    if (at > to) return;
    yield [(at - first) * size, size];
  }
}

/** A path around all visible rectangles. @param {Rectangle[]} rectangles @param {View} view @param {number} grow @returns {Path} */
function pathOf(rectangles, { camera, cell, seen }, grow) {
  const path = new Path();
  for (const { row, column } of rectangles) {
    if (row.start >= seen.bottom || column.start >= seen.right) continue;
    if (row.start + row.size * row.stride <= seen.top || column.start + column.size * column.stride <= seen.left)
      continue;
    for (const [y, height] of runs(row, camera.top, cell.y, seen.top, seen.bottom)) {
      for (const [x, width] of runs(column, camera.left, cell.x, seen.left, seen.right)) {
        const [w, h] = [Math.max(width, 2), Math.max(height, 2)];
        path.rect(x - grow, y - grow, w + 2 * grow, h + 2 * grow);
      }
    }
  }
  return path;
}

/** Veil unrelated elements. @param {Context} context @param {Overlay} overlay @param {View} view in cells of the tensor @param {OverlayTheme} theme */
export function drawVeil(context, overlay, view, theme) {
  const { role, rectangles, unknown } = overlay;
  if (role !== "related") return;
  const { camera, picture, cell } = view;
  const veil = new Path();
  veil.rect(-camera.left * cell.x, -camera.top * cell.y, picture.width * cell.x, picture.height * cell.y);
  if (unknown) return hatch(context, veil, theme.highlight);
  veil.addPath(pathOf(rectangles, view, 0));
  context.fillStyle = theme.veil;
  return context.fill(drawable(context, veil), "evenodd");
}

/** Whether a cell is under the veil. @param {Overlay} overlay @param {number} row @param {number} column @returns {boolean} */
export function isVeiled({ role, rectangles, unknown }, row, column) {
  /** @param {import("../../core/indexing/regions.js").Span} span @param {number} at */
  const inside = ({ start, size, stride }, at) =>
    at >= start && at <= start + (size - 1) * stride && (at - start) % stride === 0;
  return (
    role === "related" &&
    !unknown &&
    !rectangles.some((rectangle) => inside(rectangle.row, row) && inside(rectangle.column, column))
  );
}

/** Frame related elements. @param {Context} context @param {Overlay} overlay @param {View} view in cells of the tensor @param {OverlayTheme} theme */
export function drawRegions(context, overlay, view, theme) {
  const { role, rectangles } = overlay;
  if (role === "idle") return;
  const { cell } = view;
  const lit = pathOf(rectangles, view, 0);
  const wide = Math.min(cell.x, cell.y) >= FRAMED;
  context.lineJoin = "miter";
  context.strokeStyle = theme.ground;
  context.lineWidth = wide ? 4 : 3;
  context.stroke(drawable(context, lit));
  context.strokeStyle = theme.highlight;
  context.lineWidth = wide ? 2 : 1.5;
  context.stroke(drawable(context, lit));
  if (role === "source" && wide) hatchCorners(context, rectangles, view, theme);
}

/** Mark selected elements with a corner besides their colour. @param {Context} context @param {Rectangle[]} rectangles @param {View} view @param {OverlayTheme} theme */
function hatchCorners(context, rectangles, { camera, cell, seen }, theme) {
  context.fillStyle = theme.highlight;
  for (const { row, column } of rectangles.slice(0, 256)) {
    if (row.start >= seen.bottom || column.start >= seen.right) continue;
    const [x, y] = [(column.start - camera.left) * cell.x, (row.start - camera.top) * cell.y];
    const reach = Math.min(8, cell.x / 3);
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + reach, y);
    context.lineTo(x, y + reach);
    context.fill();
  }
}

/** Hatch a path: a pattern that needs no colour. @param {Context} context @param {Path} path @param {string} colour */
export function hatch(context, path, colour) {
  const { width, height } = context.canvas;
  context.save();
  context.clip(drawable(context, path));
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.globalAlpha = 0.5;
  context.beginPath();
  for (let at = -height; at < width; at += HATCH) {
    context.moveTo(at, 0);
    context.lineTo(at + height, height);
  }
  context.stroke();
  context.restore();
}

/** Draw cells in the padding as an empty grid. @param {Context} context @param {Overlay} overlay @param {View} view in cells of the tensor @param {OverlayTheme} theme */
export function drawPadding(context, { margin }, view, theme) {
  if (margin.top || margin.left || margin.bottom || margin.right) dottedGrid(context, margin, view, theme);
}

/** Draw the holes of a dilated tensor like cells in the padding. @param {Context} context @param {import("./dilation.js").Spread} spread @param {View} view in cells of the tensor @param {OverlayTheme} theme */
export function drawHoles(context, { rows, columns }, view, theme) {
  const { camera, picture, cell, seen } = view;
  const holes = new Path();
  /** @param {number} first @param {number} end @param {number} apart @param {(from: number) => void} add */
  const between = (first, end, apart, add) => {
    for (let element = Math.floor(first / apart); apart > 1 && element * apart < end; element++)
      add(element * apart + 1);
  };
  between(seen.top, seen.bottom, rows, (from) =>
    holes.rect(-camera.left * cell.x, (from - camera.top) * cell.y, picture.width * cell.x, (rows - 1) * cell.y),
  );
  between(seen.left, seen.right, columns, (from) =>
    holes.rect((from - camera.left) * cell.x, -camera.top * cell.y, (columns - 1) * cell.x, picture.height * cell.y),
  );
  context.fillStyle = theme.ground;
  context.fill(drawable(context, holes));
  context.save();
  context.clip(drawable(context, holes));
  dottedGrid(context, noMargin(), view, theme);
  context.restore();
}

/** @param {Context} context @param {Margin} margin @param {View} view @param {OverlayTheme} theme */
function dottedGrid(context, margin, { camera, picture, cell }, theme) {
  const [left, top] = [(-margin.left - camera.left) * cell.x, (-margin.top - camera.top) * cell.y];
  const [columns, rows] = [picture.width + margin.left + margin.right, picture.height + margin.top + margin.bottom];
  context.strokeStyle = theme.line;
  context.lineWidth = 1;
  if (Math.min(cell.x, cell.y) >= FRAMED) {
    context.setLineDash([2, 2]);
    context.beginPath();
    for (let column = 0; column <= columns; column++) {
      context.moveTo(Math.round(left + column * cell.x) - 0.5, top);
      context.lineTo(Math.round(left + column * cell.x) - 0.5, top + rows * cell.y);
    }
    for (let row = 0; row <= rows; row++) {
      context.moveTo(left, Math.round(top + row * cell.y) - 0.5);
      context.lineTo(left + columns * cell.x, Math.round(top + row * cell.y) - 0.5);
    }
    context.stroke();
    context.setLineDash([]);
  }
}

/** Draw window positions without an element: hatched, with a dashed frame. @param {Context} context @param {Overlay} overlay @param {View} view in cells of the tensor @param {OverlayTheme} theme */
export function drawGhosts(context, { margin, ghosts }, view, theme) {
  if (ghosts.length === 0) return;
  const { picture, cell } = view;
  const everything = {
    ...view,
    seen: {
      top: -margin.top,
      left: -margin.left,
      bottom: picture.height + margin.bottom,
      right: picture.width + margin.right,
    },
  };
  hatch(context, pathOf(ghosts, everything, 0), theme.highlight);
  if (Math.min(cell.x, cell.y) < FRAMED) return;
  context.strokeStyle = theme.highlight;
  context.lineWidth = 1;
  context.setLineDash([3, 2]);
  context.stroke(drawable(context, pathOf(ghosts, everything, -1.5)));
  context.setLineDash([]);
}

/** Draw windows as outlines; the window as read is dashed. @param {Context} context @param {Overlay} overlay @param {View} view @param {OverlayTheme} theme */
export function drawOutlines(context, { outlines }, { camera, cell, screen }, theme) {
  for (const { row, column, rows, columns, dashed, text } of outlines) {
    const [x, y] = [(column - camera.left) * cell.x, (row - camera.top) * cell.y];
    const [width, height] = [columns * cell.x, rows * cell.y];
    context.setLineDash(dashed ? [4, 3] : []);
    for (const [colour, line] of /** @type {[string, number][]} */ ([
      [theme.ground, 5],
      [theme.highlight, 2.5],
    ])) {
      context.strokeStyle = colour;
      context.lineWidth = line;
      context.strokeRect(x - 1, y - 1, width + 2, height + 2);
    }
    context.setLineDash([]);
    // Below the window where it would lie over the numbers of the columns; nowhere if it would lie over elements.
    const at = y < SIGN ? y + height + SIGN : y;
    if (text && at < screen.height + 6) label(context, text, x, at, theme);
  }
}

/** Height of a sign with its distance from the window. */
const SIGN = 15;

/** @param {Context} context @param {string} text @param {number} x @param {number} y @param {OverlayTheme} theme */
function label(context, text, x, y, theme) {
  context.font = `10px ${theme.font}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const width = context.measureText(text).width + 6;
  const at = Math.max(x - 2, 0);
  context.fillStyle = theme.highlight;
  context.fillRect(at, y - 14, width, 13);
  context.fillStyle = theme.ground;
  context.fillText(text, at + 3, y - 7.5);
}

/** Height of a badge, in pixels: half of it covers the cell above if it would hide the number. */
const BADGE = 13;

/** A glyph in the corner of a cell, whose shape shows the problem. @param {Context} context @param {Overlay} overlay @param {View} view @param {OverlayTheme} theme */
export function drawMarks(context, { marks }, { camera, cell, seen }, theme) {
  const size = Math.min(cell.x, cell.y);
  if (size < FRAMED) return;
  for (const { row, column, kind, text } of marks) {
    if (row < seen.top || row >= seen.bottom || column < seen.left || column >= seen.right) continue;
    const lift = kind !== "dropped" && row > seen.top && cell.y >= BADGE && cell.y < 3 * BADGE ? BADGE / 2 : 0;
    const [x, y] = [(column - camera.left) * cell.x, (row - camera.top) * cell.y - lift];
    GLYPHS[kind](context, x, y, cell, theme, text);
  }
}

/** @type {Record<MarkKind, (context: Context, x: number, y: number, cell: {x: number, y: number}, theme: OverlayTheme, text: string) => void>} */
const GLYPHS = {
  several: (context, x, y, cell, theme, text) => badge(context, x, y, cell, theme.text, theme.ground, text),
  clamped: (context, x, y, cell, theme, text) => badge(context, x, y, cell, theme.text, theme.ground, text || "⇥"),
  outside: (context, x, y, cell, theme, text) => badge(context, x, y, cell, theme.alarm, theme.ground, text || "✕"),
  dropped: (context, x, y, cell, theme) => {
    const path = new Path();
    path.rect(x, y, cell.x, cell.y);
    hatch(context, path, theme.text);
    context.strokeStyle = theme.alarm;
    context.lineWidth = 2;
    const reach = Math.min(cell.x, cell.y, 30) * 0.3;
    drawCross(context, x + cell.x / 2, y + cell.y / 2, 2 * reach);
  },
};

/** @param {Context} context @param {number} x @param {number} y @param {{x: number, y: number}} cell @param {string} ground @param {string} textColour @param {string} text */
function badge(context, x, y, cell, ground, textColour, text) {
  context.font = "9px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "center";
  const width = Math.max(12, context.measureText(text).width + 4);
  if (cell.x < width || cell.y < BADGE) {
    context.fillStyle = ground;
    context.fillRect(x + cell.x - 4, y, 4, 4);
    return;
  }
  context.fillStyle = ground;
  context.fillRect(x + cell.x - width, y, width, 12);
  context.fillStyle = textColour;
  context.fillText(text, x + cell.x - width / 2, y + 6.5);
}
