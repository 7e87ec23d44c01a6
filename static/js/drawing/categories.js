/** Few integers are told apart by colours of their own rather than by a place between two ends. */

/** More distinct integers than this are numbers on a scale. */
const MOST_CATEGORIES = 12;

/**
 * The distinct integers of a value, where there are few: its histogram has a bin an integer.
 *
 * @param {import("../core/types.js").ValueSummary["histogram"]} histogram @param {import("../core/tensor/elements.js").Kind} kind @returns {number[]|null}
 */
export function categoriesOf(histogram, kind) {
  if (kind !== "integer" || !histogram || !isBinPerInteger(histogram)) return null;
  const found = histogram.counts.flatMap((count, bin) => (count > 0 ? [Number(histogram.edges[bin]) + 0.5] : []));
  return found.length > 1 && found.length <= MOST_CATEGORIES ? found : null;
}

/** @param {import("../core/types.js").Histogram} histogram @returns {boolean} */
function isBinPerInteger({ edges, counts }) {
  const [first, last] = [Number(edges[0]), Number(edges[edges.length - 1])];
  return counts.length > 0 && last - first === counts.length && Number.isInteger(first + 0.5);
}
