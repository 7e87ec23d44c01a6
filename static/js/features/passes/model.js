/**
 * The rows of the list of passes and their texts. Pure functions.
 *
 * @typedef {Verdict|"changed"} Mark a verdict, or that only the text is known to have changed
 * @typedef {{kind: "stage", at: number}} StageItem
 * @typedef {StageItem|import("../../core/search/folds.js").Fold} Item
 */
import { foldRuns } from "../../core/search/folds.js";
import { ordinal, short, ulpsText } from "../../core/tensor/elements.js";
import { wordsOf } from "../../core/search/query.js";
/** @import {DumpStage as Stage, StageFound as Found, PassVerdict as Verdict} from "../../core/types.js" */

/** XLA's name for the text at the start of a pipeline. */
const START = "pipeline-start";

/** @type {readonly Mark[]} the worst first */
export const MARKS = [
  "wrong",
  "nan",
  "signature",
  "cannot_run",
  "unknown",
  "rounding",
  "same_bits",
  "changed",
  "same_text",
];
/** @type {readonly Mark[]} a pass with one of these is a culprit */
export const WRONG = ["wrong", "nan", "signature"];

export const MARK_WORDS = /** @type {Record<Mark, string>} */ ({
  wrong: "wrong",
  nan: "became NaN",
  signature: "signature changed",
  cannot_run: "cannot run",
  unknown: "unknown",
  rounding: "rounding",
  same_bits: "same bits",
  changed: "changed",
  same_text: "same instructions",
});

/** The result of a stage in one word; null: nothing yet. @param {Found|undefined} found @returns {Mark|null} */
export const markOf = (found) => (found ? (found.verdict ?? "changed") : null);

/** Maximum number of inputs whose types fit on two lines. */
const MOST_TYPES = 8;

/** The types of the inputs in words, and the number of omitted ones. @param {readonly string[]} types @param {boolean} all @returns {{words: string, more: number}} */
export function typesWords(types, all) {
  // One or two more take no more space than the button.
  const shown = all || types.length <= MOST_TYPES + 2 ? types.length : MOST_TYPES;
  return { words: types.slice(0, shown).join(", "), more: types.length - shown };
}

/** The verdict in words, with the error. @param {Found|undefined} found @returns {string} */
export function verdictWords(found) {
  const mark = markOf(found);
  if (mark === null || !found) return "";
  if (found.stage === 0 && mark === "same_text") return "first text";
  if (mark === "rounding" && found.worst?.ulps) return `rounding, ${ulpsText(found.worst.ulps)}`;
  if (mark === "changed" && found.has_run) return "differs…";
  return MARK_WORDS[mark];
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 2 });

/** The same, shortened. @param {Found|undefined} found @returns {string} */
export function shortVerdictWords(found) {
  const ulps = found?.worst?.ulps;
  if (markOf(found) !== "rounding" || !ulps || ulps < 1000) return verdictWords(found);
  return `rounding, ${ulps < 1e12 ? COMPACT.format(ulps) : short(ulps)} ulps`;
}

/**
 * The rows of the list: stages that match all words, the pipeline and one of the marks; unchanged stages are folded,
 * unless the fold was opened or a filter asks for them.
 *
 * @param {readonly Stage[]} stages @param {(at: number) => Found|undefined} foundOf
 * @param {{words: string, pipeline: string, marks: ReadonlySet<Mark>, opened: ReadonlySet<number>, changedOnly: boolean}} wanted
 *   `marks`: empty means all; `pipeline`: empty means any; `opened`: the first stages of open folds
 * @returns {Item[]}
 */
export function itemsOf(stages, foundOf, { words, pipeline, marks, opened, changedOnly }) {
  const filter = wordsOf(words);
  const isFiltered = filter.length > 0 || marks.size > 0 || pipeline !== "" || changedOnly;
  const items = foldRuns(
    stages.length,
    (at) => (isFiltered ? at : unchangedUntil(stages, foundOf, at)),
    opened,
    (at) => isWanted(/** @type {Stage} */ (stages[at]), foundOf(at), { filter, pipeline, marks, changedOnly }),
  );
  return items.map((item) => (typeof item === "number" ? { kind: "stage", at: item } : item));
}

