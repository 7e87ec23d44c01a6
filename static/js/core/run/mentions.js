/**
 * The words of a program's text that name a value or a function: the definition and the uses. Positions are of the text
 * that ran.
 */
/** @import {Program} from "./program.js" */

/**
 * @typedef {{value: number}|{function: string}} Referent
 * @typedef {{from: number, to: number, op: number|null, defines: boolean}} Mention op: the innermost one around the word
 */

/** Strings and comments, in which nothing is named. */
const QUOTED = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** @param {string} text @returns {string} of the same length */
const unquoted = (text) => text.replaceAll(QUOTED, (part) => " ".repeat(part.length));

/** The definition first, then the uses in the order of the text. @param {Program} program @param {string} text @param {Referent} referent @returns {Mention[]} */
export const mentionsOf = (program, text, referent) =>
  "value" in referent ? ofValue(program, text, referent.value) : ofFunction(program, text, referent.function);

/** @param {Program} program @param {string} text @param {number} value @returns {Mention[]} */
function ofValue(program, text, value) {
  const definition = definitionOf(program, text, value);
  const users = new Set(twinsOf(program, text, value, definition).flatMap((twin) => program.usersOf(twin)));
  const words = patternOf(program, program.value(value).name);
  const uses = [...users]
    .flatMap((op) => wordsOf(program, text, program.op(op), words).map((word) => ({ ...word, op, defines: false })))
    .filter(({ from }) => from !== definition?.from);
  return [...(definition ? [definition] : []), ...uses.sort((a, b) => a.from - b.from)];
}

/** The word that defines a value. @param {Program} program @param {string} text @param {number} value @returns {Mention|null} */
export function definitionOf(program, text, value) {
  const { op, block } = program.definition(value);
  const words = patternOf(program, program.value(value).name.replace(/#\d+$/, ""));
  const mention = (/** @type {{from: number, to: number}|undefined} */ word, /** @type {number|null} */ around) =>
    word ? { ...word, op: around, defines: true } : null;
  if (op !== null) return mention(wordsOf(program, text, program.op(op), words)[0], op);
  const line = program.parameters[String(value)];
  if (line !== undefined) return mention(wordsIn(program, text, lineRange(text, line), words)[0], null);
  // Arguments are named before the first op of their block, in the text of the function or of the op around it.
  const { opener, function: owner } = program.block(block);
  const around = opener === null ? program.functions.find((each) => each.name === owner) : program.op(opener);
  if (!around) return null;
  const head = { from: around.from, to: Math.min(around.to, program.startOf(block)) };
  return mention(
    wordsIn(program, text, head, words).findLast(({ from }) => program.opAt(from) === opener),
    opener,
  );
}

/** The arguments of several regions that one word defines, as in `while(%i = %zero)`. @param {Program} program @param {string} text @param {number} value @param {Mention|null} definition @returns {number[]} */
function twinsOf(program, text, value, definition) {
  const { op, block } = program.definition(value);
  const { opener } = program.block(block);
  if (op !== null || opener === null || !definition) return [value];
  const { name } = program.value(value);
  return program.blocks
    .filter((other) => other.opener === opener)
    .flatMap(({ arguments: values }) => values)
    .filter((other) => program.value(other).name === name)
    .filter((other) => definitionOf(program, text, other)?.from === definition.from);
}

/** @param {string} text @param {number} line @returns {{from: number, to: number}} */
function lineRange(text, line) {
  let from = 0;
  for (let at = 1; at < line; at++) from = text.indexOf("\n", from) + 1;
  const end = text.indexOf("\n", from);
  return { from, to: end < 0 ? text.length : end };
}

/** The words in the own text of an op, without its regions. @param {Program} program @param {string} text @param {import("../types.js").OpInfo} op @param {RegExp} words */
const wordsOf = (program, text, op, words) =>
  wordsIn(program, text, op, words).filter(({ from }) => program.opAt(from) === op.id);

/** The words in a stretch of the text that name a value. @param {Program} program @param {string} text @param {{from: number, to: number}} range @param {RegExp} words @returns {{from: number, to: number}[]} */
function wordsIn({ language }, text, { from, to }, words) {
  const part = unquoted(text.slice(from, to));
  return [...part.matchAll(words)]
    .filter(({ index }) => language !== "hlo" || !isCalled(part, index))
    .map(({ index, 0: word }) => ({ from: from + index, to: from + index + word.length }));
}

/** HLO text may omit the percent sign; opcodes and computations may have the name of a value. @param {Program} program @param {string} name */
const patternOf = ({ language }, name) =>
  language === "hlo"
    ? new RegExp(`(?<![\\w.%-])%?${escaped(name.slice(1))}(?![\\w.-]|\\()`, "g")
    : new RegExp(`${escaped(name)}(?![\\w.$#-])`, "g");

/** @param {string} name */
const escaped = (name) => name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Whether HLO text names a computation there: `to_apply=%add`, `branch_computations={%a, %b}`. @param {string} text @param {number} at @returns {boolean} */
function isCalled(text, at) {
  const before = text.slice(Math.max(0, at - 400), at).replace(/[ ,]+$/, "");
  return /[={]$/.test(before) || /_computations=\{[^}]*$/.test(before);
}

/** @param {Program} program @param {string} text @param {string} name @returns {Mention[]} */
function ofFunction(program, text, name) {
  const defined = program.functions.find((each) => each.name === name);
  const isHlo = program.language === "hlo";
  const pattern = isHlo ? `(?<![\\w.%-])%?${escaped(name)}(?![\\w.-])` : `@${escaped(name)}(?![\\w.$-])`;
  const words = unquoted(text);
  const mentions = [...words.matchAll(new RegExp(pattern, "g"))].map(({ index: from, 0: word }) => {
    const op = program.opAt(from);
    const isHead = defined !== undefined && op === null && defined.from <= from && from < defined.to;
    return { from, to: from + word.length, op, defines: isHead };
  });
  const [definition] = mentions.filter(({ defines }) => defines);
  const uses = mentions.filter(({ from, op, defines }) => op !== null && !defines && (!isHlo || isCalled(words, from)));
  return [...(definition ? [definition] : []), ...uses];
}

/** The function that the text names at an offset. @param {Program} program @param {string} text @param {number} offset @returns {{name: string, from: number}|null} */
export function functionNamedAt(program, text, offset) {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(start, end < 0 ? text.length : end);
  for (const { index, 0: word } of line.matchAll(/[@%]?[A-Za-z_][\w.$-]*/g)) {
    const [from, to] = [start + index, start + index + word.length];
    const name = word.replace(/^[@%]/, "");
    if (offset < from || offset > to || !program.functions.some((each) => each.name === name)) continue;
    if (ofFunction(program, text, name).some((mention) => mention.from === from)) return { name, from };
  }
  return null;
}
