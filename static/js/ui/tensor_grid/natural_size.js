/** The size of a drawn tensor: large enough to read the numbers of few cells or to see all of many cells, within the available space. */
import { useLayoutEffect, useState } from "preact/hooks";
import { scaleOfWords } from "../../core/word_size.js";
import { isForMany, LEFT, TOP } from "../../drawing/draw.js";
import { EDGE, SQUARE, WIDEST } from "./grid_view.js";
import { stretched } from "../../drawing/camera.js";
import { scrollerOf, watchSizes } from "../element_size.js";

/** @typedef {{width: number, height: number}} Room  in pixels; 0: as much as one likes */

const CELL = { integer: 34, float: 54, complex: 72, boolean: 38 };
const SMALLEST = 5;
/** Default height of pages that scroll. */
const LARGEST = { width: 480, height: 400 };
/** In presenter mode, cells with numbers grow only a little. */
const LARGEST_CELLS = 1.4;
/** Size of cells in presenter mode: at least this, and more in a window that is higher than this many pixels. */
const CELLS_FOR_MANY = { least: 2, height: 560 };
const THIN = 40;
/** Size of cells in little space. */
const CRAMPED = 420;
/** Minimum height of a picture, however little space there is. */
const LOWEST = 96;
/** Height of the lines below, at the default text size: pictures must not change their size while the pointer moves. */
const BELOW = 52;
/** Share of the height for a picture above its text. */
const SHARE = 0.5;
/** Distance between pictures. */
const APART = 12;

/**
 * @param {{height: number, width: number}} picture @param {import("./sources.js").Source} source @param {import("./overlay.js").Margin} margin
 * @param {Room} room @param {number} [scale] larger where the picture has the whole window, smaller where it is one of several
 * @returns {{width: number, height: number}}
 */
export function naturalSize(picture, { elementType, wire, window }, margin, room, scale = 1) {
  const columns = picture.width + margin.left + margin.right;
  const rows = picture.height + margin.top + margin.bottom;
  const largest = largestIn(room, scale);
  const wanted =
    (window === null ? 26 : cellWidth(elementType, wire)) *
    (room.width > 0 && room.width < CRAMPED && !wire.dtype.startsWith("f") ? 0.8 : 1) *
    (isForMany() && scale >= 1 ? scaleForMany() : Math.max(1, Math.min(scale, LARGEST_CELLS)));
  // A page that scrolls shows a part of tall pictures instead of small ones.
  const high = room.height > 0 ? largest.height / rows : Math.max(largest.height / rows, 14);
  const cell = Math.max(Math.min(wanted, largest.width / columns, high), SMALLEST);
  // In little height, cells are wider than high, so that their numbers stay readable.
  const wide = Math.max(cell, Math.min(wanted, largest.width / columns, WIDEST * cell));
  const width = Math.min(Math.max(columns * wide, Math.min(THIN, largest.width)), largest.width);
  // Cells that are too many for the width become smaller and need less height.
  const square = rows * Math.min(cell, width / columns);
  const stretchedHigh = room.height > 0 ? stretchedHeight({ height: rows, width: columns }, width) : 0;
  const height = Math.min(Math.max(square, stretchedHigh, THIN), largest.height);
  return { width: Math.ceil(width) + LEFT + EDGE, height: Math.ceil(height) + TOP + EDGE };
}

/** The height of a wide picture with tiny cells: stretched, up to half its width. @param {import("../../drawing/camera.js").Size} picture @param {number} width @returns {number} */
function stretchedHeight(picture, width) {
  if (width / picture.width >= SQUARE) return 0;
  return picture.height * Math.min(stretched(picture, { width, height: width / 2 }).y, SQUARE);
}

/** The data grows with the window. */
const scaleForMany = () => CELLS_FOR_MANY.least * Math.max(1, (globalThis.innerHeight ?? 0) / CELLS_FOR_MANY.height);

/** The space for cells, without rulers. @param {Room} room @param {number} scale @returns {Room} */
function largestIn({ width, height }, scale) {
  const wide = width > 0 ? width - LEFT - EDGE : LARGEST.width * scale;
  const own = LARGEST.height * scale;
  return {
    width: height > 0 ? wide : Math.min(wide, LARGEST.width * scale),
    height: height > 0 ? Math.max(height, LOWEST) - TOP - EDGE : own,
  };
}

/** @param {string} type @param {import("../../core/tensor/elements.js").Wire} wire @returns {number} */
function cellWidth(type, wire) {
  if (type === "i1" || type === "pred") return CELL.boolean;
  if (wire.components === 2) return CELL.complex;
  return wire.dtype.startsWith("f") ? CELL.float : CELL.integer;
}

/**
 * The space for one picture: the width of its side, and the height that leaves space for the others of its column, so
 * that operands and results are visible together.
 *
 * @param {{current: HTMLElement|null}} element @param {boolean} enlarged @returns {Room}
 */
export function useRoom(element, enlarged) {
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const side = element.current?.closest(".index-side") ?? element.current;
    if (!side || !element.current) return undefined;
    const scroller = scrollerOf(side);
    const measure = () => {
      const next = {
        width: side.clientWidth,
        height: heightFor(/** @type {HTMLElement} */ (element.current), scroller),
      };
      setRoom((old) => (old.width === next.width && old.height === next.height ? old : next));
    };
    return watchSizes(scroller ? [side, scroller] : [side], measure);
  }, [enlarged]);
  return room;
}

/** @param {HTMLElement|null} element @param {HTMLElement|null} scroller @returns {number} */
function heightFor(element, scroller) {
  const sides = element?.closest(".index-sides");
  const figure = element?.closest("figure");
  if (element && scroller && !sides) return isAboveText(element) ? Math.max(LOWEST, SHARE * scroller.clientHeight) : 0;
  if (!element || !sides || !figure || !scroller) return 0;
  const top = sides.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
  const count = figuresBeneath(figure, sides);
  const own = figure.offsetHeight - element.offsetHeight;
  const below = BELOW * scaleOfWords(scroller);
  return Math.max(LOWEST, Math.floor((scroller.clientHeight - top - below) / count - own - APART));
}

/** Whether text below the picture must stay partly visible. @param {HTMLElement} element @returns {boolean} */
function isAboveText(element) {
  const [picture, text] = element.closest("[data-with-text]")?.children ?? [];
  return Boolean(picture && text && text.getBoundingClientRect().top > picture.getBoundingClientRect().top + 1);
}

/** The number of pictures that share the height: those of one side, or all if the sides are stacked. @param {Element} figure @param {Element} sides @returns {number} */
function figuresBeneath(figure, sides) {
  const [first, second] = sides.querySelectorAll(".index-side");
  const isStacked = first && second && second.getBoundingClientRect().left < first.getBoundingClientRect().right - 1;
  const among = isStacked ? sides : (figure.closest(".index-side") ?? sides);
  const count = among.querySelectorAll("figure").length;
  return figure.classList.contains("each") ? Math.ceil(count / 2) : count;
}