/** @param {readonly Stage[]} stages @param {(at: number) => Found|undefined} foundOf @param {number} from @returns {number} the first changed stage from there on; both ends always count as changed */
function unchangedUntil(stages, foundOf, from) {
  let at = from;
  while (at < stages.length && stages[at]?.number !== null && foundOf(at)?.verdict === "same_text") at++;
  return at;
}

/**
 * @param {Stage} stage @param {Found|undefined} found
 * @param {{filter: readonly string[], pipeline: string, marks: ReadonlySet<Mark>, changedOnly: boolean}} wanted
 */
function isWanted(stage, found, { filter, pipeline, marks, changedOnly }) {
  const mark = markOf(found);
  if (changedOnly && mark === "same_text") return false;
  if (pipeline !== "" && stage.pipeline !== pipeline) return false;
  if (marks.size > 0 && (mark === null || !marks.has(mark))) return false;
  const text = filter.length > 0 ? textOf(stage, found) : "";
  return filter.every((word) => text.includes(word));
}

/** The text that filters search. @param {Stage} stage @param {Found|undefined} found */
const textOf = ({ number, pipeline, pass_name: pass }, found) =>
  `${number ?? ""} ${pipeline} ${pass} ${verdictWords(found)} ${found?.worst?.value ?? ""}`.toLowerCase();

/** The pipelines of a module, in order. @param {readonly Stage[]} stages @returns {string[]} */
export const pipelinesOf = (stages) => [
  ...new Set(stages.map(({ pipeline }) => pipeline).filter((pipeline) => pipeline !== "")),
];

