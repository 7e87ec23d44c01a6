/** Titles of frames and of the regions they run. */
import { iterationText } from "./iterations.js";
import { shortName } from "./op_names.js";
import { NONE } from "./outline.js";

/**
 * The title of a frame: its function, or the op and region it belongs to, with the iteration.
 *
 * @param {import("./outline.js").Outline} outline @param {import("./program.js").Program} program @param {number} frame
 * @returns {string}
 */
export function frameTitle(outline, program, frame) {
  const block = program.block(outline.block(frame));
  const opener = outline.opener(frame);
  const iteration = iterationText(outline, program, frame);
  const count = iteration && ` · ${iteration}`;
  const op = opener === NONE ? null : program.op(outline.op(opener));
  if (program.language === "hlo")
    return op === null ? block.function : `${openerText(op, block.id)}${count} · ${block.function}`;
  if (op === null || block.opener === null) return `@${block.function}`;
  return `${openerText(op, block.id)}${count}`;
}

/** The op that opened a block, with the region that the block is; without it for a called function. @param {import("../types.js").OpInfo} op @param {number} block @returns {string} */
const openerText = (op, block) =>
  op.regions.includes(block) ? `${shortName(op)} ${regionWord(op, block)}` : shortName(op);

/** The name of a region of an op, such as `body` or `branch 2`. @param {import("../types.js").OpInfo} op @param {number} block @returns {string} */
export function regionWord({ name, regions }, block) {
  const region = regions.indexOf(block);
  const words = {
    "stablehlo.while": ["condition", "body"],
    "stablehlo.if": ["true branch", "false branch"],
    "stablehlo.select_and_scatter": ["select", "scatter"],
  };
  return (
    words[/** @type {keyof typeof words} */ (name)]?.[region] ??
    (name === "stablehlo.case" ? `branch ${region}` : "body")
  );
}
