/** Which rows of a long list are drawn and where: numbers alone, for `virtual_list.js`. */

/** Browsers cut off what is higher; beyond it a pixel of the scroll bar stands for several of the list. */
export const MOST_PIXELS = 1e7;
/** Rows above and below those in view: a short scroll shows them before they are asked for. */
export const OVERSCAN = 10;

/** @typedef {{count: number, row: number, height: number}} Extent rows, pixels of each, pixels of the view */

/** @param {Extent} extent @returns {boolean} */
const isScaled = ({ count, row }) => count * row > MOST_PIXELS;

/** The height of all rows in the page. @param {Extent} extent @returns {number} */
export const heightOf = ({ count, row }) => Math.min(count * row, MOST_PIXELS);

/** The row at the upper edge of the view, with a fraction. @param {Extent} extent @param {number} offset pixels scrolled @returns {number} */
export function topRow(extent, offset) {
  const { count, row, height } = extent;
  if (!isScaled(extent)) return offset / row;
  return Math.min(1, Math.max(0, offset / (MOST_PIXELS - height))) * (count - height / row);
}

/** How far to scroll for a row to be at the upper edge. @param {Extent} extent @param {number} top @returns {number} */
export function offsetOf(extent, top) {
  const { count, row, height } = extent;
  if (!isScaled(extent)) return top * row;
  return (Math.max(0, top) / (count - height / row)) * (MOST_PIXELS - height);
}

/** The rows to draw, from `first` up to, without, `last`. @param {Extent} extent @param {number} top @returns {{first: number, last: number}} */
export function rowsAround({ count, row, height }, top) {
  const last = Math.min(count, Math.ceil(top + height / row) + OVERSCAN);
  return { first: Math.max(0, Math.min(Math.floor(top) - OVERSCAN, last)), last: Math.max(0, last) };
}

/** The upper edge of a row among all. @param {Extent} extent @param {number} index @param {number} offset pixels scrolled @returns {number} */
export function placeOf(extent, index, offset) {
  if (!isScaled(extent)) return index * extent.row;
  return offset + (index - topRow(extent, offset)) * extent.row;
}

/** Where to scroll so that a row is in view: nowhere where it is. @param {Extent} extent @param {number} index @param {number} offset @param {boolean} middle rather than at the nearest edge @returns {number} */
export function offsetToShow(extent, index, offset, middle) {
  const { row, height } = extent;
  const top = topRow(extent, offset);
  const inView = height / row;
  if (index >= top && index + 1 <= top + inView) return offset;
  if (middle) return offsetOf(extent, Math.max(0, index - Math.floor(inView / 2)));
  return offsetOf(extent, index < top ? index : Math.max(0, index + 1 - inView));
}
