/**
 * Draw a collective execution: the input of each process on the left, its output on the right, and chunks on their
 * way. Stateless.
 *
 * @typedef {{x: number, y: number, width: number, height: number}} Area
 * @typedef {{size: {height: number, width: number}, image: HTMLCanvasElement|null, numbers: Numbers|null}} Sheet  size in elements
 * @typedef {(row: number, column: number, room: number) => {text: string, pixel: number}|null} Numbers  of an element, in this many characters
 * @typedef {{name: string, gives: Sheet|null, gets: Sheet|null, settled: boolean, landed: import("./model.js").Piece[], colour: string, active: boolean}} Actor
 * @typedef {{piece: import("./model.js").Piece, read: import("../../../drawing/boxes.js").Rectangle, written: import("../../../drawing/boxes.js").Rectangle, from: number, to: number, hot: boolean}} Flight  from, to: indices in the group
 * @typedef {{layout: import("../layout.js").Layout, actors: Actor[], flights: Flight[], landed: Flight[], time: number, still: boolean, hot: boolean}} Scene
 * @typedef {(token: string) => string} Colours
 */
import { textColourOn } from "../../../drawing/colour_maps.js";
import { placeOf } from "../layout.js";
import { ease, interpolate } from "../../../drawing/moving.js";

const HEAD = 16;
const PADDING = 6;
/** Minimum thickness of a vector. */
const THIN = 14;
/** Maximum ratio of an element's length to its width. */
const STRETCH = 2;

/** @param {CanvasRenderingContext2D} context @param {Scene} scene @param {Colours} colour */
export function drawScene(context, scene, colour) {
  context.imageSmoothingEnabled = false;
  context.font = `${11 * scene.layout.scale}px ${colour("--face")}`;
  scene.actors.forEach((actor, index) => drawActor(context, scene, actor, index, colour));
  for (const flight of scene.landed) drawLanded(context, scene, flight, colour);
  for (const flight of scene.flights) if (scene.still || scene.time === 0) drawArrow(context, scene, flight, colour);
  for (const flight of scene.flights) if (!scene.still) drawChunk(context, scene, flight, colour);
}

/** The places of a process's sheets. @param {Scene} scene @param {number} index @param {"gives"|"gets"} side @returns {Area} */
export function areaOf({ layout, actors }, index, side) {
  const { x, y } = placeOf(layout, index);
  const { width, height } = layout.cell;
  const head = layout.level === "tile" ? 0 : HEAD * layout.scale;
  const pad = layout.level === "tile" ? 1 : PADDING;
  const half = {
    x: x + pad + (side === "gets" ? width / 2 - pad / 2 : 0),
    y: y + pad + head,
    width: width / 2 - 1.5 * pad,
    height: height - 2 * pad - head,
  };
  return fit(half, actors[index]?.[side]?.size ?? { width: 1, height: 1 });
}

/** As large as possible with nearly square elements: a vector must stay visible. @param {Area} room @param {{width: number, height: number}} size @returns {Area} */
function fit(room, size) {
  const cell = Math.min(room.width / Math.max(1, size.width), room.height / Math.max(1, size.height));
  const most = STRETCH * cell;
  const width = Math.max(Math.min(room.width, most * size.width), Math.min(room.width, THIN));
  const height = Math.max(Math.min(room.height, most * size.height), Math.min(room.height, THIN));
  return { x: room.x + (room.width - width) / 2, y: room.y + (room.height - height) / 2, width, height };
}

/** @param {Area} area @param {{width: number, height: number}} size @param {import("../../../drawing/boxes.js").Rectangle} box @returns {Area} */
function inside(area, size, { row, column, height, width }) {
  const [x, y] = [area.width / Math.max(1, size.width), area.height / Math.max(1, size.height)];
  return { x: area.x + column * x, y: area.y + row * y, width: width * x, height: height * y };
}

