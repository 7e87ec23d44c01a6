/**
 * Draws an arrangement on a canvas, or as SVG: what is in the window, with texts as far as they are readable.
 *
 * @typedef {{x: number, y: number, zoom: number}} Camera  x, y: the corner of the window in the picture
 * @typedef {"chosen"|"current"|"path"} Mark
 * @typedef {{colour: string, picture: CanvasImageSource|null, isAhead: boolean, isWrong: boolean}} Look
 * @typedef {{arrangement: import("./arrange.js").Arrangement, parts: import("./parts.js").Parts, marks: ReadonlyMap<Node, ReadonlySet<Mark>>,
 *   lit: ReadonlySet<number>, path: ReadonlySet<number>, hovered: Box|Route|null, cursor: Node|null, look: (node: Node, isReadable: boolean) => Look, hasLabels: boolean}} Scene
 *   lit, path: values whose edges are highlighted
 */
import { CHIPS, chipsOf, chipWidth, hasPicture, HEAD, linesOf, MARGIN, PICTURE, ROW } from "./arrange.js";
import { labelsOf, SIZE as LABEL } from "./labels.js";
/** @import {Box, Route} from "./arrange.js" */
/** @import {Node} from "./nest.js" */

/** Zoom from which texts, pictures and the names of operands are drawn. */
const READABLE = 0.5;
const LABELLED = 0.75;
/** Below this zoom edges are straight. */
const CURVED = 0.3;
const STRIPE = 6;
/** The largest title that covers nothing inside a group; and the smallest on the screen. */
const TITLE = 26;
const LEAST_TITLE = 6;

/** @param {any} context a canvas's, or one that writes SVG @param {Scene} scene @param {Camera} camera @param {{width: number, height: number}} size @param {(token: string) => string} colour */
export function paint(context, scene, camera, size, colour) {
  const { boxes, routes } = scene.arrangement;
  const { x, y, zoom } = camera;
  const [right, bottom] = [x + size.width / zoom, y + size.height / zoom];
  context.save();
  context.scale(zoom, zoom);
  context.translate(-x, -y);
  const here = boxes.filter(
    (box) => box.x < right && box.x + box.width > x && box.y < bottom && box.y + box.height > y,
  );
  for (const box of here) if (box.node.isOpen) paintGroup(context, scene, box, camera, colour);
  const seen = routes.filter(
    (route) => route.left <= right && route.right >= x && route.top <= bottom && route.bottom >= y,
  );
  paintRoutes(context, scene, seen, camera, colour);
  for (const box of here) if (!box.node.isOpen) paintNode(context, scene, box, camera, colour);
  if (zoom >= LABELLED) {
    const isSeen = new Set(seen);
    for (const label of labelsOf(scene.arrangement, scene.parts, scene.hasLabels))
      if (isSeen.has(label.route)) paintLabel(context, label, colour);
  }
  context.restore();
}

/** @param {any} context @param {Scene} scene @param {Box} box @param {Camera} camera @param {(token: string) => string} colour */
function paintGroup(context, scene, { node, x, y, width, height }, { zoom }, colour) {
  const marks = scene.marks.get(node);
  context.fillStyle = colour(node.depth % 2 === 1 ? "--chrome" : "--surface");
  context.fillRect(x, y, width, height);
  context.strokeStyle = colour(isHovered(scene, node) || scene.cursor === node ? "--accent" : "--line");
  context.lineWidth = 1 / Math.min(1, zoom);
  context.strokeRect(x, y, width, height);
  const size = Math.max(11, Math.min(10 / zoom, TITLE));
  const [first, second] = linesOf(scene.parts, node);
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.font = `600 ${size}px ${colour("--face")}`;
  context.fillStyle = colour(marks?.has("current") ? "--accent" : "--text");
  const most = Math.floor((width - 2 * MARGIN) / (size * 0.58));
  const text = `▾ ${first}  ${second}`;
  if (most > 3 && size * zoom >= LEAST_TITLE)
    context.fillText(
      text.length > most ? `${text.slice(0, most - 1)}…` : text,
      x + MARGIN,
      y + HEAD / 2 + (size - 11) / 2,
      width - 2 * MARGIN,
    );
  if (zoom >= READABLE) paintChips(context, scene, node, { x, y: y + HEAD }, colour);
}

