/** What the page calls an op, and the mark that it has by its family. */
import { NONE } from "./outline.js";

/** The families that have a mark in the style sheets. */
const FAMILIES = new Set(["collective", "contraction", "control", "elementwise", "movement", "other", "reduction"]);

/** What to say where the server has a family that the page does not know, whose ops have no mark. @param {readonly Pick<import("../types.js").OpInfo, "name"|"family">[]} ops @returns {string|null} */
export function familyProblem(ops) {
  const unknown = ops.find(({ family }) => !FAMILIES.has(family));
  return unknown ? `The page has no mark for the family “${unknown.family}” of ${unknown.name}.` : null;
}

/** The class of the mark of an op. @param {import("../types.js").OpInfo} op @returns {string} */
export const familyClass = ({ family }) => `family-${family}`;

/** What the program's text calls an op. @param {import("../types.js").OpInfo} op @returns {string} */
export const sourceName = ({ name, opcode }) => opcode || name;

/** The op without its dialect where that goes without saying. @param {import("../types.js").OpInfo} op @returns {string} */
export function shortName(op) {
  return sourceName(op).replace(/^(stablehlo|func|hlo)\./, "");
}

/**
 * Whether a frame is one of many of its region: what belongs to a loop says which iteration it is.
 *
 * @param {import("./outline.js").Outline} outline @param {import("./program.js").Program} program @param {number} frame
 * @returns {boolean}
 */
export function isIterated(outline, program, frame) {
  const [opener, iteration] = [outline.opener(frame), outline.iteration(frame)];
  if (opener === NONE || iteration === NONE) return false;
  const op = program.op(outline.op(opener));
  // A function that is called runs once; the computations of HLO text are functions.
  return op.regions.includes(outline.block(frame)) && (shortName(op) === "while" || iteration > 0);
}
