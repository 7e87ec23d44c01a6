/** How large a tensor is drawn: few cells so that their numbers are read, many so that all are seen. */
import { LEFT, TOP } from "../tensor/draw.js";
import { EDGE } from "./grid_view.js";

const CELL = { integer: 34, float: 54, complex: 72, boolean: 38 };
const SMALLEST = 5;
const LARGEST = { width: 480, height: 400 };
/** Cells with numbers need not be much larger to be read from afar. */
const LARGEST_CELLS = 1.4;
const THIN = 40;
/** In less room cells are smaller. */
const CRAMPED = 420;

/**
 * @param {{height: number, width: number}} picture @param {import("./sources.js").Source} source @param {import("./overlay.js").Margin} margin
 * @param {number} room pixels across @param {number} [scale] larger where the picture has the whole window, smaller where it is one of several
 * @returns {{width: number, height: number}}
 */
export function naturalSize(picture, { elementType, wire, window }, margin, room, scale = 1) {
  const largest = { width: LARGEST.width * scale, height: LARGEST.height * scale };
  const columns = picture.width + margin.left + margin.right;
  const rows = picture.height + margin.top + margin.bottom;
  const most = Math.min(largest.width, room > 0 ? room - LEFT - EDGE : largest.width);
  const wanted = (window === null ? 26 : cellWidth(elementType, wire)) * (room > 0 && room < CRAMPED && !wire.dtype.startsWith("f") ? 0.8 : 1) * Math.max(1, Math.min(scale, LARGEST_CELLS));
  const cell = Math.max(Math.min(wanted, most / columns, Math.max(largest.height / rows, 14)), SMALLEST);
  const width = Math.min(Math.max(columns * cell, Math.min(THIN, most)), most);
  // Where the cells are too many for the width, all are seen smaller, and need less height.
  const height = Math.min(Math.max(rows * Math.min(cell, width / columns), THIN), largest.height);
  return { width: Math.ceil(width) + LEFT + EDGE, height: Math.ceil(height) + TOP + EDGE };
}

/** @param {string} type @param {import("../tensor/elements.js").Wire} wire @returns {number} */
function cellWidth(type, wire) {
  if (type === "i1" || type === "pred") return CELL.boolean;
  if (wire.components === 2) return CELL.complex;
  return wire.dtype.startsWith("f") ? CELL.float : CELL.integer;
}
