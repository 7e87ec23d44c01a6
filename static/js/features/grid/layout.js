/**
 * The layout of the cells of a launch group: replicas down, partitions across. A long row is folded, so that cells stay large.
 *
 * @typedef {"full"|"compact"|"tile"} Level
 * @typedef {{width: number, height: number}} Size
 * @typedef {{level: Level, least: Size, greatest: Size, gap: number, scale: number}} LevelSizes
 * @typedef {{level: Level, columns: number, rows: number, cell: Size, gap: number, width: number, height: number, scale: number,
 *   order?: readonly number[], slots?: readonly number[], plane?: number}} Layout
 *   order, slots: of a mesh, the process at each place, and the place of each process; plane: the rows of its last two axes
 */

/** Maximum number of processes at this level; minimum and maximum size of a cell. */
const LEVELS = /** @type {const} */ ([
  { level: "full", most: 16, least: { width: 120, height: 80 }, greatest: { width: 320, height: 200 }, gap: 10 },
  { level: "compact", most: 64, least: { width: 54, height: 44 }, greatest: { width: 120, height: 72 }, gap: 6 },
  { level: "tile", most: Infinity, least: { width: 10, height: 10 }, greatest: { width: 36, height: 36 }, gap: 2 },
]);

/** Space between the planes of a mesh. */
const PLANES = 16;

/**
 * The layout of a mesh: its last axis across, the one before it down, the planes of further axes one below the other.
 *
 * @param {import("../../core/types.js").MeshInfo} mesh @param {Size} room @param {number} [scale] @returns {Layout}
 */
export function meshLayout({ axes, processes }, room, scale = 1) {
  const columns = axes.at(-1)?.size ?? 1;
  const [rows, plane] = [processes.length / columns, axes.at(-2)?.size ?? 1];
  const gaps = (rows / plane - 1) * PLANES;
  const size = { replicas: rows, partitions: columns };
  const within = { width: room.width, height: room.height - gaps };
  const found = layoutOf(size, within, scale, (level) => laidOut(size, columns, within, level));
  const slots = new Array(processes.length);
  processes.forEach((process, slot) => (slots[process] = slot));
  return { ...found, order: processes, slots, plane, height: found.height + gaps };
}

/** @param {{replicas: number, partitions: number}} team @param {Size} room @param {number} [scale] scale of the text in a cell, larger in presenter mode @param {(level: LevelSizes) => Layout} [place] @returns {Layout} */
export function layoutOf(team, room, scale = 1, place = (level) => best(team, room, level)) {
  const count = team.replicas * team.partitions;
  /** @type {Layout|null} */
  let found = null;
  for (const level of LEVELS.filter(({ most }) => count <= most).map((level) => scaled(level, scale))) {
    found = place(level);
    const { width, height } = found.cell;
    if (width >= level.least.width && height >= level.least.height && found.height <= 1.6 * room.height) return found;
  }
  return /** @type {Layout} */ (found);
}

/** With space for larger text; tiles have none. @param {typeof LEVELS[number]} level @param {number} scale @returns {LevelSizes} */
function scaled(level, scale) {
  if (level.level === "tile") return { ...level, scale: 1 };
  const larger = (/** @type {Size} */ { width, height }) => ({ width: scale * width, height: scale * height });
  return { ...level, least: larger(level.least), greatest: larger(level.greatest), scale };
}

/** @param {{replicas: number, partitions: number}} team @param {Size} room @param {LevelSizes} level @returns {Layout} */
function best(team, room, level) {
  const layouts = foldings(team).map((columns) => laidOut(team, columns, room, level));
  const [unfolded] = layouts.slice(-1);
  if (unfolded && team.replicas > 1 && unfolded.cell.width >= level.least.width) return unfolded;
  // Of the foldings with enough space the squarest; for tiles, or if none fits, the one with the largest cells.
  const roomy =
    level.level === "tile"
      ? []
      : layouts.filter(({ cell, height }) => cell.width >= level.least.width && height <= room.height);
  if (roomy.length > 0) return roomy.reduce((one, other) => (squareness(other) > squareness(one) ? other : one));
  return layouts.reduce((one, other) => (size(other, level) > size(one, level) ? other : one));
}

