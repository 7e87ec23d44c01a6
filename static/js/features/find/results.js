/**
 * The results of a query by kind, the best of each first, and their total number.
 *
 * @typedef {{kind: string, label: string, detail: string, line: number|null, ops?: number[], value?: number, path?: number[], step?: number, range?: {from: number, to: number},
 *   hit?: import("../../core/search/value_search.js").Hit, command?: import("../../core/commands.js").Command}} Result
 *   `line` and `range` are of the run; `ops` are those that it leads to
 * @typedef {{title: string, total: number, results: Result[]}} Group
 */
import { mentionsOf } from "../../core/run/mentions.js";
import { shortName } from "../../core/run/op_names.js";
import { shownName } from "../../core/run/value_names.js";
import { haystackOf, sourcePlaces } from "./names.js";
import { hasShape, parseQuery } from "../../core/search/query.js";
import { counted, countText } from "../../core/tensor/elements.js";
/** @import {Referent} from "../../core/run/mentions.js" */
/** @import {Program} from "../../core/run/program.js" */
/** @import {NameKind} from "./names.js" */

/** Maximum number of results, and of each kind if there are several. */
export const MOST = 200;
const MOST_OF_A_KIND = 40;

const TITLES = /** @type {Record<NameKind, string>} */ ({
  value: "Values",
  op: "Ops",
  function: "Functions",
  scope: "Scopes of the source",
  source: "Source files",
});

/** The state of the page that a search needs besides the program. @typedef {{op: number|null, steps: number, scopes: import("../../core/run/scopes.js").Grouping|null, lines: number, text: string, sought: Referent|null, iterations: (iteration: number) => {step: number, op: number}[], hits: readonly import("../../core/search/value_search.js").Hit[]}} Known */

/** @param {string} text @param {Program} program @param {Known} known @returns {Group[]} */
export function resultsFor(text, program, known) {
  const query = parseQuery(text);
  if (query.kind === "line") return lineGroups(query.line, known);
  if (query.kind === "step") return stepGroups(query.step, known);
  if (query.kind === "number") return [...lineGroups(query.number, known), ...stepGroups(query.number, known)];
  if (query.kind === "shape") return [shapeGroup(query.shape, text.trim(), program)];
  if (query.kind === "nonfinite")
    return [...hitGroups(known.hits), ...nameGroups(query.words, Object.keys(TITLES), program, known)];
  if (query.kind === "commands") return [];
  if (query.kind === "uses") return usesGroups(query.name, program, known);
  if (query.kind === "iteration") return iterationGroups(query.iteration, program, known);
  if (query.words.length === 0) return nameGroups([], ["function", "scope", "source"], program, known);
  return nameGroups(query.words, query.only ? [query.only] : Object.keys(TITLES), program, known);
}

/** @param {number} line @param {Known} known @returns {Group[]} */
function lineGroups(line, { lines }) {
  if (line < 1 || line > lines) return [];
  return [group("Lines", [{ kind: "line", label: `line ${line}`, detail: "", line }])];
}

/** @param {number} step @param {Known} known @returns {Group[]} */
function stepGroups(step, { steps }) {
  if (step >= steps) return [];
  return [group("Steps", [{ kind: "step", label: `step ${countText(step)}`, detail: "", line: null, step }])];
}

/** Maximum number of values of one name whose uses are listed. */
const MOST_NAMED = 20;

/** The uses of the sought value or function, else of all with the name. @param {string} name @param {Program} program @param {Known} known @returns {Group[]} */
function usesGroups(name, program, { sought, text }) {
  const isSought = sought !== null && titleOf(sought, program) === name;
  const groups = (isSought ? [sought] : referentsNamed(name, program)).map((referent) => {
    const mentions = mentionsOf(program, text, referent);
    const owner = "value" in referent ? program.block(program.definition(referent.value).block).function : "";
    const where = owner === "" ? "" : ` in ${program.language === "hlo" ? owner : `@${owner}`}`;
    const results = mentions.slice(0, MOST).map((mention) => useResult(mention, program, text));
    return { title: `Definition and uses of ${name}${where}`, total: mentions.length, results };
  });
  // One word may define the arguments of several regions.
  const firsts = groups.map(({ results }) => results[0]?.range?.from);
  return groups.filter(({ total }, at) => total > 0 && firsts.indexOf(firsts[at]) === at);
}

/** The name as the text has it. @param {Referent} referent @param {Program} program @returns {string} */
const titleOf = (referent, program) =>
  "value" in referent
    ? program.value(referent.value).name
    : `${program.language === "hlo" ? "" : "@"}${referent.function}`;

