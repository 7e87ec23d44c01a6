/** The drawn graph as a file: every visible node with its picture, in the colours of the page, and the legend. */
import * as store from "../../core/store.js";
import { counted } from "../../core/tensor/elements.js";
import { SvgContext } from "../../drawing/svg.js";
import { download } from "../../ui/export.js";
import { fetchThumbnail } from "../../ui/thumbnails.js";
import { LETTER } from "./arrange.js";
import { paint } from "./paint.js";
import { colourAt } from "./values.js";
/** @import {LegendParts} from "./legend.js" */
/** @import {Scene} from "./paint.js" */
/** @import {Shown} from "./scene.js" */

const MARGIN = 16;
const FOOT = 26;
const SCALE = { width: 96, high: 8, steps: 48 };
/** A picture is no larger, in pixels: browsers have a limit. */
const MOST_PIXELS = 8_000;

/** Draw the graph once all its pictures are here, and download it. @param {(scene: Scene, legend: LegendParts, colour: (token: string) => string) => Blob|null|Promise<Blob|null>} file @param {string} name @param {() => Shown} shown draws what is here @param {LegendParts} legend @param {(token: string) => string} colour */
async function save(file, name, shown, legend, colour) {
  const key = store.recordingKey.peek() ?? "";
  await Promise.allSettled([...shown().seen.values()].map(({ address }) => fetchThumbnail(key, address)));
  const made = await file(shown().scene, legend, colour);
  if (made) download(made, name);
}

/** The items of the menu of files. @param {() => Shown} shown draws what is here @param {LegendParts} legend @param {(token: string) => string} colour @returns {import("../../ui/menu.js").MenuItem[]} */
export const files = (shown, legend, colour) => [
  {
    text: "SVG",
    title: "The whole drawn graph, its texts as text",
    run: () => save(graphSvg, "graph.svg", shown, legend, colour),
  },
  {
    text: "PNG",
    title: "The whole drawn graph as pixels",
    run: () => save(graphPng, "graph.png", shown, legend, colour),
  },
];

/** @param {Scene} scene @param {LegendParts} legend */
function sizeOf({ arrangement }, legend) {
  const letters = [...legend.signs.map(([, text]) => `${text}    `), ...(legend.scale ?? []), legend.about].join("  ");
  const foot = letters.length * LETTER + (legend.scale ? SCALE.width : 0);
  return {
    width: Math.ceil(Math.max(arrangement.width, foot) + 2 * MARGIN),
    height: Math.ceil(arrangement.height + 2 * MARGIN + FOOT),
  };
}

/** @param {any} context a canvas's, or one that writes SVG @param {Scene} scene @param {LegendParts} legend @param {(token: string) => string} colour */
function drawAll(context, scene, legend, colour) {
  const size = sizeOf(scene, legend);
  context.fillStyle = colour("--surface");
  context.fillRect(0, 0, size.width, size.height);
  const x = (scene.arrangement.width - size.width) / 2;
  paint(context, { ...scene, hovered: null, cursor: null }, { x, y: -MARGIN, zoom: 1 }, size, colour);
  drawLegend(context, legend, size.height - FOOT / 2, colour);
}

/** @param {any} context @param {LegendParts} legend @param {number} middle @param {(token: string) => string} colour */
function drawLegend(context, { signs, scale, about }, middle, colour) {
  let x = MARGIN;
  context.font = `11px ${colour("--mono")}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const write = (/** @type {string} */ text) => {
    context.fillStyle = colour("--muted");
    context.fillText(text, x, middle);
    x += (text.length + 2) * LETTER;
  };
  const box = (/** @type {string} */ fill, /** @type {number} */ width) => {
    context.fillStyle = fill;
    context.fillRect(x, middle - SCALE.high / 2, width, SCALE.high);
  };
  if (scale) {
    write(scale[0]);
    for (let at = 0; at < SCALE.steps; at++, x += SCALE.width / SCALE.steps)
      box(colourAt(at / (SCALE.steps - 1)), SCALE.width / SCALE.steps + 0.2);
    x += LETTER;
    write(scale[1]);
  }
  for (const [token, text] of signs) {
    box(colour(`--${token}`), SCALE.high);
    x += 2 * LETTER;
    write(text);
  }
  if (about) write(about);
}

/** @param {Scene} scene @param {LegendParts} legend @param {(token: string) => string} colour @returns {Blob} */
function graphSvg(scene, legend, colour) {
  const context = new SvgContext(sizeOf(scene, legend));
  drawAll(context, scene, legend, colour);
  const nodes = scene.arrangement.boxes.filter(({ node }) => !node.isOpen).length;
  return context.file(`Graph: ${counted(nodes, "node")}`);
}

/** @param {Scene} scene @param {LegendParts} legend @param {(token: string) => string} colour @returns {Promise<Blob|null>} */
function graphPng(scene, legend, colour) {
  const { width, height } = sizeOf(scene, legend);
  const density = Math.min(2, MOST_PIXELS / Math.max(width, height));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.ceil(width * density), Math.ceil(height * density)];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.scale(density, density);
  drawAll(context, scene, legend, colour);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