/** @param {Layout} layout @returns {number} */
const squareness = ({ columns, rows }) => -Math.abs(Math.log(columns / rows) - 0.1);

/** The tighter ratio of cell size to maximum size. @param {Layout} layout @param {LevelSizes} level @returns {number} */
const size = ({ cell, columns, rows }, { greatest }) =>
  Math.min(cell.width / greatest.width, cell.height / greatest.height, 1) - 0.002 * Math.abs(columns - rows);

/** Numbers of columns that fold a group's rows evenly, the full row last. @param {{replicas: number, partitions: number}} team @returns {number[]} */
export function foldings({ replicas, partitions }) {
  const row = partitions === 1 ? replicas : partitions;
  return Array.from({ length: row }, (_, at) => at + 1).filter(
    (columns) =>
      row % columns === 0 || (replicas === 1 && row > 16 && columns * columns >= row && (columns - 1) ** 2 < row),
  );
}

/** Maximum ratio of a cell's height to its width. */
const SLENDER = 1.25;

/** @param {{replicas: number, partitions: number}} team @param {number} columns @param {Size} room @param {LevelSizes} level @returns {Layout} */
function laidOut({ replicas, partitions }, columns, room, { level, least, greatest, gap, scale }) {
  const rows = Math.ceil((replicas * partitions) / columns);
  const fitting = (/** @type {number} */ length, /** @type {number} */ count) =>
    Math.floor((length - gap * (count - 1)) / count);
  const width = Math.min(greatest.width, Math.max(fitting(room.width, columns), 4));
  // More rows than fit are scrolled.
  const high = Math.min(fitting(room.height, rows), greatest.height, SLENDER * width);
  const cell = { width, height: Math.max(high, least.height) };
  if (level === "tile")
    cell.width = cell.height = Math.max(Math.min(cell.width, cell.height), Math.min(least.width, cell.width));
  return {
    level,
    columns,
    rows,
    cell,
    gap,
    scale,
    width: columns * (cell.width + gap) - gap,
    height: rows * (cell.height + gap) - gap,
  };
}

/** The corner of a cell. @param {Layout} layout @param {number} index of the process in its launch group @returns {{x: number, y: number, row: number, column: number}} */
export function placeOf({ columns, cell, gap, slots, plane = Infinity }, index) {
  const slot = slots?.[index] ?? index;
  const [row, column] = [Math.floor(slot / columns), slot % columns];
  const planes = Math.floor(row / plane);
  return { row, column, x: column * (cell.width + gap), y: row * (cell.height + gap) + planes * PLANES };
}

/** The cell at a point; null between cells. @param {Layout} layout @param {number} count @param {{x: number, y: number}} point @returns {number|null} */
export function cellUnder(layout, count, { x, y }) {
  const { cell, gap, columns } = layout;
  const [column, row] = [Math.floor(x / (cell.width + gap)), Math.floor(y / (cell.height + gap))];
  const index = row * columns + column;
  const inside = x - column * (cell.width + gap) <= cell.width && y - row * (cell.height + gap) <= cell.height;
  return inside && column >= 0 && column < columns && row >= 0 && index < count ? index : null;
}

/** The target of an arrow key from a cell. @param {Layout} layout @param {number} count @param {number} index @param {string} key @returns {number|null} */
export function neighbour({ columns }, count, index, key) {
  const rowStart = index - (index % columns);
  const to = /** @type {Record<string, number>} */ ({
    ArrowLeft: index % columns === 0 ? index : index - 1,
    ArrowRight: (index + 1) % columns === 0 ? index : index + 1,
    ArrowUp: index - columns,
    ArrowDown: index + columns,
    Home: rowStart,
    End: Math.min(rowStart + columns, count) - 1,
    PageUp: index % columns,
    PageDown: Math.floor((count - 1 - (index % columns)) / columns) * columns + (index % columns),
  })[key];
  if (to === undefined) return null;
  return to < 0 || to >= count ? index : to;
}