/** @param {Scene} scene @param {Node} node */
const isHovered = ({ hovered }, node) => hovered !== null && "node" in hovered && hovered.node === node;

/** @param {any} context @param {Scene} scene @param {readonly Route[]} routes @param {Camera} camera @param {(token: string) => string} colour */
function paintRoutes(context, scene, routes, { zoom }, colour) {
  const of = (/** @type {Route} */ route, /** @type {ReadonlySet<number>} */ values) =>
    route.wire.uses.some(({ value }) => values.has(value));
  const [plain, path, lit] = [[], [], []].map((each) => /** @type {Route[]} */ (each));
  for (const route of routes)
    (scene.hovered === route || of(route, scene.lit) ? lit : of(route, scene.path) ? path : plain)?.push(route);
  for (const [some, token, wide] of /** @type {[Route[], string, number][]} */ ([
    [plain, "--control", 1],
    [path, "--warning", 2],
    [lit, "--accent", 1.6],
  ])) {
    context.strokeStyle = context.fillStyle = colour(token);
    context.lineWidth = wide / Math.min(1, Math.max(0.4, zoom));
    context.beginPath();
    for (const { points } of some) trace(context, points, zoom);
    context.stroke();
    if (zoom < CURVED) continue;
    context.beginPath();
    for (const { points, wire } of some) if (wire.to.kind !== "port") arrow(context, points);
    context.fill();
  }
}

/** @param {any} context @param {Float64Array} points @param {number} zoom */
function trace(context, points, zoom) {
  const at = (/** @type {number} */ index) => /** @type {number} */ (points[index]);
  context.moveTo(at(0), at(1));
  for (let i = 2; i < points.length; i += 2) {
    const [fromX, fromY, x, y] = [at(i - 2), at(i - 1), at(i), at(i + 1)];
    if (zoom < CURVED || fromX === x) context.lineTo(x, y);
    else {
      const half = (fromY + y) / 2;
      context.bezierCurveTo(fromX, half, x, half, x, y);
    }
  }
}

/** @param {any} context @param {Float64Array} points */
function arrow(context, points) {
  const [x, y] = [Number(points[points.length - 2]), Number(points[points.length - 1])];
  context.moveTo(x, y);
  context.lineTo(x - 3.5, y - 6);
  context.lineTo(x + 3.5, y - 6);
  context.closePath();
}

/** @param {any} context @param {Scene} scene @param {Box} box @param {Camera} camera @param {(token: string) => string} colour */
function paintNode(context, scene, box, { zoom }, colour) {
  const { node, x, y, width, height } = box;
  const { colour: own, picture, isAhead, isWrong } = scene.look(node, zoom >= READABLE);
  const marks = scene.marks.get(node);
  const isChosen = marks?.has("chosen");
  if (node.kind === "group") {
    context.fillStyle = context.strokeStyle = colour("--line");
    context.lineWidth = 1;
    context.strokeRect(x + 3, y + 3, width, height);
  }
  context.fillStyle = colour(
    isChosen ? "--tint" : marks?.has("current") ? "--tint-line" : node.kind === "op" ? "--raised" : "--chrome",
  );
  context.fillRect(x, y, width, height);
  context.fillStyle = own;
  context.fillRect(x, y, zoom < READABLE ? width * (node.kind === "op" ? 1 : 0.3) : STRIPE, height);
  const token =
    isChosen || isHovered(scene, node)
      ? "--accent"
      : marks?.has("path")
        ? "--warning"
        : isWrong
          ? "--alarm"
          : "--control";
  context.strokeStyle = colour(token);
  context.lineWidth = (isChosen || marks?.has("path") ? 2 : 1) / Math.min(1, Math.max(0.35, zoom));
  context.strokeRect(x, y, width, height);
  if (scene.cursor === node) {
    context.setLineDash([3, 2]);
    context.strokeStyle = colour("--accent");
    context.strokeRect(x - 3, y - 3, width + 6, height + 6);
    context.setLineDash([]);
  }
  if (marks?.has("current")) paintCurrent(context, box, colour);
  if (zoom < READABLE) return;
  const [first, second] = linesOf(scene.parts, node);
  const top = y + 4 + (node.chips.length > 0 ? CHIPS : 0);
  const left = x + STRIPE + MARGIN - 3;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.font = `600 11px ${colour("--mono")}`;
  context.fillStyle = colour("--text");
  context.fillText(node.canOpen ? `▸ ${first}` : first, left, top + ROW / 2);
  context.font = `11px ${colour("--mono")}`;
  context.fillStyle = colour("--muted");
  if (second) context.fillText(second, left, top + ROW * 1.5);
  if (node.chips.length > 0) paintChips(context, scene, node, { x, y: y + 2 }, colour);
  if (picture && hasPicture(node))
    paintPicture(
      context,
      picture,
      {
        x: x + width - PICTURE.width - 4,
        y: y + height - Math.min(PICTURE.height, height - 6) - 3,
        high: Math.min(PICTURE.height, height - 6),
      },
      isAhead,
      colour,
    );
}

