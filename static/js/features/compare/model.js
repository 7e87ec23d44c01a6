/**
 * The comparison of two runs: the rows of its list and their texts. Pure functions.
 *
 * @typedef {Row["verdict"]} Verdict
 * @typedef {"before"|"after"} Side
 * @typedef {{number: number, title: string}} RunName
 * @typedef {{kind: "row", row: Row, at: number}} RowItem `at`: its number among all rows
 * @typedef {RowItem|import("../../core/search/folds.js").Fold} Item
 */
import { foldRuns } from "../../core/search/folds.js";
import { countText, short, ulpsText } from "../../core/tensor/elements.js";
import { wordsOf } from "../../core/search/query.js";
/** @import {ComparedSide, ComparedRow as Row} from "../../core/types.js" */

/** @type {readonly Verdict[]} the worst first */
export const VERDICTS = ["nan", "wrong", "shape", "only_before", "only_after", "unknown", "rounding", "same_bits"];

/** The label of each verdict. */
export const VERDICT_WORDS = /** @type {Record<Verdict, string>} */ ({
  nan: "became NaN",
  wrong: "wrong",
  shape: "other shape",
  only_before: "in the first run only",
  only_after: "in the second run only",
  unknown: "unknown",
  rounding: "rounding",
  same_bits: "same bits",
});

const EVIDENCE_WORDS = /** @type {Record<string, string>} */ ({
  original: "XLA’s original_value",
  value: "equal values",
  near: "values that are equal but for rounding",
  name: "name, op and type",
  source: "origin in your source",
  structure: "matched operands",
  elements: "the same elements in another order",
  position: "place",
  replaced: "place between matched neighbours",
  same_program: "",
});

/**
 * The rows of the list: those that match all words and one of the verdicts; equal rows are folded, unless the fold was
 * opened or a filter is set.
 *
 * @param {readonly Row[]} rows @param {{words: string, verdicts: ReadonlySet<Verdict>, opened: ReadonlySet<number>}} wanted
 *   `verdicts`: none are all; `opened`: the first rows of folds @returns {Item[]}
 */
export function itemsOf(rows, { words, verdicts, opened }) {
  const filter = wordsOf(words);
  const isFiltered = filter.length > 0 || verdicts.size > 0;
  const items = foldRuns(
    rows.length,
    (at) => (isFiltered ? at : equalUntil(rows, at)),
    opened,
    (at) => isWanted(/** @type {Row} */ (rows[at]), filter, verdicts),
  );
  return items.map((item) =>
    typeof item === "number" ? { kind: "row", row: /** @type {Row} */ (rows[item]), at: item } : item,
  );
}

/** @param {readonly Row[]} rows @param {number} from @returns {number} the first row from there on that is not equal */
function equalUntil(rows, from) {
  let at = from;
  while (rows[at]?.verdict === "same_bits") at++;
  return at;
}

/** @param {Row} row @param {readonly string[]} filter @param {ReadonlySet<Verdict>} verdicts @returns {boolean} */
function isWanted(row, filter, verdicts) {
  if (verdicts.size > 0 && !verdicts.has(row.verdict)) return false;
  const text = filter.length > 0 ? textOf(row) : "";
  return filter.every((word) => text.includes(word));
}

/** The text that filters search. @param {Row} row @returns {string} */
const textOf = ({ before, after, verdict }) =>
  [before, after]
    .flatMap((side) => (side ? [side.name, side.spelled, `line ${side.line}`, side.type] : []))
    .concat([VERDICT_WORDS[verdict]])
    .join(" ")
    .toLowerCase();

/** The index of the row of an op of one run. @param {readonly Row[]} rows @param {Side} side @param {number|null} op @returns {number} -1: none */
export const rowOfOp = (rows, side, op) => (op === null ? -1 : rows.findIndex((row) => row[side]?.op === op));

/** The difference in one word. @param {Row} row @returns {string} */
export function errorWord({ verdict, worst }) {
  if (verdict === "same_bits") return "=";
  if (verdict === "only_before" || verdict === "only_after") return "alone";
  if (verdict === "shape") return "shape";
  if (verdict === "nan") return "NaN";
  if (!worst) return "";
  if (verdict === "rounding" && worst.ulps !== null) return ulpsText(worst.ulps);
  return `Δ ${short(Number(worst.error))}`;
}

/** The op and the name of a value. @param {ComparedSide} side @returns {string} */
export const sideWords = ({ name, spelled, line }) =>
  spelled === "" ? `input ${name}` : `${opWord(spelled)} ${name}, line ${line}`;

/** An op without its dialect. @param {string} spelled @returns {string} */
export const opWord = (spelled) => spelled.replace(/^"?(stablehlo|chlo|mhlo|func)\./, "").replace(/"$/, "");

/** The evidence for the match; empty if it is obvious. @param {Row} row @returns {string} */
export function evidenceWords({ evidence, before, after }) {
  if (!before || !after || before.op === null) return "";
  const words = evidence.map((each) => EVIDENCE_WORDS[each] ?? each).filter(Boolean);
  return words.length > 0 ? `Matched by ${words.join("; ")}.` : "";
}

/** The number of executions, and of wrong ones. @param {Row} row @returns {string} */
export function executionWords({ executions, wrong, verdict }) {
  if (executions < 2) return "";
  const times = countText(executions);
  if (wrong > 0) return `${countText(wrong)} of ${times} executions are wrong; this is the first.`;
  return verdict === "same_bits" ? `Equal in all ${times} executions.` : `The worst of ${times} executions.`;
}

/** The label of a row for screen readers. @param {Row} row @returns {string} */
export function spoken(row) {
  const [first, second] = [row.before, row.after].map((side) => (side ? sideWords(side) : null));
  const names = first && second && first !== second ? `${first}, and ${second}` : (first ?? second ?? "");
  return `${names}: ${VERDICT_WORDS[row.verdict]}${row.worst ? `, ${row.sentence}` : ""}`;
}

/** The summary with the common range of both values, for a common colour scale. @param {import("../../core/types.js").ValueSummary} summary @param {import("../../core/types.js").JointRange} range @returns {import("../../core/types.js").ValueSummary} */
export function withRange(summary, { min, max }) {
  if (!summary.statistics) return summary;
  return { ...summary, statistics: { ...summary.statistics, min: Number(min), max: Number(max) }, spread: null };
}

/** The query of a pair. @param {string} other @param {Record<string, string|number|null|undefined>} more @returns {string} */
export function queryOf(other, more = {}) {
  const query = new URLSearchParams({ with: other });
  for (const [name, value] of Object.entries(more))
    if (value !== null && value !== undefined) query.set(name, String(value));
  return query.toString();
}

/** A typed tolerance: a non-negative number, or null. @param {string} text @returns {number|null} */
export function toleranceOf(text) {
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) && number >= 0 ? number : null;
}
