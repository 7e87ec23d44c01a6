/**
 * Draw a picture on a canvas: the pixels of each layer, then numbers, marks, rulers and the cursor. Holds no state.
 *
 * @typedef {{camera: Camera, picture: Size, screen: Size, cell: {x: number, y: number}, seen: Rectangle}} View
 * @typedef {{text: string, quiet: string, line: string, ground: string, accent: string, font: string}} Theme
 * @typedef {CanvasRenderingContext2D} Context
 * @typedef {{rows: string, columns: string, planes?: {height: number, width: number}|null}} Names of the axes; planes: the size of each, where all are drawn
 */
import { coloursOf } from "./canvas.js";
import { textColourOn, SPECIALS, SPECIAL_PIXELS } from "./colour_maps.js";
/** @import {Camera, Rectangle, Size} from "./camera.js" */

/** Space for the rulers. */
export const LEFT = 46;
export const TOP = 20;

const CHARACTER = 6.2;
const NUMBER_FONT = 10;
const LARGEST_NUMBER = 13;
/** Sizes in presenter mode, limited by the space of rulers and cells. */
const FOR_MANY = { ruler: 14, number: 32 };
/** Maximum characters. */
const ROOM_OF_FLOAT = 6;
const SMALLEST_WITH_NUMBER = { x: 26, y: 13 };
/** Minimum size of cells with a sign, and with hatching. */
const SMALLEST_WITH_MARK = 8;
const SMALLEST_WITH_HATCH = 4;
const SMALLEST_WITH_GRID = 10;

/** Draw the visible part of a layer's image. @param {Context} context @param {CanvasImageSource} image @param {import("../core/tensor/window_source.js").Request} request @param {View} view */
export function drawImage(context, image, { level, from, size }, { camera, cell, seen }) {
  const bin = 2 ** level;
  const first = {
    x: Math.max(0, Math.floor(seen.left / bin) - from[1]),
    y: Math.max(0, Math.floor(seen.top / bin) - from[0]),
  };
  const end = {
    x: Math.min(size[1], Math.ceil(seen.right / bin) - from[1]),
    y: Math.min(size[0], Math.ceil(seen.bottom / bin) - from[0]),
  };
  const [width, height] = [end.x - first.x, end.y - first.y];
  if (width <= 0 || height <= 0) return;
  const left = ((from[1] + first.x) * bin - camera.left) * cell.x;
  const top = ((from[0] + first.y) * bin - camera.top) * cell.y;
  context.imageSmoothingEnabled = Math.min(cell.x, cell.y) * bin < 0.5;
  context.drawImage(image, first.x, first.y, width, height, left, top, width * bin * cell.x, height * bin * cell.y);
}

/** Clip to the picture, without the area past the end of a folded vector. @param {Context} context @param {View} view */
export function clipToPicture(context, { camera, picture, screen, cell }) {
  context.beginPath();
  context.rect(
    0,
    0,
    Math.min(screen.width, (picture.width - camera.left) * cell.x),
    Math.min(screen.height, (picture.height - camera.top) * cell.y),
  );
  context.clip();
}

/** Draw an edge around the picture, which pale cells would not show. @param {Context} context @param {View} view @param {Theme} theme */
export function drawEdge(context, { camera, picture, cell }, theme) {
  context.strokeStyle = theme.line;
  context.lineWidth = 1;
  context.strokeRect(
    -camera.left * cell.x - 0.5,
    -camera.top * cell.y - 0.5,
    picture.width * cell.x + 1,
    picture.height * cell.y + 1,
  );
}

/** Whether cells are large enough for a number. @param {View} view @returns {boolean} */
export const hasRoomForNumbers = ({ cell }) => cell.x >= SMALLEST_WITH_NUMBER.x && cell.y >= SMALLEST_WITH_NUMBER.y;

/** @param {Context} context @param {View} view @param {Theme} theme */
export function drawGrid(context, { camera, cell, seen }, theme) {
  if (Math.min(cell.x, cell.y) < SMALLEST_WITH_GRID) return;
  context.strokeStyle = theme.ground;
  context.lineWidth = 1;
  context.beginPath();
  for (let column = seen.left; column <= seen.right; column++) {
    const x = Math.round((column - camera.left) * cell.x) - 0.5;
    context.moveTo(x, (seen.top - camera.top) * cell.y);
    context.lineTo(x, (seen.bottom - camera.top) * cell.y);
  }
  for (let row = seen.top; row <= seen.bottom; row++) {
    const y = Math.round((row - camera.top) * cell.y) - 0.5;
    context.moveTo((seen.left - camera.left) * cell.x, y);
    context.lineTo((seen.right - camera.left) * cell.x, y);
  }
  context.stroke();
}