/** @param {string} name @param {Program} program @returns {Referent[]} */
function referentsNamed(name, program) {
  const bare = name.replace(/^[%@]/u, "");
  const values = program.values.filter(
    ({ name: other }) => other.replace(/#\d+$/u, "") === `%${bare}` || other === name,
  );
  const functions = program.functions.filter((each) => each.name === bare);
  return [
    ...(name.startsWith("@") ? [] : values.slice(0, MOST_NAMED).map(({ id }) => ({ value: id }))),
    ...(name.startsWith("%") ? [] : functions.map((each) => ({ function: each.name }))),
  ];
}

/** @param {import("../../core/run/mentions.js").Mention} mention @param {Program} program @param {string} text @returns {Result} */
function useResult({ from, to, op, defines }, program, text) {
  const maker = op === null ? null : program.op(op);
  const start = text.lastIndexOf("\n", from) + 1;
  const end = text.indexOf("\n", from);
  return {
    kind: "use",
    label: defines ? "definition" : maker ? shortName(maker) : "",
    detail: text.slice(start, end < 0 ? undefined : end).trim(),
    line: lineAt(text, from),
    range: { from, to },
  };
}

/** @param {string} text @param {number} offset @returns {number} counted from 1 */
function lineAt(text, offset) {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** @param {number} iteration @param {Program} program @param {Known} known @returns {Group[]} */
function iterationGroups(iteration, program, { iterations }) {
  const results = iterations(iteration).map(({ step, op }) => ({
    kind: "step",
    label: `iteration ${countText(iteration)}`,
    detail: `of ${shortName(program.op(op))} · step ${countText(step)}`,
    line: program.op(op).line,
    step,
  }));
  return results.length > 0 ? [group("Iterations", results)] : [];
}

/** @param {readonly import("../../core/search/value_search.js").Hit[]} hits @returns {Group[]} */
function hitGroups(hits) {
  const results = hits.slice(0, MOST_OF_A_KIND).map(hitResult);
  return results.length > 0 ? [{ title: "Values with NaN or Inf", total: hits.length, results }] : [];
}

/** @param {import("../../core/search/value_search.js").Hit} hit @returns {Result} */
export function hitResult(hit) {
  const when = hit.step === null ? "input of the run" : `step ${countText(hit.step)}`;
  const of = `${countText(hit.count)} of ${countText(hit.size)}, first [${hit.index.join(", ")}] = ${hit.element}`;
  return { kind: "hit", label: hit.name, detail: `${when} · ${of}`, line: hit.line, value: hit.value, hit };
}

/** @param {import("../../core/search/query.js").Shape} shape @param {string} typed @param {Program} program @returns {Group} */
function shapeGroup(shape, typed, program) {
  const found = program.values.filter((value) => hasShape(shape, value));
  const results = found.slice(0, MOST).map(({ id }) => valueResult(id, program));
  return { title: `Values of shape ${typed}`, total: found.length, results };
}

/** @param {readonly string[]} words @param {readonly string[]} kinds @param {Program} program @param {Known} known @returns {Group[]} */
function nameGroups(words, kinds, program, known) {
  const groups = /** @type {NameKind[]} */ (kinds).map((kind) => {
    const { entries, total } = haystackOf(program, kind, known.scopes)?.find(
      words,
      MOST,
      nearEntry(kind, program, known.op),
    ) ?? { entries: [], total: 0 };
    return { kind, title: TITLES[kind], entries, total };
  });
  const some = groups.filter(({ total }) => total > 0);
  const most = some.length > 1 ? MOST_OF_A_KIND : MOST;
  return some.map(({ kind, title, entries, total }) => ({
    ...{ title, total },
    results: entries.slice(0, most).map((entry) => nameResult(kind, entry, program, known)),
  }));
}

/** The entry at the current position, so that later ones come first. @param {NameKind} kind @param {Program} program @param {number|null} op @returns {number} */
function nearEntry(kind, program, op) {
  if (op === null) return 0;
  if (kind === "op") return op;
  return kind === "value" ? (program.op(op).results[0] ?? 0) : 0;
}

/** @param {NameKind} kind @param {number} entry @param {Program} program @param {Known} known @returns {Result} */
function nameResult(kind, entry, program, known) {
  if (kind === "op") return opResult(entry, program);
  if (kind === "value") return valueResult(entry, program);
  if (kind === "function") return functionResult(entry, program);
  if (kind === "source") {
    const { place, ops } = /** @type {import("./names.js").SourcePlace} */ (sourcePlaces(program)[entry]);
    return opsResult(kind, place, ops, program);
  }
  const { titles, ofOp } = /** @type {import("../../core/run/scopes.js").Grouping} */ (known.scopes);
  const ops = program.ops.filter(({ id }) => ofOp[id] === entry).map(({ id }) => id);
  return opsResult(kind, titles[entry] ?? "", ops, program);
}

/** @param {number} id @param {Program} program @returns {Result} */
function opResult(id, program) {
  const op = program.op(id);
  return { kind: "op", label: shortName(op), detail: op.summary, line: op.line, ops: [id], value: op.results[0] };
}

/** @param {number} id @param {Program} program @returns {Result} */
function valueResult(id, program) {
  const { type } = program.value(id);
  const { op } = program.definition(id);
  const made = op === null ? null : program.op(op);
  const maker = made ? shortName(made) : "argument";
  const line = made ? made.line : program.lineOfArgument(id);
  return {
    kind: "value",
    label: shownName(program, id),
    detail: `${type} · ${maker}`,
    line,
    value: id,
    ops: op === null ? [] : [op],
  };
}

/** @param {number} entry @param {Program} program @returns {Result} */
function functionResult(entry, program) {
  const { name, block, line } = /** @type {import("../../core/types.js").FunctionInfo} */ (program.functions[entry]);
  const { ops } = program.block(block);
  return { kind: "function", label: `@${name}`, detail: `${countText(ops.length)} ops`, line, ops: ops.slice(0, 1) };
}

/** @param {string} kind @param {string} label @param {number[]} ops @param {Program} program @returns {Result} */
function opsResult(kind, label, ops, program) {
  const line = ops[0] === undefined ? null : program.op(ops[0]).line;
  return { kind, label, detail: counted(ops.length, "op"), line, ops };
}

/** @param {string} title @param {Result[]} results @returns {Group} */
const group = (title, results) => ({ title, total: results.length, results });

/** `3 of 17 results`; where not all are listed `3 of the first 200 of 1,234 results`. @param {readonly Group[]} groups @param {number} at @returns {string} */
export function countOfResults(groups, at) {
  const total = groups.reduce((sum, { total: all }) => sum + all, 0);
  const shown = groups.reduce((sum, { results }) => sum + results.length, 0);
  if (total === 1) return "1 result";
  return `${countText(at + 1)} of ${shown < total ? `the first ${countText(shown)} of ` : ""}${counted(total, "result")}`;
}