/** The number of stages with each mark. @param {Iterable<Found>} found @returns {Map<Mark, number>} */
export function countMarks(found) {
  const counts = new Map();
  for (const each of found) {
    const mark = markOf(each);
    if (mark !== null) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  return counts;
}

/**
 * The title of a text: the pass that produced it, or the start of a pipeline without changes.
 *
 * @param {Stage} stage @param {Found|undefined} found @returns {{name: string, isPass: boolean}}
 */
export function nameOf({ pass_name: pass, changed_by: changedBy, pipeline, round }, found) {
  const isUnderWay = changedBy !== START && found?.verdict !== "same_text";
  if (pass !== START || isUnderWay) return { name: changedBy || pass, isPass: true };
  return { name: `start of ${pipeline}${roundWords(round)}`, isPass: false };
}

/** The pipeline of a pass, or the one at whose start it was still running. @param {Stage} stage @returns {string} */
export const pipelineWords = ({ pass_name: pass, pipeline, round }) =>
  pipeline && `${pass === START ? "until the start of " : ""}${pipeline}${roundWords(round)}`;

/** @param {number} round */
const roundWords = (round) => (round > 1 ? `, round ${round}` : "");

/** `pass 14, 3rd run`. @param {Stage} stage @param {readonly Stage[]} stages @returns {string} */
export function placeWords({ number, occurrence, pass_name: pass, changed_by: changedBy }, stages) {
  // If a pass is still running at the start of an inner pipeline, no text states which run it is.
  const runs = changedBy === pass ? stages.filter((other) => other.pass_name === pass).length : 1;
  const told = number === null ? [] : [`pass ${number}`];
  return [...told, ...(runs > 1 && number !== null ? [`${ordinal(occurrence)} run`] : [])].join(", ");
}

/** The element that differs most, in words. @param {NonNullable<Found["worst"]>} worst @returns {string} */
export function worstWords({ index, before, after, ulps, process }) {
  const place = index.length > 0 ? `Element [${index.join(", ")}]` : "The value";
  const where = process === null ? "" : ` of process ${process}`;
  return `${place}${where}: ${before} → ${after}${ulps === null ? "" : `, ${ulpsText(ulps)}`}.`;
}

/** The instruction with the difference. @param {NonNullable<Found["worst"]>} worst @returns {string} */
export const instructionWords = ({ value, replaced }) =>
  replaced === "" ? `In ${value}.` : replaced === value ? `${value} differs.` : `${replaced} became ${value}.`;

/**
 * A line of HLO text in pieces, without the metadata, which is long and says nothing about values.
 *
 * @param {string} line @returns {{kind: ""|"name"|"type"|"op", text: string}[]}
 */
export function piecesOf(line) {
  const text = withoutMetadata(line);
  const found = /^(\s*(?:ROOT )?)(%[\w.-]+|[A-Za-z_][\w.-]*)( = )((?:\([^=]*?\)|\S+) )([\w-]+)(\(.*)$/s.exec(text);
  if (!found) return [{ kind: "", text }];
  const [, start = "", name = "", equals = "", type = "", op = "", rest = ""] = found;
  return [
    { kind: "", text: start },
    { kind: "name", text: name },
    { kind: "", text: equals },
    { kind: "type", text: type },
    { kind: "op", text: op },
    { kind: "", text: rest },
  ];
}

/** @param {string} line @returns {string} */
export const withoutMetadata = (line) => line.replace(/, (?:metadata|backend_config|frontend_attributes)=\{.*$/s, "");

/**
 * Rows for one column: where both sides differ, the old line above the new one, each with its `whole` row.
 *
 * @template {{kind: string}} T @param {readonly T[]} items @returns {(T & {whole?: T})[]}
 */
export const inOneColumn = (items) =>
  items.flatMap((item) => {
    const { before, after } = /** @type {{before?: {text: string}|null, after?: {text: string}|null}} */ (
      /** @type {unknown} */ (item)
    );
    if (!before || !after) return [item];
    if (before.text === after.text || item.kind === "same" || item.kind === "other") return [{ ...item, before: null }];
    return [
      { ...item, after: null, whole: item },
      { ...item, before: null, whole: item },
    ];
  });

/** The tokens of a line, for the comparison. @param {string} line @returns {string[]} */
const tokensOf = (line) => line.match(/%?[\w.-]+|\s+|./gs) ?? [];

/** Longer lines are marked from the first different token to the last. */
const MOST_TOKENS = 400;

/**
 * Two lines split into equal and different pieces.
 *
 * @param {string} before @param {string} after @returns {[{text: string, differs: boolean}[], {text: string, differs: boolean}[]]}
 */
export function differingPieces(before, after) {
  const [one, other] = [tokensOf(before), tokensOf(after)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [inOne, inOther] = [one.slice(start, one.length - end), other.slice(start, other.length - end)];
  const common =
    inOne.length * inOther.length <= MOST_TOKENS ** 2
      ? longestCommon(inOne, inOther)
      : { one: new Set(), other: new Set() };
  const pieces = (/** @type {string[]} */ tokens, /** @type {string[]} */ inner, /** @type {Set<number>} */ kept) =>
    merged([
      ...tokens.slice(0, start).map((text) => ({ text, differs: false })),
      ...inner.map((text, at) => ({ text, differs: !kept.has(at) })),
      ...tokens.slice(tokens.length - end).map((text) => ({ text, differs: false })),
    ]);
  return [pieces(one, inOne, common.one), pieces(other, inOther, common.other)];
}

/** The indices of a longest common subsequence. @param {string[]} one @param {string[]} other @returns {{one: Set<number>, other: Set<number>}} */
function longestCommon(one, other) {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  const at = (/** @type {number} */ i, /** @type {number} */ j) => lengths[i]?.[j] ?? 0;
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--) {
      const row = /** @type {Uint16Array} */ (lengths[i]);
      row[j] = one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const kept = { one: /** @type {Set<number>} */ (new Set()), other: /** @type {Set<number>} */ (new Set()) };
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    if (one[i] === other[j]) {
      kept.one.add(i++);
      kept.other.add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return kept;
}

/** Merge adjacent pieces of one kind. @param {{text: string, differs: boolean}[]} pieces @returns {{text: string, differs: boolean}[]} */
function merged(pieces) {
  /** @type {{text: string, differs: boolean}[]} */
  const found = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (last && last.differs === piece.differs) last.text += piece.text;
    else found.push({ ...piece });
  }
  return found;
}