/** Draw lines between the planes of a value. @param {Context} context @param {View} view @param {Theme} theme @param {{height: number, width: number}} planes */
export function drawPlanes(context, { camera, cell, picture, seen }, theme, { height, width }) {
  context.fillStyle = theme.ground;
  const thick = (/** @type {number} */ size) => Math.max(1, Math.min(4, size / 6));
  const [x, y] = [thick(width * cell.x), thick(height * cell.y)];
  const [top, down] = [(seen.top - camera.top) * cell.y, (seen.bottom - seen.top) * cell.y];
  const [left, right] = [(seen.left - camera.left) * cell.x, (seen.right - seen.left) * cell.x];
  for (let column = width; column < picture.width; column += width)
    context.fillRect((column - camera.left) * cell.x - x / 2, top, x, down);
  for (let row = height; row < picture.height; row += height)
    context.fillRect(left, (row - camera.top) * cell.y - y / 2, right, y);
}

/** Whether the picture is drawn in presenter mode. */
export const isForMany = () => globalThis.document?.documentElement.dataset.presenter === "on";

/** The font size of numbers in cells, and the maximum characters: letters are smaller where a float would not fit otherwise. @param {View} view @returns {{size: number, room: number}} */
function fontOf({ cell }) {
  const across = cell.x - 4;
  const largest = isForMany() ? FOR_MANY.number : LARGEST_NUMBER;
  const high = cell.y * (isForMany() ? 0.6 : 1 / 3);
  const size = Math.max(NUMBER_FONT, Math.min(largest, high, (across * NUMBER_FONT) / (CHARACTER * ROOM_OF_FLOAT)));
  // A tolerance, so that rounding does not exclude an exact fit.
  return { size, room: Math.floor(across / ((CHARACTER * size) / NUMBER_FONT) + 1e-6) };
}

/** Whether cells are large enough to spell an infinity. @param {View} view @returns {boolean} */
export const namesInfinities = (view) => hasRoomForNumbers(view) && fontOf(view).room >= "+Inf".length;

