/** Where ops are named in a program's text: in MLIR's short form and in its generic one, and as opcodes in HLO text. */
import { ensureSyntaxTree } from "@codemirror/language";
import { programLanguage } from "./languages.js";

/**
 * `touches`: the place asked for is on it. `opcode`: `name` is an opcode of HLO.
 *
 * @typedef {{name: string, from: number, to: number, touches: boolean, opcode: boolean}} Found
 */

/** As long as one waits for the colours of a line far below. */
const PATIENCE_MS = 100;

// Not `#stablehlo.gather<…>` or `!stablehlo.token`: these are attributes and types.
const DIALECT_OP = /(?<![\w.@%#!$-])(?:stablehlo|chlo|func|check|interpreter|shape|tensor|arith|sdy)\.[a-z_][\w-]*(?:\.[\w-]+)*/g;
const BARE_OP = /(?<=^\s*|=\s*)(?:call|return)\b/g;
const BARE = /** @type {Record<string, string>} */ ({ call: "func.call", return: "func.return" });

/** The ops that a line names, in order. @param {string} line @returns {{name: string, at: number, length: number}[]} */
export function opsNamed(line) {
  const comment = line.indexOf("//");
  const text = comment < 0 ? line : line.slice(0, comment);
  const found = [...text.matchAll(DIALECT_OP), ...text.matchAll(BARE_OP)];
  return found.map((match) => ({ name: BARE[match[0]] ?? match[0], at: match.index, length: match[0].length })).sort((a, b) => a.at - b.at);
}

/** The opcodes that a line of HLO text names. @param {import("@codemirror/state").EditorState} state @param {{from: number, to: number}} line */
function opcodesNamed(state, { from, to }) {
  /** @type {{name: string, at: number, length: number}[]} */
  const found = [];
  ensureSyntaxTree(state, to, PATIENCE_MS)?.iterate({
    from, to,
    enter: (node) => {
      if (node.name === "operatorKeyword") found.push({ name: state.sliceDoc(node.from, node.to), at: node.from - from, length: node.to - node.from });
    },
  });
  return found;
}

/** The op named at `offset`, else the first one of its line. @param {import("@codemirror/state").EditorState} state @param {number} offset @returns {Found|null} */
export function opNear(state, offset) {
  const line = state.doc.lineAt(offset);
  const opcode = state.facet(programLanguage) === "hlo";
  const ops = opcode ? opcodesNamed(state, line) : opsNamed(line.text);
  const here = ops.find(({ at, length }) => line.from + at <= offset && offset <= line.from + at + length);
  const op = here ?? ops[0];
  return op ? { name: op.name, from: line.from + op.at, to: line.from + op.at + op.length, touches: op === here, opcode } : null;
}
