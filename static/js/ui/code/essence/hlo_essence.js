/**
 * The essence of a line of XLA HLO text: `ROOT %dot.25 = dot(%a × %b) [1]·[0]`. Names and computations stay; types
 * (unless they define the op), layouts, metadata and compiler notes are omitted.
 */
import { attributeText } from "./attribute_words.js";
import { closing, findOutside, inOrder, listItems } from "./scanning.js";
/** @import {Piece} from "./scanning.js" */

const STATEMENT = /^\s*(?:ROOT\s+)?%?[A-Za-z_][\w.-]*\s*=\s+/;
const LAYOUT = /(?<=\])\{[^{}"=]*\}/g;
const TYPE = /^(?:pred|[su]\d+|b?f\d+\w*|c64|c128|token|opaque)\[[^\]]*\](?:\{[^{}]*\})?\s+(?=%|[A-Za-z_])/;
const OPCODE = /^[a-z][\w-]*(?=\()/;
const DOT = /^(?:lhs|rhs)_(?:batch|contracting)_dims$/;
const SIGNS = /** @type {Record<string, string>} */ ({ LT: "<", LE: "≤", GT: ">", GE: "≥", EQ: "=", NE: "≠" });
/** Ops that are defined by their result type. */
const SHAPED = new Set(
  (
    "parameter constant broadcast reshape dynamic-reshape iota convert bitcast bitcast-convert reduce-precision rng " +
    "rng-bit-generator infeed recv"
  ).split(" "),
);
/** Attributes that name computations or instructions: their names stay in place. */
const NAMES =
  /^(?:calls|to_apply|condition|body|true_computation|false_computation|branch_computations|called_computations|select|scatter|control-predecessors)$/;
const NAME_WORDS = /** @type {Record<string, string>} */ ({
  condition: "while ",
  body: "do ",
  true_computation: "then ",
  false_computation: "else ",
  select: "select ",
  scatter: "scatter ",
  "control-predecessors": "after ",
});
const LONG_LITERAL = 48;
const MOST_ARGUMENTS = 4;

/** @param {string} line @returns {Piece[]} */
export function hloEssence(line) {
  if (/^\s*(?:\/\/|$)/.test(line)) return [];
  if (line.startsWith("HloModule")) return moduleLine(line);
  const statement = STATEMENT.exec(line);
  if (statement) return inOrder(instruction(line, statement[0].length));
  return /\)\s*->.*\{\s*$/.test(line) ? inOrder(computationHead(line)) : inOrder(continuation(line));
}

/** @param {string} line @returns {Piece[]} */
function moduleLine(line) {
  const comma = line.indexOf(",");
  return comma < 0 ? [] : [{ from: comma, to: line.length, text: " …" }];
}

/** `%fused (a: f32[2], … 5 more) -> f32[2] {`. @param {string} line @returns {Piece[]} */
function computationHead(line) {
  const open = line.indexOf("(");
  const close = closing(line, open);
  if (close < 0) return [];
  const items = listItems(line, open + 1, close);
  const last = items[MOST_ARGUMENTS - 1];
  const pieces = layouts(line, 0, line.length);
  for (const item of items) {
    const at = line.indexOf(": (", item.from);
    if (at >= 0 && at < item.to) pieces.push({ from: at + 2, to: item.to, text: tupleText(line, at + 2) });
  }
  if (last && items.length > MOST_ARGUMENTS + 1)
    pieces.push({ from: last.to, to: close, text: `, … ${items.length - MOST_ARGUMENTS} more` });
  const result = line.indexOf("-> (", close) + 3;
  if (result > close) pieces.push({ from: result, to: closing(line, result) + 1, text: tupleText(line, result) });
  return pieces;
}

/** @param {string} line @param {number} from @param {number} to @returns {Piece[]} */
const layouts = (line, from, to) =>
  [...line.slice(from, to).matchAll(LAYOUT)].map(({ index, 0: { length } }) => ({
    from: from + index,
    to: from + index + length,
    text: "",
  }));

/** The type of a tuple by its first element and its size. @param {string} line @param {number} open @returns {string} */
function tupleText(line, open) {
  const items = listItems(line, open + 1, closing(line, open));
  const [first] = items;
  if (!first) return "()";
  const type = line.slice(first.from, first.to).replaceAll(LAYOUT, "");
  if (items.length === 1) return `(${type})`;
  return type.startsWith("(") ? `(${items.length} elements)` : `(${type}, … ${items.length - 1} more)`;
}

/** @param {string} line @param {number} from behind `%name = ` @returns {Piece[]} */
function instruction(line, from) {
  const tuple = line[from] === "(";
  const typeEnd = tuple
    ? closing(line, from) + 1
    : findOutside(line, from, line.length, (character) => character === " ");
  const opcodeAt = typeEnd + (/^(?:\{[^}]*\})?\s*/.exec(line.slice(typeEnd))?.[0].length ?? 0);
  const opcode = OPCODE.exec(line.slice(opcodeAt))?.[0];
  if (!opcode || typeEnd <= 0) return layouts(line, from, line.length);
  const type = { from, to: opcodeAt, text: "" };
  const open = opcodeAt + opcode.length;
  const close = closing(line, open);
  if (close < 0) return [type, ...cutLiteral(line, opcode, open, line.length)];
  const shape = SHAPED.has(opcode) ? shapeText(line.slice(from, typeEnd), opcode) : "";
  return [
    type,
    ...cutLiteral(line, opcode, open, close),
    ...operands(line, opcode, open, close),
    ...withShape(line, close, attributes(line, opcode, close), shape),
  ];
}

/** `→ f32[8,4]`; for a constant with one element, its value. @param {string} type @param {string} opcode @returns {string} */
function shapeText(type, opcode) {
  const text = type.startsWith("(") ? tupleText(type, 0) : type.replaceAll(LAYOUT, "");
  return opcode === "constant" && text.endsWith("[]") ? "" : ` → ${text}`;
}

/** The text after the operands, and the shape. @param {string} line @param {number} close @param {Piece[]} pieces @param {string} shape @returns {Piece[]} */
function withShape(line, close, pieces, shape) {
  if (shape === "") return pieces;
  const last = pieces.at(-1);
  if (last?.to === line.trimEnd().length) return [...pieces.slice(0, -1), { ...last, text: `${last.text}${shape}` }];
  return [{ from: close, to: close + 1, text: `)${shape}` }, ...pieces];
}

/** @param {string} line @param {string} opcode @param {number} open @param {number} close @returns {Piece[]} */
function cutLiteral(line, opcode, open, close) {
  if (opcode !== "constant" || close - open < LONG_LITERAL) return [];
  const from = open + LONG_LITERAL - 8;
  return [{ from: from - (/[^,{}]*$/.exec(line.slice(open, from))?.[0].length ?? 0), to: close, text: " …" }];
}

/** Omit the types of operands; with two operands, put the sign of the op between them. @param {string} line @param {string} opcode @param {number} open @param {number} close @returns {Piece[]} */
function operands(line, opcode, open, close) {
  if (opcode === "constant" || opcode === "parameter") return [];
  const items = listItems(line, open + 1, close);
  const pieces = items.flatMap(({ from, to }) => operandType(line, from, to));
  const [left, right] = items;
  const sign = opcode === "dot" ? "×" : opcode === "convolution" ? "∗" : comparisonSign(line, opcode, close);
  if (sign && left && right)
    pieces.push({ from: left.to, to: right.from, text: ` ${sign} ` }, ...operandType(line, right.from, right.to));
  return pieces;
}

/** @param {string} line @param {number} from @param {number} to @returns {Piece[]} */
function operandType(line, from, to) {
  const text = line.slice(from, to);
  const tuple = text.startsWith("(") ? closing(text, 0) + 1 : 0;
  const length =
    tuple > 0 ? tuple + (/^\s+/.exec(text.slice(tuple))?.[0].length ?? 0) : (TYPE.exec(text)?.[0].length ?? 0);
  const comment = /^\/\*.*?\*\//.exec(text)?.[0].length ?? 0;
  return length + comment > 0 ? [{ from, to: from + Math.max(length, comment), text: "" }] : [];
}

/** @param {string} line @param {string} opcode @param {number} close @returns {string|undefined} */
function comparisonSign(line, opcode, close) {
  if (opcode !== "compare") return undefined;
  return SIGNS[/direction=([A-Z]{2})/.exec(line.slice(close))?.[1] ?? ""];
}

/** @param {string} line @param {string} opcode @param {number} close @returns {Piece[]} */
function attributes(line, opcode, close) {
  const found = listItems(line, close + 1, line.length).map((item) => {
    const equals = line.indexOf("=", item.from);
    return { ...item, equals, name: line.slice(item.from, equals), value: line.slice(equals + 1, item.to) };
  });
  let before = close + 1;
  /** @type {Piece[]} */
  const pieces = [];
  const dot = dotText(found);
  let saidDot = false;
  for (const { to, equals, name, value } of found) {
    const from = before;
    before = to;
    if (equals < 0 || equals > to) continue;
    if (DOT.test(name)) {
      pieces.push({ from, to, text: saidDot || dot === "" ? "" : `  ${dot}` });
      saidDot = true;
    } else if (NAMES.test(name)) pieces.push({ from, to: equals + 1, text: `  ${NAME_WORDS[name] ?? ""}` });
    else pieces.push({ from, to, text: shown(opcode, name, value) });
  }
  return pieces;
}

/** @param {string} opcode @param {string} name @param {string} value @returns {string} */
function shown(opcode, name, value) {
  if (opcode === "compare" && (name === "direction" || name === "type")) return "";
  if (opcode === "get-tuple-element" && name === "index") return `[${value}]`;
  const text = attributeText(name, name === "window" ? value.replace(/^\{|\}$/g, "").replaceAll("=", " ") : value);
  return text && `  ${text}`;
}

/** `[1]·[0] batch [0]·[0]`. @param {{name: string, value: string}[]} found @returns {string} */
function dotText(found) {
  const dims = (/** @type {string} */ name) =>
    (found.find((item) => item.name === name)?.value ?? "{}").replace("{", "[").replace("}", "]");
  const pair = (/** @type {string} */ kind) => `${dims(`lhs_${kind}_dims`)}·${dims(`rhs_${kind}_dims`)}`;
  const [contracted, batch] = [pair("contracting"), pair("batch")];
  if (contracted === "[]·[]" && batch === "[]·[]") return "";
  return batch === "[]·[]" ? contracted : `${contracted}  batch ${batch}`;
}

/** A continuation of the line above. @param {string} line @returns {Piece[]} */
function continuation(line) {
  const details = /,? ?\b(?:metadata|backend_config|frontend_attributes|sharding)=/.exec(line);
  const pieces = layouts(line, 0, details?.index ?? line.length);
  return details && !/^\d/.test(line) ? [...pieces, { from: details.index, to: line.length, text: "" }] : pieces;
}
