/** Sentences about nodes and edges, and the node to which a key leads. */
import { shortName, sourceName } from "../../core/run/op_names.js";
import { inShownNames, shownName } from "../../core/run/value_names.js";
import { counted } from "../../core/tensor/elements.js";
import { typeOf } from "./arrange.js";
/** @import {Arrangement, Box} from "./arrange.js" */
/** @import {Node, Wire} from "./nest.js" */
/** @import {Parts} from "./parts.js" */

/** Maximum number of operands that a sentence names. */
const MOST_NAMED = 4;

/** @param {Parts} parts @param {Node} node @param {string} statistic @returns {string} */
export function sentenceOf({ program }, node, statistic) {
  const named = (/** @type {number} */ value) => shownName(program, value);
  const [value] = node.values;
  const what = value === undefined ? node.title : `${node.title} ${named(value)}, ${typeOf(program, value)}`;
  const folds = node.canOpen ? `${node.isOpen ? "open" : "folded"} group of ${counted(node.count, "op")}` : "";
  const read = [...new Set([...node.sources.map(({ use }) => use.value), ...node.chips.map((chip) => chip.value)])];
  const names = read.slice(0, MOST_NAMED).map(named).join(", ");
  const others = read.length > MOST_NAMED ? ` and ${read.length - MOST_NAMED} more` : "";
  const readers = new Set(node.readers.map(({ node: reader }) => reader)).size;
  const parts = [
    what,
    folds,
    statistic,
    read.length > 0 ? `reads ${names}${others}` : "",
    readers > 0 ? `read by ${counted(readers, "node")}` : "",
  ];
  return `${parts.filter(Boolean).join("; ")}.`;
}

/** The first line of an op, with the names that the page shows. @param {Parts["program"]} program @param {number} op @returns {string} */
export function textOfOp(program, op) {
  const info = program.op(op);
  const text = info.summary.replace(sourceName(info), shortName(info));
  return inShownNames(program, text, program.block(info.block).function);
}

/** The operands that an edge is, with their types. @param {Parts} parts @param {Wire} wire @returns {string[]} */
export function wireSentence({ program }, { uses }) {
  const lines = uses.slice(0, MOST_NAMED).map(({ value, op, operand }) => {
    const name = shownName(program, value);
    const of =
      op === null
        ? ""
        : ` of ${program.op(op).results.length > 0 ? program.value(program.op(op).results[0] ?? 0).name : shortName(program.op(op))}`;
    return `${name} ${typeOf(program, value)}${operand >= 0 ? `, operand ${operand}${of}` : ""}`;
  });
  return uses.length > MOST_NAMED ? [...lines, `and ${uses.length - MOST_NAMED} more`] : lines;
}

/** The node that an arrow key leads to: an operand, a reader, or a neighbour. @param {string} key @param {Node} node @param {Arrangement} arrangement @returns {Node|null} */
export function keyMove(key, node, { boxes, byNode }) {
  if (key === "ArrowUp") return firstOf(node.sources) ?? around(node) ?? null;
  if (key === "ArrowDown") return (node.isOpen ? node.children[0] : undefined) ?? node.readers[0]?.node ?? null;
  const here = byNode.get(node);
  if (!here) return null;
  const away = (/** @type {Box} */ { x, width }) =>
    (x + width / 2 - here.x - here.width / 2) * (key === "ArrowRight" ? 1 : -1);
  const beside = boxes.filter(
    (box) =>
      box.node.parent === node.parent && away(box) > 0 && box.y < here.y + here.height && here.y < box.y + box.height,
  );
  return beside.toSorted((one, other) => away(one) - away(other))[0]?.node ?? null;
}

/** @param {Node["sources"]} sources @returns {Node|undefined} */
const firstOf = (sources) => sources.toSorted((one, other) => one.use.operand - other.use.operand)[0]?.node;

/** The group around a node, if it is drawn. @param {Node} node @returns {Node|null} */
const around = ({ parent }) => (parent && parent.parent ? parent : null);
