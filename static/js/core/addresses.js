/**
 * Addresses of recorded values. Only this module writes or parses them: `0.s12.0` is result 0 of step 12 in process
 * 0, `0.f3.1` argument 1 of frame 3. The path to an element of a tuple follows: `0.s12.0.2`.
 *
 * @typedef {{process: number, step: number|null, frame: number|null, index: number, path: number[]}} Address
 *   `step` of a result, `frame` of an argument: one of them is null; `index`: which result or argument
 */

/** @param {string} address @returns {Address} */
export function parseAddress(address) {
  const [process = "", place = "", ...numbers] = address.split(".");
  const [index = 0, ...path] = numbers.map(Number);
  const number = Number(place.slice(1));
  return {
    process: Number(process),
    step: place.startsWith("s") ? number : null,
    frame: place.startsWith("f") ? number : null,
    index,
    path,
  };
}

/** The address of a result. @param {number} process @param {number} step @param {number} index @returns {string} */
export const resultAddress = (process, step, index) => `${process}.s${step}.${index}`;

/** The address of an argument of a frame. @param {number} process @param {number} frame @param {number} index @returns {string} */
export const argumentAddress = (process, frame, index) => `${process}.f${frame}.${index}`;

/** The address of an element of a tuple. @param {string} address of the tuple @param {number[]} path @returns {string} */
export const elementAddress = (address, path) => [address, ...path].join(".");

/** The address of the tuple that contains an element. @param {string} address @param {number[]} path @returns {string} */
export const tupleAddress = (address, path) =>
  address
    .split(".")
    .slice(0, -path.length || undefined)
    .join(".");

/** Whether an address is a value's or that of an element of it. @param {string} address @param {string} value @returns {boolean} */
export const isWithin = (address, value) => address === value || address.startsWith(`${value}.`);

/** Whether a step made the value, or the tuple that it is an element of. @param {string} address @param {number} process @param {number} step @returns {boolean} */
export function isMadeBy(address, process, step) {
  const made = parseAddress(address);
  return made.process === process && made.step === step;
}
