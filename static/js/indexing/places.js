/** Elements by their number in row-major order, and back. */

/** The element of that number. @param {readonly number[]} shape @param {number} number @returns {number[]} */
export function elementOf(shape, number) {
  let rest = number;
  return [...shape].reverse().map((size) => {
    const at = rest % size;
    rest = Math.floor(rest / size);
    return at;
  }).reverse();
}

/** @param {readonly number[]} shape @param {readonly number[]} index @returns {number} */
export const numberOf = (shape, index) => index.reduce((place, at, axis) => place * (shape[axis] ?? 1) + at, 0);