/** @param {Scene} scene @param {Flight} flight @param {"from"|"to"} end @returns {Area} */
function endOf(scene, flight, end) {
  const side = end === "from" ? "gives" : "gets";
  const size = scene.actors[flight[end]]?.[side]?.size ?? { width: 1, height: 1 };
  return inside(areaOf(scene, flight[end], side), size, end === "from" ? flight.read : flight.written);
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene @param {Actor} actor @param {number} index @param {Colours} colour */
function drawActor(context, scene, actor, index, colour) {
  const { x, y } = placeOf(scene.layout, index);
  const { width, height } = scene.layout.cell;
  context.fillStyle = colour("--surface");
  context.fillRect(x, y, width, height);
  context.strokeStyle = actor.active ? actor.colour : colour("--line");
  context.lineWidth = actor.active ? 2.5 : 1;
  context.strokeRect(x + 1, y + 1, width - 2, height - 2);
  if (scene.layout.level !== "tile") {
    context.fillStyle = colour("--text");
    context.textBaseline = "top";
    context.fillText(actor.name, x + PADDING, y + PADDING, width - 2 * PADDING);
  }
  drawSheet(context, areaOf(scene, index, "gives"), actor.gives, true, colour);
  drawSheet(context, areaOf(scene, index, "gets"), actor.gets, actor.settled, colour);
}

/** A value, or its place before it exists. @param {CanvasRenderingContext2D} context @param {Area} area @param {Sheet|null} sheet @param {boolean} full @param {Colours} colour */
function drawSheet(context, area, sheet, full, colour) {
  if (!sheet) return;
  context.fillStyle = colour("--hover");
  context.fillRect(area.x, area.y, area.width, area.height);
  if (full && sheet.image) context.drawImage(sheet.image, area.x, area.y, area.width, area.height);
  if (full) drawNumbers(context, sheet.numbers, { row: 0, column: 0, ...sheet.size }, area, colour("--mono"));
  context.strokeStyle = colour("--control");
  context.lineWidth = 1;
  context.setLineDash(full ? [] : [3, 2]);
  context.strokeRect(area.x - 0.5, area.y - 0.5, area.width + 1, area.height + 1);
  context.setLineDash([]);
}

/** The moving part of the sender's picture. @param {CanvasRenderingContext2D} context @param {Scene} scene @param {Flight} flight @param {Area} to */
function drawPart(context, scene, flight, to) {
  const sheet = scene.actors[flight.from]?.gives;
  if (!sheet?.image) return;
  const [x, y] = [
    sheet.image.width / Math.max(1, sheet.size.width),
    sheet.image.height / Math.max(1, sheet.size.height),
  ];
  const { row, column, width, height } = flight.read;
  context.drawImage(
    sheet.image,
    column * x,
    row * y,
    Math.max(0.01, width * x),
    Math.max(0.01, height * y),
    to.x,
    to.y,
    to.width,
    to.height,
  );
}

/** The font size of numbers in cells: smaller in little space, larger in high cells; and the width of a character of size 1. */
const FONT_SIZES = { least: 9, most: 11 };
const CHARACTER = 0.61;
const LOWEST_WITH_NUMBER = 11;

/** The numbers of a part of a sheet, if its elements have space for them. @param {CanvasRenderingContext2D} context @param {Numbers|null|undefined} numbers @param {import("../../../drawing/boxes.js").Rectangle} box of the sheet, in elements @param {Area} to @param {string} face */
function drawNumbers(context, numbers, { row, column, height, width }, to, face) {
  const cell = { width: to.width / Math.max(1, width), height: to.height / Math.max(1, height) };
  const most = Math.max(FONT_SIZES.most, cell.height / 3);
  const size = Math.min(most, Math.max(FONT_SIZES.least, cell.width / 5));
  const room = Math.floor((cell.width - 2) / (CHARACTER * size));
  if (!numbers || room < 1 || cell.height < LOWEST_WITH_NUMBER) return;
  context.save();
  context.font = `${size}px ${face}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let down = 0; down < height; down++) {
    for (let across = 0; across < width; across++) {
      const found = numbers(row + down, column + across, room);
      if (!found) continue;
      context.fillStyle = textColourOn(found.pixel);
      context.fillText(found.text, to.x + (across + 0.5) * cell.width, to.y + (down + 0.5) * cell.height);
    }
  }
  context.restore();
}

/** A chunk that has arrived stays unchanged. @param {CanvasRenderingContext2D} context @param {Scene} scene @param {Flight} flight @param {Colours} colour */
function drawLanded(context, scene, flight, colour) {
  const to = endOf(scene, flight, "to");
  drawPart(context, scene, flight, to);
  drawNumbers(context, scene.actors[flight.from]?.gives?.numbers, flight.read, to, colour("--mono"));
}

/** A chunk on its way: with the picture of its source, in the colour of its sender; combined chunks have a ring. @param {CanvasRenderingContext2D} context @param {Scene} scene @param {Flight} flight @param {Colours} colour */
function drawChunk(context, scene, flight, colour) {
  const at = grow(interpolate(endOf(scene, flight, "from"), endOf(scene, flight, "to"), ease(scene.time)));
  context.globalAlpha = scene.hot && !flight.hot ? 0.25 : flight.piece.combined ? 0.85 : 1;
  drawPart(context, scene, flight, at);
  drawNumbers(context, scene.actors[flight.from]?.gives?.numbers, flight.read, at, colour("--mono"));
  context.strokeStyle = scene.actors[flight.from]?.colour ?? colour("--accent");
  context.lineWidth = flight.hot ? 3 : 1.5;
  context.setLineDash(flight.piece.combined ? [4, 2] : []);
  context.strokeRect(at.x, at.y, at.width, at.height);
  context.setLineDash([]);
  if (flight.piece.combined) drawPlus(context, at.x + at.width, at.y, colour);
  context.globalAlpha = 1;
}

/** Enlarge the area of a chunk of few elements, so that it is visible. @param {Area} area @returns {Area} */
function grow(area) {
  const [width, height] = [Math.max(area.width, 7), Math.max(area.height, 7)];
  return { x: area.x - (width - area.width) / 2, y: area.y - (height - area.height) / 2, width, height };
}

/** The mark of a combined chunk. @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {Colours} colour */
function drawPlus(context, x, y, colour) {
  context.fillStyle = colour("--surface");
  context.beginPath();
  context.arc(x, y, 6, 0, 7);
  context.fill();
  context.strokeStyle = colour("--text");
  context.lineWidth = 1.3;
  context.beginPath();
  context.arc(x, y, 5, 0, 7);
  context.moveTo(x - 3, y);
  context.lineTo(x + 3, y);
  context.moveTo(x, y - 3);
  context.lineTo(x, y + 3);
  context.stroke();
}

/** From the middle of one box to that of another, which may be the same. @param {CanvasRenderingContext2D} context @param {Scene} scene @param {Flight} flight @param {Colours} colour */
function drawArrow(context, scene, flight, colour) {
  const [from, to] = [endOf(scene, flight, "from"), endOf(scene, flight, "to")];
  const [a, b] = [from, to].map(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }));
  if (!a || !b) return;
  context.globalAlpha = scene.hot && !flight.hot ? 0.2 : 0.9;
  context.strokeStyle = context.fillStyle = scene.actors[flight.from]?.colour ?? colour("--accent");
  context.lineWidth = flight.hot ? 3 : 1.6;
  context.setLineDash(flight.piece.combined ? [5, 3] : []);
  const angle = Math.atan2(b.y - a.y, b.x - a.x);
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x - 7 * Math.cos(angle), b.y - 7 * Math.sin(angle));
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(b.x, b.y);
  for (const side of [0.4, -0.4]) context.lineTo(b.x - 9 * Math.cos(angle + side), b.y - 9 * Math.sin(angle + side));
  context.fill();
  for (const box of [from, to]) context.strokeRect(box.x, box.y, box.width, box.height);
  if (flight.piece.combined) drawPlus(context, b.x - 12 * Math.cos(angle), b.y - 12 * Math.sin(angle), colour);
  context.globalAlpha = 1;
}
