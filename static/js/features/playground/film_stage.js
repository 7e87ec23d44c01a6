/** Where the cells of a picture lie, and the drawing of one moment of a film over it. */
import { cssColour, textColourOn } from "../../drawing/colour_maps.js";
import { parseAddress } from "../../core/addresses.js";
import { elementOf } from "../../core/tensor/axes.js";
import { GridView } from "../../ui/tensor_grid/grid_view.js";
import { themeOf as themeOfCanvas } from "../../drawing/draw.js";
import { ease, interpolate } from "../../drawing/moving.js";
import { coloursOf } from "../../drawing/canvas.js";
/** @import {Film, Position} from "./film.js" */
/** @import {SourceElement} from "../../core/types.js" */

/** @typedef {{x: number, y: number, width: number, height: number, pixel: number}} Cell */
/**
 * names: of the operands, as derivations have them; processes: the name of each process, in the order of their numbers
 *
 * @typedef {{names: string[], processes: string[]}} Names
 * @typedef {{names: Names, cell: (side: "operand"|"result", number: number, index: number[], process?: number|null) => Cell|null}} Stage
 */

/** The part of a beat in which elements move; then the partial result is shown. */
export const LANDED = 0.75;
/** Maximum number of elements that move at a time. */
const MOST_FLYING = 64;
/** Minimum width of a cell with a number in it. */
const READABLE = 14;

/** @param {HTMLElement} sides the pictures of all tensors @param {Names} names @returns {Stage} */
export function stageOf(sides, names) {
  const corner = sides.getBoundingClientRect();
  /** @type {Map<string, {view: GridView, x: number, y: number}|null>} */
  const known = new Map();
  const grid = (/** @type {string} */ selector) => {
    const canvas = /** @type {HTMLCanvasElement|null} */ (sides.querySelector(`.index-tensor${selector} canvas`));
    const view = canvas && GridView.on(canvas);
    if (!canvas || !view) return null;
    const { left, top } = canvas.getBoundingClientRect();
    return { view, x: left - corner.left, y: top - corner.top };
  };
  return {
    names,
    // `process`: another one than that of the film
    cell: (side, number, index, process = null) => {
      const selector =
        process === null
          ? `[data-side="${side}"][data-number="${number}"]`
          : `[data-elsewhere="${side} ${number} ${names.processes[process]}"]`;
      if (!known.has(selector)) known.set(selector, grid(selector));
      const found = known.get(selector);
      const cell = found?.view.cellOf(index);
      return found && cell ? { ...cell, x: cell.x + found.x, y: cell.y + found.y } : null;
    },
  };
}

/** The drawn cells of the sources of a beat. @param {Stage} stage @param {Film} film @param {SourceElement[]} sources @returns {{from: Cell, text: string}[]} */
export const flightsOf = (stage, film, sources) =>
  sources.slice(0, MOST_FLYING).flatMap(({ name, index, text, address }) => {
    const number = stage.names.names.indexOf(name);
    const { process } = parseAddress(address);
    const from = number < 0 ? null : stage.cell("operand", number, index, process === film.process ? null : process);
    return from ? [{ from, text }] : [];
  });

/** Colours and type of the page, for the drawing. @param {HTMLElement} element */
export function themeOf(element) {
  return { ...themeOfCanvas(element), mono: coloursOf(element)("--mono") };
}

/** @typedef {ReturnType<typeof themeOf>} Theme */

/**
 * Draw one moment: later elements of the result are blank, the one being made shows its partial result, and elements
 * are on their way to it.
 *
 * @param {CanvasRenderingContext2D} context @param {Stage} stage @param {Film} film @param {Position} at @param {Theme} theme
 */
export function drawMoment(context, stage, film, { element, beat, phase }, theme) {
  const beats = film.beats(element) ?? [];
  const cellAt = (/** @type {number} */ number) => stage.cell("result", film.result, elementOf(film.shape, number));
  const isDone = beat >= beats.length - 1 && phase >= 1;
  for (let number = element + (isDone ? 1 : 0); number < film.count; number++) {
    const cell = cellAt(number);
    if (cell) drawBlank(context, cell, theme);
  }
  const target = cellAt(element);
  if (!target || isDone) return;
  const shown = phase >= LANDED ? beats[beat] : beats[beat - 1];
  if (shown) drawText(context, target, shown.shows, theme.text, theme);
  context.strokeStyle = theme.accent;
  context.lineWidth = 2;
  context.strokeRect(target.x, target.y, target.width, target.height);
  if (phase >= LANDED) return;
  for (const { from, text } of flightsOf(stage, film, beats[beat]?.sources ?? [])) {
    context.strokeRect(from.x, from.y, from.width, from.height);
    const cell = interpolate(from, target, ease(Math.min(1, phase / LANDED)));
    context.fillStyle = cssColour(from.pixel);
    context.fillRect(cell.x, cell.y, cell.width, cell.height);
    context.strokeRect(cell.x, cell.y, cell.width, cell.height);
    drawText(context, cell, text, textColourOn(from.pixel), theme);
  }
}

/** @param {CanvasRenderingContext2D} context @param {Cell} cell @param {Theme} theme */
function drawBlank(context, { x, y, width, height }, { ground, line }) {
  context.fillStyle = ground;
  context.fillRect(x, y, width, height);
  if (width < 6) return;
  context.strokeStyle = line;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
}

/** @param {CanvasRenderingContext2D} context @param {Omit<Cell, "pixel">} cell @param {string} text @param {string} colour @param {Theme} theme */
function drawText(context, { x, y, width, height }, text, colour, { mono }) {
  if (width < READABLE) return;
  context.fillStyle = colour;
  context.font = `600 ${fontSize(text, width)}px ${mono}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, x + width / 2, y + height / 2);
}

/** The size at which a number fits into a cell. @param {string} text @param {number} width */
export const fontSize = (text, width) =>
  Math.max(7, Math.min(12, Math.floor(width / (0.62 * Math.max(1, text.length)))));
