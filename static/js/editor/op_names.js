/** Where ops are named in a program's text, in the short form and in the generic one. */

/** @typedef {{name: string, from: number, to: number, touches: boolean}} Found `touches`: the place asked for is on it. */

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

/** The op named at `offset`, else the first one of its line. @param {import("@codemirror/state").EditorState} state @param {number} offset @returns {Found|null} */
export function opNear(state, offset) {
  const line = state.doc.lineAt(offset);
  const ops = opsNamed(line.text);
  const here = ops.find(({ at, length }) => line.from + at <= offset && offset <= line.from + at + length);
  const op = here ?? ops[0];
  return op ? { name: op.name, from: line.from + op.at, to: line.from + op.at + op.length, touches: op === here } : null;
}
