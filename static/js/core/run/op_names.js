/** Names of ops on the page, and the mark of each op's family. */
import { NONE } from "./outline.js";

/** Families with a mark in the style sheets. */
const FAMILIES = new Set(["collective", "contraction", "control", "elementwise", "movement", "other", "reduction"]);

/** The warning for a family that the server has and the page lacks; its ops have no mark. @param {readonly Pick<import("../types.js").OpInfo, "name"|"family">[]} ops @returns {string|null} */
export function familyProblem(ops) {
  const unknown = ops.find(({ family }) => !FAMILIES.has(family));
  return unknown ? `The page has no mark for the family “${unknown.family}” of ${unknown.name}.` : null;
}

/** The class of the mark of an op. @param {import("../types.js").OpInfo} op @returns {string} */
export const familyClass = ({ family }) => `family-${family}`;

/** The op as the program text writes it. @param {import("../types.js").OpInfo} op @returns {string} */
export const sourceName = ({ name, opcode }) => opcode || name;

/** The op without its dialect where the dialect is obvious. @param {import("../types.js").OpInfo} op @returns {string} */
export const shortName = (op) => withoutDialect(sourceName(op));

/** @param {string} name @returns {string} */
export const withoutDialect = (name) => name.replace(/^(stablehlo|func|hlo)\./, "");

/**
 * Whether a frame is one of several iterations, so that its title states which.
 *
 * @param {import("./outline.js").Outline} outline @param {import("./program.js").Program} program @param {number} frame
 * @returns {boolean}
 */
export function isIterated(outline, program, frame) {
  const [opener, iteration] = [outline.opener(frame), outline.iteration(frame)];
  if (opener === NONE || iteration === NONE) return false;
  const op = program.op(outline.op(opener));
  // A called function runs once; computations of HLO text are functions.
  return op.regions.includes(outline.block(frame)) && (shortName(op) === "while" || iteration > 0);
}
