/**
 * Lists in which long runs of unremarkable entries are folded into one line. Pure functions.
 *
 * @typedef {{kind: "fold", from: number, to: number}} Fold entries that are not listed, up to but excluding `to`
 */

/** Minimum number of entries to fold: fewer take no more space than the line that stands for them. */
const LEAST_FOLDED = 3;

/**
 * The listed entries and the folds between them.
 *
 * @param {number} count of the entries @param {(entry: number) => number} endOfRun the first entry from there on that is
 *   remarkable @param {ReadonlySet<number>} opened the first entries of open folds @param {(entry: number) => boolean} isWanted
 * @returns {(number|Fold)[]}
 */
export function foldRuns(count, endOfRun, opened, isWanted) {
  /** @type {(number|Fold)[]} */
  const items = [];
  for (let entry = 0; entry < count; entry++) {
    const end = endOfRun(entry);
    if (end - entry >= LEAST_FOLDED) {
      if (opened.has(entry)) for (let inside = entry; inside < end; inside++) items.push(inside);
      else items.push({ kind: "fold", from: entry, to: end });
      entry = end - 1;
    } else if (isWanted(entry)) items.push(entry);
  }
  return items;
}

/** The index of the item of an entry, or of the fold that contains it; -1 for none. @param {readonly ({kind: string, at: number}|Fold)[]} items @param {number} entry @returns {number} */
export const itemOf = (items, entry) =>
  items.findIndex((item) => ("at" in item ? item.at === entry : item.from <= entry && entry < item.to));
