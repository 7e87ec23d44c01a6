/** Keys in a picture or a table of cells, and the cell that each moves to. */

/** @typedef {{row: number, column: number}} Cell */

/** @param {KeyboardEvent} event @param {Cell} at @param {import("./camera.js").Size} picture in cells @param {number} page rows of a page @param {number} [step] cells that an arrow moves by @returns {Cell|null} */
export function cellForKey(event, { row, column }, { height, width }, page, step = 1) {
  const far = event.ctrlKey || event.metaKey;
  /** @type {Record<string, Cell>} */
  const targets = {
    ArrowLeft: { row, column: column - step },
    ArrowRight: { row, column: column + step },
    ArrowUp: { row: row - step, column },
    ArrowDown: { row: row + step, column },
    PageUp: { row: row - page, column },
    PageDown: { row: row + page, column },
    Home: { row: far ? 0 : row, column: 0 },
    End: { row: far ? height - 1 : row, column: width - 1 },
  };
  // Screen readers and browsers use Ctrl+PageUp and Ctrl+PageDown.
  const isTaken = event.altKey || (far && event.key.startsWith("Page"));
  const target = isTaken ? undefined : targets[event.key];
  if (!target) return null;
  const within = (/** @type {number} */ place, /** @type {number} */ count) => Math.max(0, Math.min(place, count - 1));
  return { row: within(target.row, height), column: within(target.column, width) };
}