/** Draw numbers in the cells. @param {Context} context @param {View} view @param {Theme} theme @param {(row: number, column: number, room: number) => {text: string|null, pixel: number}|null} cellAt */
export function drawNumbers(context, view, theme, cellAt) {
  const { camera, cell, seen } = view;
  const { size, room } = fontOf(view);
  context.font = `${size}px ${theme.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let row = seen.top; row < seen.bottom; row++) {
    for (let column = seen.left; column < seen.right; column++) {
      const found = cellAt(row, column, room);
      if (!found?.text) continue;
      context.fillStyle = textColourOn(found.pixel);
      context.fillText(found.text, (column + 0.5 - camera.left) * cell.x, (row + 0.5 - camera.top) * cell.y);
    }
  }
}

/** Non-finite elements have a shape besides their colour: NaN is hatched, an infinity has its sign. @param {Context} context @param {View} view @param {(row: number, column: number) => number} pixelAt @param {boolean} [signs] not where numbers say it */
export function drawMarks(context, { camera, cell, seen }, pixelAt, signs = true) {
  const size = Math.min(cell.x, cell.y);
  if (size < SMALLEST_WITH_HATCH) return;
  for (let row = seen.top; row < seen.bottom; row++) {
    for (let column = seen.left; column < seen.right; column++) {
      const kind = specialOf(pixelAt(row, column));
      if (!kind) continue;
      const [x, y] = [(column - camera.left) * cell.x, (row - camera.top) * cell.y];
      if (kind === "nan") drawHatch(context, x, y, cell);
      else if (signs && size >= SMALLEST_WITH_MARK)
        drawSign(context, kind, x + cell.x / 2, y + cell.y / 2, size * 0.28);
    }
  }
}

/** @param {number} pixel @returns {import("./colour_maps.js").Special|null} */
function specialOf(pixel) {
  if (pixel === SPECIAL_PIXELS.nan) return "nan";
  if (pixel === SPECIAL_PIXELS.posinf) return "posinf";
  return pixel === SPECIAL_PIXELS.neginf ? "neginf" : null;
}

/** Distance between hatching lines, in pixels. */
const HATCH = 9;

/** @param {Context} context @param {number} left @param {number} top @param {{x: number, y: number}} cell */
function drawHatch(context, left, top, { x: width, y: height }) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.strokeStyle = SPECIALS.nan.mark;
  context.beginPath();
  const apart = Math.max(3, Math.min(HATCH, width / 2));
  context.lineWidth = apart / 3; // thicker lines would hide the colour
  for (let x = left - height + apart / 2; x < left + width; x += apart) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.stroke();
  context.restore();
}

/** @param {Context} context @param {"posinf"|"neginf"} kind @param {number} x @param {number} y @param {number} reach */
function drawSign(context, kind, x, y, reach) {
  context.strokeStyle = SPECIALS[kind].mark;
  context.lineWidth = Math.max(1, reach / 2.5);
  context.beginPath();
  for (const [fromX, fromY, toX, toY] of MARKS[kind]) {
    context.moveTo(x + fromX * reach, y + fromY * reach);
    context.lineTo(x + toX * reach, y + toY * reach);
  }
  context.stroke();
}

const ACROSS = /** @type {const} */ ([-1, 0, 1, 0]);
const UPRIGHT = /** @type {const} */ ([0, -1, 0, 1]);
/** Both ends of the lines of each mark, relative to its size: hatching, plus, minus. @type {Record<import("./colour_maps.js").Special, (readonly [number, number, number, number])[]>} */
const MARKS = {
  nan: [
    [-1.7, 0, 0, -1.7],
    [-1.7, 1.7, 1.7, -1.7],
    [0, 1.7, 1.7, 0],
  ],
  posinf: [ACROSS, UPRIGHT],
  neginf: [ACROSS],
};

/** The same marks for SVG. @param {import("./colour_maps.js").Special} kind @param {number} x @param {number} y @param {number} reach @returns {string} */
export const markPath = (kind, x, y, reach) =>
  MARKS[kind]
    .map(
      ([fromX, fromY, toX, toY]) => `M${x + fromX * reach} ${y + fromY * reach}L${x + toX * reach} ${y + toY * reach}`,
    )
    .join("");

/** Draw row and column numbers at the edges. The picture starts at (LEFT, TOP) of the canvas. @param {Context} context @param {View} view @param {Theme} theme @param {Names} names */
export function drawRulers(context, { camera, cell, seen, screen }, theme, names) {
  const size = isForMany() ? FOR_MANY.ruler : NUMBER_FONT;
  const [down, across] = names.planes ? [names.planes.height, names.planes.width] : [Infinity, Infinity];
  context.font = `${size}px ${theme.font}`;
  context.fillStyle = theme.quiet;
  context.textBaseline = "middle";
  context.textAlign = "center";
  for (const column of ticks(seen.left, seen.right, cell.x, (widthOf(seen.right) * size) / NUMBER_FONT)) {
    const x = LEFT + (column + 0.5 - camera.left) * cell.x;
    const isCut = x + context.measureText(String(column % across)).width / 2 > LEFT + screen.width + 3;
    if (x >= LEFT && !isCut) context.fillText(String(column % across), Math.max(x, LEFT + size / 3), TOP / 2);
  }
  context.textAlign = "right";
  for (const row of ticks(seen.top, seen.bottom, cell.y, 22)) {
    const y = TOP + (row + 0.5 - camera.top) * cell.y;
    if (y >= TOP && y <= TOP + screen.height) context.fillText(String(row % down), LEFT - 6, Math.max(y, TOP + 5));
  }
  context.textAlign = "left";
  const corner = [names.rows && `${names.rows}↓`, names.columns && `${names.columns}→`].filter(Boolean).join(" ");
  const wide = context.measureText(corner).width;
  if (wide > LEFT - 4) context.font = `${Math.floor((size * (LEFT - 4)) / wide)}px ${theme.font}`;
  context.fillText(corner, 0, TOP / 2);
}

/** The space that the largest number before `end` needs. @param {number} end */
const widthOf = (end) => 12 + 7 * String(Math.max(0, Math.ceil(end) - 1)).length;

/** Round numbers at readable distances. @param {number} first @param {number} end @param {number} size @param {number} apart @returns {number[]} */
export function ticks(first, end, size, apart) {
  const atLeast = Math.max(1, apart / size);
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const step = Math.ceil(
    [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= atLeast) ?? 10 * power,
  );
  const all = [];
  for (let tick = Math.ceil(first / step) * step; tick < end; tick += step) all.push(tick);
  return all;
}

/** Draw lines from a cell to the rulers, and a frame around it. @param {Context} context @param {View} view @param {Theme} theme @param {{row: number, column: number, bin: number}} at @param {boolean} strong */
export function drawCursor(context, { camera, cell, screen }, theme, { row, column, bin }, strong) {
  const x = (column - camera.left) * cell.x;
  const y = (row - camera.top) * cell.y;
  const [width, height] = [Math.max(3, bin * cell.x), Math.max(3, bin * cell.y)];
  context.save();
  context.lineWidth = 1;
  if (!strong) {
    context.globalAlpha = 0.5;
    context.strokeStyle = theme.text;
    context.beginPath();
    context.moveTo(x + width / 2, 0);
    context.lineTo(x + width / 2, Math.min(y, screen.height));
    context.moveTo(0, y + height / 2);
    context.lineTo(Math.min(x, screen.width), y + height / 2);
    context.stroke();
    context.globalAlpha = 1;
  }
  // Two frames, one light and one dark, are visible on every colour.
  for (const [colour, grow, line] of /** @type {[string, number, number][]} */ ([
    [theme.ground, 1.5, 3],
    [strong ? theme.accent : theme.text, 1, 2],
  ])) {
    context.strokeStyle = colour;
    context.lineWidth = line;
    context.strokeRect(x - grow, y - grow, width + 2 * grow - 1, height + 2 * grow - 1);
  }
  context.restore();
}

/** The page's colours for this canvas, from the style sheet. @param {HTMLElement} element @returns {Theme} */
export function themeOf(element) {
  const colour = coloursOf(element);
  return {
    text: colour("--text"),
    quiet: colour("--muted"),
    line: colour("--line"),
    ground: colour("--surface"),
    accent: colour("--accent"),
    font: getComputedStyle(element).fontFamily,
  };
}
