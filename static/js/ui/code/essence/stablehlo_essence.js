/**
 * The essence of a line of StableHLO (MLIR) text: `%6 = dot_general %5 × %arg4 [1]·[0]`. Names, the op and its
 * operands stay in place; types, default values and locations are omitted, and attributes shrink to their values.
 */
import { attributeText } from "./attribute_words.js";
import { afterString, closing, findOutside, inOrder, listItems, trimmed } from "./scanning.js";
/** @import {Piece} from "./scanning.js" */

const HEAD = /^(\s*)((?:%[-\w.$]+(?::\d+)?(?:\s*,\s*)?)+\s*=\s*)?("?)((?:[a-z_]\w*\.)*)([a-z_]\w*)("?)(?=[\s(<]|$)/;
/** Ops that are defined by their result type. */
const SHAPED = new Set(
  (
    "broadcast_in_dim dynamic_broadcast_in_dim broadcast reshape dynamic_reshape iota dynamic_iota convert " +
    "bitcast_convert reduce_precision rng rng_bit_generator constant uniform_quantize uniform_dequantize"
  ).split(" "),
);
/** The sign between operands instead of a comma. @type {Record<string, string[]>} */
const BETWEEN = {
  dot_general: [" × "],
  dot: [" × "],
  convolution: [" ∗ "],
  gather: [" at "],
  dynamic_gather: [" at ", ", "],
};
const SIGNS = /** @type {Record<string, string>} */ ({ LT: "<", LE: "≤", GT: ">", GE: "≥", EQ: "=", NE: "≠" });
/** Maximum number of arguments shown. */
const MOST_ARGUMENTS = 4;
const LONG_LITERAL = 48;
const LONG_TYPE = 24;
/** MLIR writes them as bits, for f64, f32, bf16 and f16. @type {Record<string, string>} */
const NOT_FINITE = {
  ...Object.fromEntries(["0x7FF0000000000000", "0x7F800000", "0x7F80", "0x7C00"].map((bits) => [bits, "+Inf"])),
  ...Object.fromEntries(["0xFFF0000000000000", "0xFF800000", "0xFF80", "0xFC00"].map((bits) => [bits, "-Inf"])),
  ...Object.fromEntries(["0x7FF8000000000000", "0x7FC00000", "0x7FC0", "0x7E00"].map((bits) => [bits, "NaN"])),
};

/** @param {string} line @returns {Piece[]} */
export function stablehloEssence(line) {
  const end = commentAt(line);
  if (/^\s*(?:$|#|:)/.test(line.slice(0, end))) return [];
  if (/^\s*module\b/.test(line)) return inOrder(moduleLine(line, end));
  if (/^\s*(?:func\.)?func\b/.test(line)) return inOrder(functionHead(line, end));
  if (/^\s*\^/.test(line)) return inOrder([...argumentTypes(line, line.indexOf("("), end), ...locations(line, end)]);
  const head = HEAD.exec(line.slice(0, end));
  const pieces = locations(line, end);
  if (head && isOperation(head)) pieces.push(...operation(line, head, end));
  else if (/^\s*(?:reducer|cond|do)?\s*\(/.test(line)) pieces.push(...argumentTypes(line, line.indexOf("("), end));
  else if (/^\s*\}/.test(line)) pieces.push(...types(line, 0, end, ""));
  return inOrder(pieces);
}

/** Lines between the attributes of an op begin with a name too. @param {RegExpExecArray} head @returns {boolean} */
const isOperation = ([, , results, quote, dialect, op = ""]) =>
  Boolean(results || quote || dialect) || op === "return" || op === "call";

/** @param {string} line @returns {number} */
function commentAt(line) {
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') at = afterString(line, at) - 1;
    else if (line[at] === "/" && line[at + 1] === "/") return at;
  }
  return line.length;
}

/** Each `loc(…)`, with the blank before it. @param {string} line @param {number} end @returns {Piece[]} */
function locations(line, end) {
  const pieces = [];
  for (const found of line.slice(0, end).matchAll(/\s*\bloc\(/g)) {
    const close = closing(line, found.index + found[0].length - 1);
    if (close >= 0) pieces.push({ from: found.index, to: close + 1, text: "" });
  }
  return pieces;
}

/** @param {string} line @param {number} end @returns {Piece[]} */
function moduleLine(line, end) {
  const attributes = / attributes \{/.exec(line.slice(0, end));
  if (!attributes) return locations(line, end);
  const close = closing(line, attributes.index + attributes[0].length - 1);
  return close < 0 ? [] : [{ from: attributes.index, to: close + 1, text: "" }, ...locations(line, end)];
}

/** The head of a function: `(%arg0: f32[8], … 146 more) → f32[]`. @param {string} line @param {number} end @returns {Piece[]} */
function functionHead(line, end) {
  const open = line.indexOf("(");
  const close = open < 0 ? -1 : closing(line, open);
  if (close < 0) return [];
  const pieces = argumentTypes(line, open, end);
  const opens = /\s*\{\s*$/.exec(line.slice(0, end));
  const result = trimmed(line, close + 1, opens ? opens.index : end);
  if (line.startsWith("->", result.from)) pieces.push({ ...result, text: `→ ${resultsText(line, result)}` });
  return [...pieces, ...locations(line, end)];
}

/** @param {string} line @param {{from: number, to: number}} result behind an arrow @returns {string} */
function resultsText(line, { from, to }) {
  const at = trimmed(line, from + 2, to).from;
  if (line[at] !== "(")
    return shortType(
      line.slice(
        at,
        findOutside(line, at, to, (character) => character === " "),
      ),
    );
  const items = listItems(line, at + 1, closing(line, at));
  const shown = items
    .slice(0, MOST_ARGUMENTS)
    .map((item) => shortType(line.slice(item.from, item.to).split(" {")[0] ?? ""));
  if (shown.length === 1) return shown[0] ?? "";
  return items.length > MOST_ARGUMENTS ? `${items.length} results` : `(${shown.join(", ")})`;
}

/** The types of arguments in the form of the film strip; only the first ones of a long list. @param {string} line @param {number} open @param {number} end @returns {Piece[]} */
function argumentTypes(line, open, end) {
  const close = open < 0 ? -1 : closing(line, open);
  if (close < 0 || close > end) return [];
  const items = listItems(line, open + 1, close);
  const shown = items.length > MOST_ARGUMENTS + 1 ? items.slice(0, MOST_ARGUMENTS) : items;
  const pieces = shown.flatMap((item) => argumentType(line, item));
  const last = shown.at(-1);
  if (last && shown.length < items.length)
    pieces.push({ from: last.to, to: close, text: `, … ${items.length - shown.length} more` });
  return pieces;
}

/** @param {string} line @param {{from: number, to: number}} item @returns {Piece[]} */
function argumentType(line, { from, to }) {
  const colon = line.slice(from, to).search(/\s*:\s/);
  if (colon < 0) return [];
  const type = trimmed(line, from + colon + line.slice(from + colon).search(/:/) + 1, to);
  const typeEnd = findOutside(line, type.from, to, (character) => character === " ");
  return [{ from: type.from, to, text: shortType(line.slice(type.from, typeEnd)) }];
}

/** `f32[64,768]` for `tensor<64x768xf32>`. @param {string} text @returns {string} */
export function shortType(text) {
  const found = /^tensor<((?:[\d?]+x)*)(.*)>$/.exec(text.trim());
  if (!found) return text.length > LONG_TYPE ? "…" : text;
  const dims = (found[1] ?? "").split("x").filter(Boolean);
  const rest = found[2] ?? "";
  const element = rest.slice(
    0,
    findOutside(rest, 0, rest.length, (character) => character === ","),
  );
  const shown = element.length > LONG_TYPE ? `${element.slice(0, element.indexOf("<"))}<…>` : element;
  return dims.length ? `${shown}[${dims.join(",")}]` : shown;
}

/** @param {string} line @param {RegExpExecArray} head @param {number} end @returns {Piece[]} */
function operation(line, head, end) {
  const [all, indent = "", results = "", quote = "", dialect = "", op = ""] = head;
  const start = indent.length + results.length;
  const from = all.length;
  const pieces = [
    { from: start, to: start + quote.length + (dialect === "stablehlo." ? dialect.length : 0), text: "" },
  ];
  if (quote) pieces.push({ from: from - 1, to: from, text: "" });
  if (op === "constant") return [...pieces, ...literal(line, from, end), ...types(line, from, end, op)];
  const colon = typesAt(line, from, end);
  const attributes = attributesIn(line, from, colon);
  const operandsEnd = attributes[0]?.from ?? colon;
  return [
    ...pieces,
    ...operands(line, { op, quote: quote !== "", from, to: operandsEnd }),
    ...attributes.map((piece, at) => ({
      ...piece,
      text: piece.text && `${op === "reduce" && at === 0 ? " " : "  "}${piece.text}`,
    })),
    ...types(line, from, end, op),
  ];
}

/** The ` : ` before the types of an op. @param {string} line @param {number} from @param {number} end @returns {number} */
const typesAt = (line, from, end) =>
  findOutside(line, from, end, (character, at) => character === ":" && line[at - 1] === " " && line[at + 1] === " ");

/** Omit the types of an op; some ops keep their result type. @param {string} line @param {number} from @param {number} end @param {string} op @returns {Piece[]} */
function types(line, from, end, op) {
  const colon = typesAt(line, from, end);
  if (colon >= end) return [];
  const follows = / loc\(|(?<=[>)\w]) \{\s*$/.exec(line.slice(colon, end));
  const stop = follows ? colon + follows.index : end;
  const text = SHAPED.has(op) ? resultType(line, colon + 1, trimmed(line, colon, stop).to, op) : "";
  return [{ from: line[colon - 1] === " " ? colon - 1 : colon, to: stop, text }];
}

/** @param {string} line @param {number} from @param {number} to @param {string} op @returns {string} */
function resultType(line, from, to, op) {
  const arrow = findOutside(line, from, to, (character, at) => character === "-" && line[at + 1] === ">");
  const type = shortType(line.slice(arrow < to ? arrow + 2 : from, to));
  const scalar = !type.includes("[");
  return op === "constant" && scalar ? "" : ` → ${type}`;
}

/** The content of `dense<…>`, cut if it is long. @param {string} line @param {number} from @param {number} end @returns {Piece[]} */
function literal(line, from, end) {
  const dense = line.indexOf("dense<", from);
  const close = dense < 0 ? -1 : closing(line, dense + 5);
  if (close < 0 || close > end) return [];
  const value = line.slice(dense + 6, close);
  return [{ from: dense, to: close + 1, text: shortLiteral(value) }];
}

/** @param {string} value @returns {string} */
function shortLiteral(value) {
  if (NOT_FINITE[value]) return NOT_FINITE[value] ?? "";
  if (/^-?\d[\d.]*[eE][+-]?0?[0-5]$/.test(value)) return String(Number(value));
  if (value.startsWith('"')) return "…";
  return value.length > LONG_LITERAL ? `${value.slice(0, LONG_LITERAL - 8).replace(/[^,\]]*$/, "")} …` : value;
}

/** @param {string} line @param {{op: string, quote: boolean, from: number, to: number}} where @returns {Piece[]} */
function operands(line, { op, quote, from, to }) {
  if (op === "reduce" && !quote) return reduceOperands(line, from, to);
  if (op === "compare" && !quote) return comparison(line, from, to);
  const open = line[from] === "(" ? from : -1;
  const close = open < 0 ? to : closing(line, open);
  if (close < 0) return [];
  const bare = open >= 0 && (quote || op === "convolution");
  const pieces = bare ? [replaced(open, open + 1, " "), replaced(close, close + 1, "")] : [];
  const items = listItems(line, open < 0 ? from : open + 1, close).filter(({ from: at }) => line[at] === "%");
  const between = BETWEEN[op];
  if (!between) return pieces;
  for (let i = 1; i < items.length; i++)
    pieces.push(replaced(items[i - 1]?.to ?? 0, items[i]?.from ?? 0, between[Math.min(i, between.length) - 1] ?? ", "));
  return pieces;
}

/** @param {number} from @param {number} to @param {string} text @returns {Piece} */
const replaced = (from, to, text) => ({ from, to, text });

/** `reduce(%7 init: %cst) applies stablehlo.add across dimensions = [1]` is `reduce add %7 init %cst over [1]`. @param {string} line @param {number} from @param {number} to @returns {Piece[]} */
function reduceOperands(line, from, to) {
  const pieces = [];
  const text = line.slice(from, to);
  const applies = /\) applies ([\w.]+)/.exec(text);
  const name = applies?.[1]?.replace(/^stablehlo\./, "");
  const parts = [...text.matchAll(/\((?=%)|\)| init: |, \(/g)];
  for (const part of parts) {
    const at = from + part.index;
    const shown = part[0].startsWith("(") ? " " : part[0] === " init: " ? " init " : "";
    if (part[0] !== ", (") pieces.push(replaced(at, at + part[0].length, at === from && name ? ` ${name} ` : shown));
    else pieces.push(replaced(at, at + 3, ", "));
  }
  const across = / applies [\w.]+(?= across)/.exec(text);
  if (across) pieces.push(replaced(from + across.index, from + across.index + across[0].length, ""));
  const last = /across\s*$/.exec(text);
  if (last) pieces.push(replaced(from + last.index, to, "over"));
  return pieces;
}

/** `compare LT, %a, %b, SIGNED` is `compare %a < %b`. @param {string} line @param {number} from @param {number} to @returns {Piece[]} */
function comparison(line, from, to) {
  const items = listItems(line, from, to);
  const [direction, left, right, kind] = items;
  const sign = direction && SIGNS[line.slice(direction.from, direction.to)];
  if (!sign || !left || !right) return [];
  const pieces = [replaced(direction.from, left.from, ""), replaced(left.to, right.from, ` ${sign} `)];
  const total = kind && line.slice(kind.from, kind.to) !== "TOTALORDER";
  if (total) pieces.push(replaced(right.to, kind.to, ""));
  return pieces;
}

/**
 * The attributes of an op, each from the end of the previous token: after commas, in `{…}` and in `<{…}>`.
 *
 * @param {string} line @param {number} from @param {number} to @returns {Piece[]}
 */
function attributesIn(line, from, to) {
  const pieces = [];
  for (let at = from; at < to;) {
    const open = findOutside(line, at, to, (character, i) => isAttributeStart(line, character, i));
    if (open >= to) break;
    const dictionary = /^\s*(<\{|\{)/.exec(line.slice(open, to));
    const found = dictionary ? dictionaryPieces(line, open, dictionary[0], to) : namedPiece(line, open, to);
    if (found.pieces.length === 0 && found.end <= open) break;
    pieces.push(...found.pieces);
    at = Math.max(found.end, open + 1);
  }
  return pieces;
}

const NAMED = /^(?:,\s*|\s+)([A-Za-z_][\w.]*)\s*=\s*(?!=)/;

/** @param {string} line @param {string} character @param {number} at @returns {boolean} */
function isAttributeStart(line, character, at) {
  if (character !== "," && character !== " ") return false;
  const rest = line.slice(at, at + 80);
  return NAMED.test(rest) || /^\s+<?\{(?!\s*$)/.test(rest);
}

/** @param {string} line @param {number} from @param {number} to @returns {{pieces: Piece[], end: number}} */
function namedPiece(line, from, to) {
  const found = NAMED.exec(line.slice(from, to));
  if (!found) return { pieces: [], end: from };
  const begins = from + found[0].length;
  const end = findOutside(line, begins, to, (character, at) => {
    if (character === ",") return true;
    return character === " " && (isAttributeStart(line, character, at) || /^\s*(?:\(|:\s|$)/.test(line.slice(at, to)));
  });
  return { pieces: [replaced(from, end, attributeText(found[1] ?? "", line.slice(begins, end)))], end };
}

/** @param {string} line @param {number} from @param {string} opens @param {number} to @returns {{pieces: Piece[], end: number}} */
function dictionaryPieces(line, from, opens, to) {
  const open = from + opens.length - 1;
  const close = closing(line, open);
  if (close < 0 || close >= to) return { pieces: [], end: to };
  const end = close + (opens.includes("<") ? 2 : 1);
  const texts = listItems(line, open + 1, close).map((item) => {
    const equals = findOutside(line, item.from, item.to, (character) => character === "=");
    const name = line.slice(item.from, equals).trim();
    return attributeText(name, equals < item.to ? line.slice(equals + 1, item.to) : null);
  });
  return { pieces: [replaced(from, end, [...new Set(texts.filter(Boolean))].join("  "))], end };
}
