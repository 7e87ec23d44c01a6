/** When processes were running, for another number of columns than the page has. */

/**
 * Of each column the share of it, rounded up: a short run of a long stretch is still seen.
 *
 * @param {Uint8Array} strips process by process @param {number} kept columns of each @param {number} wanted
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function resampled(strips, kept, wanted) {
  const processes = strips.length / kept;
  const found = new Uint8Array(processes * wanted);
  for (let process = 0; process < processes; process++) {
    const row = strips.subarray(process * kept, (process + 1) * kept);
    for (let column = 0; column < wanted; column++) {
      const share = meanOf(row, (column * kept) / wanted, ((column + 1) * kept) / wanted);
      found[process * wanted + column] = Math.ceil(share - 1e-9);
    }
  }
  return found;
}

/** @param {Uint8Array} row @param {number} from @param {number} to @returns {number} */
function meanOf(row, from, to) {
  let total = 0;
  for (let at = Math.floor(from); at < Math.min(Math.ceil(to), row.length); at++)
    total += (row[at] ?? 0) * (Math.min(to, at + 1) - Math.max(from, at));
  return total / (to - from);
}
