/**
 * The derivation of an element as arithmetic, and as the beats of a film: which elements move in, and what the result
 * shows then.
 *
 * sources: the elements that move in; shows: what the result's cell shows once they are there
 * @typedef {{sources: SourceElement[], shows: string}} Beat
 */
/** @import {Derivation, SourceElement} from "../../core/types.js" */

/** Maximum number of terms that are written out; an ellipsis stands for the others. */
export const MOST_WRITTEN = 64;

/** Negative numbers behind an operator are put in parentheses. @param {string} text @param {number} at */
const operand = (text, at) => (at > 0 && text.startsWith("-") ? `(${text})` : text);

/** @param {SourceElement} source */
const nameOf = ({ name, index }) => (index.length > 0 ? `${name}[${index.join(", ")}]` : name);

/** What follows the first equals sign. @param {string} text @returns {string} */
const formulaIn = (text) => text.slice(text.indexOf(" = ") + 3);

/** The arithmetic of an element in one line: `1·1 + 2·6 = 13`. @param {Derivation} derivation @returns {string} */
export function arithmeticOf(derivation) {
  const { kind, text, rows, termCount, value } = derivation;
  const terms = rows.flatMap((row) => row.terms);
  const isCombined = kind === "fold" || kind === "updates";
  if (kind === "sort" || terms.length === 0) return "";
  if (kind === "sum of products")
    return `${joined(
      terms.map((term) => term.map((each, at) => operand(each.text, at)).join("·")),
      " + ",
      termCount,
    )} = ${value}`;
  if (kind === "moved" || (isCombined && terms.length === 1)) return formulaIn(text);
  if (isCombined) {
    const values = terms.map(([each]) => each?.text ?? "");
    const operator = operatorIn(text);
    if (operator.length > 1) return `${operator}(${joined(values, ", ", termCount)}) = ${value}`;
    return `${joined(values.map(operand), ` ${operator === "*" ? "·" : operator} `, termCount)} = ${value}`;
  }
  if (kind === "function") return inNumbers(formulaIn(text), terms.flat());
  return "";
}

/** The operator between the terms of a formula, or the name of the function of them. @param {string} text @returns {string} */
function operatorIn(text) {
  const formula = formulaIn(text);
  const named = /^([a-z]+) of /.exec(formula)?.[1];
  return named ?? /[\]\w] ([+*&|^]) [%(\w]/.exec(formula)?.[1] ?? "+";
}

/** @param {string[]} parts @param {string} between @param {number} count of all terms @returns {string} */
function joined(parts, between, count) {
  const shown = parts.slice(0, MOST_WRITTEN);
  return [...shown, ...(shown.length < count ? [`… (${count} terms)`] : [])].join(between);
}

/**
 * `1 + 5 = 6` of `%a[0] + %b[0] = 1 + 5 = 6`; `max(1, 5) = 5` of `max(%a[0] = 1, %b[0] = 5) = 5`.
 * @param {string} formula @param {SourceElement[]} sources @returns {string}
 */
const inNumbers = (formula, sources) =>
  formula.startsWith("%")
    ? formulaIn(formula)
    : sources.reduce((line, each) => line.replaceAll(`${nameOf(each)} = ${each.text}`, each.text), formula);

/** Each row is a beat; the last one shows the element itself. @param {Derivation} derivation @returns {Beat[]} */
export function beatsOf({ rows, value, rowCount, start, kind }) {
  if (rows.length === 0) return [{ sources: [], shows: value }];
  if (kind === "sort") {
    const own = rows.find(({ note }) => note === "this element");
    return [{ sources: own?.terms[0] ?? [], shows: value }];
  }
  const isWhole = start + rows.length >= rowCount;
  const beats = rows.map(({ terms, partial }) => ({ sources: terms.flat(), shows: partial ?? "" }));
  const last = beats[beats.length - 1];
  if (last) last.shows = value;
  return isWhole ? beats : [...beats.slice(0, -1), { sources: last?.sources ?? [], shows: value }];
}
