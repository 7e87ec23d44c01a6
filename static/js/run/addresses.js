/** Addresses of recorded values: `0.s12.0` is result 0 of step 12 in process 0, `0.f3.1` argument 1 of frame 3. */

/** @param {string} address @returns {number} */
export const processIn = (address) => Number(address.split(".")[0]);

/** The step whose result it is; null for an argument. @param {string} address @returns {number|null} */
export function stepIn(address) {
  const found = /^\d+\.s(\d+)\./.exec(address);
  return found ? Number(found[1]) : null;
}

/** @param {string} address of the whole @param {number[]} path @returns {string} */
export const addressIn = (address, path) => [address, ...path].join(".");
