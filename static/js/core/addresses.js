/**
 * Addresses of recorded values. Only this module writes or parses them: `0.s12.0` is result 0 of step 12 in process
 * 0, `0.f3.1` argument 1 of frame 3. The path to an element of a tuple follows: `0.s12.0.2`. Computed values have
 * addresses too: see the end of this module.
 *
 * @typedef {{process: number, step: number|null, frame: number|null, index: number, path: number[]}} Address
 *   `step` of a result, `frame` of an argument: one of them is null; `index`: which result or argument
 */

/** @param {string} address @returns {Address} */
export function parseAddress(address) {
  const expression = /^e(\d+)\.(\d+)\./.exec(address);
  if (expression)
    return { process: Number(expression[1]), step: Number(expression[2]), frame: null, index: 0, path: [] };
  const [process = "", place = "", ...numbers] = recordedAddress(address).split(".");
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

/**
 * Addresses of computed values. The server parses those of expressions, `e0.137.TEXT`, and of lost digits, `l0.s12.0`;
 * differences and arrays of files are requests about pairs.
 *
 * @typedef {"signed"|"absolute"|"relative"|"ulps"} Measure
 * @typedef {{measure: Measure, address: string, other: string, otherAddress: string}} Difference
 *   other: the key of the run of the subtracted value, or `values:` and a file
 */

const BETWEEN = "~";
/** Prefix of the key of a file of values. */
const VALUES = "values:";

/** The address of an expression at a step. @param {number} process @param {number} step @param {string} text @returns {string} */
export function expressionAddress(process, step, text) {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return `e${process}.${step}.${btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** The address of the digits that each element of a value has lost. @param {string} address @returns {string} */
export const lostAddress = (address) => `l${address}`;

/** @param {Difference} difference @returns {string} */
export const differenceAddress = ({ measure, address, other, otherAddress }) =>
  ["d", measure, address, other, otherAddress].join(BETWEEN);

/** The address of an array of an uploaded file. @param {string} file @param {string} name @returns {string} */
export const arrayAddress = (file, name) => ["a", file, name].join(BETWEEN);

/** What a difference is computed from; null for other addresses. @param {string} address @returns {Difference|null} */
export function differenceAt(address) {
  const [kind, measure, first = "", other = "", ...rest] = address.split(BETWEEN);
  if (kind !== "d") return null;
  return { measure: /** @type {Measure} */ (measure), address: first, other, otherAddress: rest.join(BETWEEN) };
}

/** An array of a file, as the other side of a comparison; null for other addresses. @param {string} address @returns {Pick<Difference, "other"|"otherAddress">|null} */
export function arrayAt(address) {
  const [kind, file = "", ...name] = address.split(BETWEEN);
  return kind === "a" ? { other: VALUES + file, otherAddress: `array:${name.join(BETWEEN)}` } : null;
}

/** @param {string} address @returns {boolean} */
export const isLost = (address) => address.startsWith("l");

/** Whether a value is computed from recorded ones. @param {string} address @returns {boolean} */
export const isComputed = (address) => /^[adel]/.test(address);

/** The recorded value that a computed one follows. @param {string} address @returns {string} */
const recordedAddress = (address) => differenceAt(address)?.address ?? address.replace(/^l/, "");
