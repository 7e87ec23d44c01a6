/** Brackets, strings and lists in a line of a program, scanned without a full grammar. */

/**
 * A replacement: `text` is shown instead of the range from `from` to `to`.
 *
 * @typedef {{from: number, to: number, text: string}} Piece
 * @typedef {{from: number, to: number}} Range
 */

const OPEN = "([{<";
const CLOSE = ")]}>";

/** The offset after the string that begins at `at`. @param {string} line @param {number} at @returns {number} */
export function afterString(line, at) {
  for (let next = at + 1; next < line.length; next++) {
    if (line[next] === "\\") next++;
    else if (line[next] === '"') return next + 1;
  }
  return line.length;
}

/**
 * The first character outside brackets and strings that `stops` accepts; `end` for none.
 *
 * @param {string} line @param {number} from @param {number} end @param {(character: string, at: number) => boolean} stops
 * @returns {number}
 */
export function findOutside(line, from, end, stops) {
  let depth = 0;
  for (let at = from; at < end; at++) {
    const character = /** @type {string} */ (line[at]);
    if (depth === 0 && stops(character, at)) return at;
    if (character === '"') at = afterString(line, at) - 1;
    else if (isArrow(line, at)) at++;
    else if (OPEN.includes(character)) depth++;
    else if (CLOSE.includes(character)) depth = Math.max(0, depth - 1);
  }
  return end;
}

/** @param {string} line @param {number} at @returns {boolean} */
const isArrow = (line, at) => line[at] === "-" && line[at + 1] === ">";

/** The bracket that closes the one at `at`; -1 for none. @param {string} line @param {number} at @returns {number} */
export function closing(line, at) {
  let depth = 0;
  for (let next = at; next < line.length; next++) {
    const character = /** @type {string} */ (line[next]);
    if (character === '"') next = afterString(line, next) - 1;
    else if (isArrow(line, next)) next++;
    else if (OPEN.includes(character)) depth++;
    else if (CLOSE.includes(character) && --depth === 0) return next;
  }
  return -1;
}

/** The comma-separated items of a range, trimmed. @param {string} line @param {number} from @param {number} to @returns {Range[]} */
export function listItems(line, from, to) {
  const items = [];
  for (let at = from; at < to;) {
    const comma = findOutside(line, at, to, (character) => character === ",");
    const item = trimmed(line, at, comma);
    if (item.to > item.from) items.push(item);
    at = comma + 1;
  }
  return items;
}

/** @param {string} line @param {number} from @param {number} to @returns {Range} */
export function trimmed(line, from, to) {
  let [start, end] = [from, to];
  while (start < end && line[start] === " ") start++;
  while (end > start && line[end - 1] === " ") end--;
  return { from: start, to: end };
}

/** The line with its replacements. @param {string} line @param {readonly Piece[]} pieces @returns {string} */
export function withPieces(line, pieces) {
  let text = "";
  let at = 0;
  for (const { from, to, text: shown } of pieces) {
    text += line.slice(at, from) + shown;
    at = to;
  }
  return text + line.slice(at);
}

/** In order, without nested ones. @param {Piece[]} pieces @returns {Piece[]} */
export function inOrder(pieces) {
  const sorted = pieces
    .filter(({ from, to, text }) => to > from || text !== "")
    .sort((one, other) => one.from - other.from || other.to - one.to);
  let end = -1;
  return sorted.filter(({ from, to }) => {
    if (from < end) return false;
    end = Math.max(to, from);
    return true;
  });
}