/** The arrow of the current line. @param {any} context @param {Box} box @param {(token: string) => string} colour */
function paintCurrent(context, { x, y, height }, colour) {
  context.fillStyle = colour("--accent");
  context.beginPath();
  context.moveTo(x - 4, y + height / 2);
  context.lineTo(x - 12, y + height / 2 - 6);
  context.lineTo(x - 12, y + height / 2 + 6);
  context.closePath();
  context.fill();
}

/** @param {any} context @param {CanvasImageSource} picture @param {{x: number, y: number, high: number}} at @param {boolean} isAhead @param {(token: string) => string} colour */
function paintPicture(context, picture, { x, y, high }, isAhead, colour) {
  context.imageSmoothingEnabled = false;
  context.globalAlpha = isAhead ? 0.45 : 1;
  context.drawImage(picture, x, y, PICTURE.width, high);
  context.globalAlpha = 1;
  context.strokeStyle = colour("--line");
  context.lineWidth = 1;
  context.strokeRect(x, y, PICTURE.width, high);
}

/** The operands that are drawn at their reader. @param {Node} node @returns {{chip: import("./nest.js").Chip|null, text: string, left: number, width: number}[]} */
export function chipPlaces(node) {
  const { shown, others } = chipsOf(node);
  let left = MARGIN;
  const place = (/** @type {import("./nest.js").Chip|null} */ chip, /** @type {string} */ text) => {
    const found = { chip, text, left, width: chipWidth(text) };
    left += found.width + 4;
    return found;
  };
  return [...shown.map((chip) => place(chip, chip.text)), ...(others > 0 ? [place(null, `+${others}`)] : [])];
}

/** @param {any} context @param {Scene} scene @param {Node} node @param {{x: number, y: number}} at @param {(token: string) => string} colour */
function paintChips(context, scene, node, { x, y }, colour) {
  context.font = `10px ${colour("--mono")}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const { chip, text, left, width } of chipPlaces(node)) {
    context.fillStyle = colour("--hover");
    context.fillRect(x + left, y + 1, width, CHIPS - 4);
    if (chip && scene.lit.has(chip.value)) {
      context.strokeStyle = colour("--accent");
      context.lineWidth = 1;
      context.strokeRect(x + left, y + 1, width, CHIPS - 4);
    }
    context.fillStyle = colour(chip?.kind === "constant" ? "--syntax-number" : "--syntax-value");
    context.fillText(text, x + left + 5, y + CHIPS / 2 - 1);
  }
}

/** @param {any} context @param {import("./labels.js").Label} label @param {(token: string) => string} colour */
function paintLabel(context, { text, x, y, height }, colour) {
  context.font = `${LABEL}px ${colour("--mono")}`;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.fillStyle = colour("--muted");
  context.fillText(text, x + 1, y + height - 3);
}
