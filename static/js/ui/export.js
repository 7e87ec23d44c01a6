/** Export of a value as text or as a picture. */
import { say } from "../core/messages.js";
import { valueWindow } from "../core/api.js";
import { countOf, EVERY_AXIS } from "../core/tensor/axes.js";
import { countText, elementAt, elementText, short } from "../core/tensor/elements.js";
import { LEVELS } from "../drawing/colour_maps.js";
import { themeOf } from "../drawing/draw.js";
import { SvgContext } from "../drawing/svg.js";
import { fetchSummary } from "../core/tensor/known_values.js";
import { isCopied } from "./copied.js";

/** Maximum number of elements copied as text; a file suits more. */
export const MOST_COPIED = 10_000;

/** @param {string} text @returns {Promise<void>} */
export async function copyText(text) {
  if (!(await isCopied(text))) say({ kind: "error", text: "The browser did not allow the page to copy." });
}

/** @param {Blob|string} content a URL, or the content @param {string} name */
export function download(content, name) {
  const url = typeof content === "string" ? content : URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  if (typeof content !== "string") setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A file name for a value. @param {string} name @param {string} address @param {string} ending */
export const fileName = (name, address, ending) =>
  `${name.replace(/[^\w.-]+/g, "_").replace(/^_+/, "") || "value"}-${address}.${ending}`;

/**
 * The elements of the shown slice, or null if it is not completely loaded, or larger than a text may be.
 *
 * @param {import("../core/tensor/window_source.js").WindowSource} source @param {import("../core/types.js").ValueSummary} summary
 * @returns {import("../core/tensor/literals.js").Elements|null}
 */
export function shownElements({ loaded, picture }, { elementType, wire, shape }) {
  const whole = [...loaded.values()].find(
    ({ request: { level, from, size } }) =>
      level === 0 && from[0] === 0 && from[1] === 0 && size[0] === picture.height && size[1] === picture.width,
  );
  const plane = whole?.window.planes.value;
  if (!plane || plane.length > MOST_COPIED * wire.components) return null;
  const sizes = shape.length > 1 ? [picture.height, picture.width] : shape;
  return { plane, elementType, wire, sizes };
}

/** Elements as nested lists. @param {import("../core/tensor/literals.js").Elements} elements @returns {string} */
export const listText = ({ plane, sizes, ...types }) => nestedText(textsOf(plane, types), sizes);

/** @param {import("../core/view_types.js").Plane} plane @param {Pick<import("../core/types.js").ValueSummary, "elementType"|"wire">} summary @returns {string[]} */
const textsOf = (plane, { elementType, wire }) =>
  Array.from({ length: plane.length / wire.components }, (_, index) =>
    elementText(elementAt(plane, wire, index), elementType, wire),
  );

/** Elements in row-major order as nested lists, one line per innermost list. @param {readonly string[]} texts @param {readonly number[]} sizes @returns {string} */
export function nestedText(texts, sizes) {
  const [count = 1, ...inner] = sizes;
  if (sizes.length === 0) return texts[0] ?? "";
  if (inner.length === 0) return `[${texts.join(", ")}]`;
  const each = countOf(inner);
  const parts = Array.from({ length: count }, (_, at) => nestedText(texts.slice(at * each, (at + 1) * each), inner));
  return `[${parts.join(`,${"\n".repeat(inner.length)}`).replaceAll(/\n(?=[^\n])/g, "\n ")}]`;
}

/** All elements of a value, or null if they are more than a text may have. @param {string} key @param {import("../core/types.js").ValueSummary} summary @returns {Promise<import("../core/tensor/literals.js").Elements|null>} */
export async function allElements(key, { address, count, shape, elementType, wire }) {
  if (count > MOST_COPIED) return null;
  const whole = { rows: -1, columns: EVERY_AXIS, at: shape.map(() => 0), level: 0 };
  const { planes } = await valueWindow(key, address, { ...whole, from: [0, 0], size: [1, count] });
  return {
    plane: /** @type {import("../core/view_types.js").Plane} */ (planes.value),
    elementType,
    wire,
    sizes: shape,
  };
}

/** Copy all elements of a value as text, or report the alternative. @param {string} key @param {string} address @returns {Promise<void>} */
export async function copyValue(key, address) {
  const elements = await allElements(key, await fetchSummary(key, address));
  if (!elements) return tooMany();
  await copyText(listText(elements));
  const count = countOf(elements.sizes);
  return say({
    kind: "info",
    text: `${count === 1 ? "The element was" : `${countText(count)} elements were`} copied.`,
  });
}

/** Report that a value is too large to copy as text. */
export function tooMany() {
  const most = countText(MOST_COPIED);
  say({ kind: "info", text: `Only up to ${most} elements are copied as text. Download the .npy file instead.` });
}

/**
 * The visible picture, with its title and its legend.
 *
 * @typedef {{title: string, canvas: HTMLCanvasElement, colourScale: import("../drawing/paint.js").ColourScale}} Shot
 * @typedef {{x: number, y: number, width: number, height: number, colour: string, text: string|null, textColour: string}} Cell
 */

const FOOT = 34;
const HEAD = 28;

/** @param {HTMLCanvasElement} canvas @returns {{width: number, height: number}} in CSS pixels */
const sizeOf = ({ width, height }) => ({
  width: width / window.devicePixelRatio,
  height: height / window.devicePixelRatio + HEAD + FOOT,
});

/** @param {Shot} shot @returns {Promise<Blob|null>} */
export function pngOf(shot) {
  const density = window.devicePixelRatio;
  const { width, height } = sizeOf(shot.canvas);
  const image = document.createElement("canvas");
  [image.width, image.height] = [Math.round(width * density), Math.round(height * density)];
  const context = image.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.scale(density, density);
  drawShot(context, shot, null);
  return new Promise((resolve) => image.toBlob(resolve, "image/png"));
}

/** @param {Shot} shot @param {Cell[]|null} cells null: as one image @returns {Blob} */
export function svgOf(shot, cells) {
  const context = new SvgContext(sizeOf(shot.canvas));
  drawShot(context, shot, cells);
  return context.file(shot.title);
}

/** @param {any} context a canvas's, or one that writes SVG @param {Shot} shot @param {Cell[]|null} cells */
function drawShot(context, { title, canvas, colourScale }, cells) {
  const { width, height } = sizeOf(canvas);
  const { ground, text, font } = themeOf(canvas);
  context.textBaseline = "middle";
  context.fillStyle = ground;
  context.fillRect(0, 0, width, height);
  if (!cells) context.drawImage(canvas, 0, HEAD, width, height - HEAD - FOOT);
  context.save();
  context.translate(0, HEAD);
  context.textAlign = "center";
  context.font = `10px ${font}`;
  for (const cell of cells ?? []) {
    context.fillStyle = cell.colour;
    context.fillRect(cell.x, cell.y, cell.width, cell.height);
    context.fillStyle = cell.textColour;
    if (cell.text) context.fillText(cell.text, cell.x + cell.width / 2, cell.y + cell.height / 2);
  }
  context.restore();
  context.textAlign = "left";
  context.font = `13px ${font}`;
  context.fillStyle = text;
  context.fillText(title, 8, HEAD / 2);
  if (!colourScale.categories) drawLegend(context, colourScale, height - FOOT, text);
}

const STOPS = 64;

/** @param {any} context @param {Shot["colourScale"]} colourScale @param {number} top @param {string} text colour */
function drawLegend(context, { table, scale }, top, text) {
  for (let at = 0; at < STOPS; at++) {
    const pixel = table[Math.round((at * LEVELS) / (STOPS - 1))] ?? 0;
    context.fillStyle = `rgb(${pixel & 255},${(pixel >> 8) & 255},${(pixel >> 16) & 255})`;
    context.fillRect(60 + at * 3, top + 12, 3.2, 10);
  }
  const [low, high] = [short(scale.low), short(scale.high)];
  context.fillStyle = text;
  context.textAlign = "right";
  context.fillText(low, 54, top + 17);
  context.textAlign = "left";
  context.fillText(high, 66 + STOPS * 3, top + 17);
}
