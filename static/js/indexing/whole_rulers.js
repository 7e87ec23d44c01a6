/** Rulers of a picture that shows several dimensions on each side: the index of the inner one, and of the outer ones where a block begins. */
import { LEFT, TOP } from "../tensor/draw.js";
import { foldedIndex } from "./folding.js";

const ROOM = { between: 6, down: 11 };

/** @param {any} context @param {import("../tensor/draw.js").View} view in cells of the tensor @param {{quiet: string, font: string}} theme @param {import("./folding.js").Folding} whole @param {number[]} shape */
export function drawWholeRulers(context, { camera, cell, seen, screen }, theme, whole, shape) {
  context.font = `10px ${theme.font}`;
  context.fillStyle = theme.quiet;
  context.textBaseline = "middle";
  context.textAlign = "center";
  const widest = (/** @type {number[]} */ axes) => context.measureText(axes.map((axis) => Math.max(0, (shape[axis] ?? 1) - 1)).join(",")).width + ROOM.between;
  const isRoom = widest(whole.columns) <= cell.x;
  const columns = isRoom ? 1 : Math.ceil(widest(whole.columns.slice(-1)) / cell.x);
  for (let column = seen.left; column < seen.right; column += columns) {
    const x = LEFT + (column + 0.5 - camera.left) * cell.x;
    if (x <= LEFT + screen.width) context.fillText(labelOf(whole.columns, shape, { row: 0, column }, isRoom), x, TOP / 2);
  }
  context.textAlign = "right";
  const rows = Math.ceil(ROOM.down / cell.y);
  for (let row = seen.top; row < seen.bottom; row += rows) {
    const y = TOP + (row + 0.5 - camera.top) * cell.y;
    if (y <= TOP + screen.height) context.fillText(labelOf(whole.rows, shape, { row, column: 0 }, true), LEFT - 6, y);
  }
}

/** @param {number[]} axes @param {number[]} shape @param {{row: number, column: number}} cell @param {boolean} room @returns {string} */
function labelOf(axes, shape, cell, room) {
  const index = foldedIndex({ rows: axes, columns: axes }, shape, cell.row > 0 ? { row: cell.row, column: cell.row } : { row: cell.column, column: cell.column });
  const places = axes.map((axis) => index[axis] ?? 0);
  return room ? places.join(",") : String(places.at(-1) ?? 0);
}
