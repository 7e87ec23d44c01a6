/** The searchable names of a program, indexed at the first search. */
import { sourceName, shortName } from "../../core/run/op_names.js";
import { shownName } from "../../core/run/value_names.js";
import { Haystack } from "../../core/search/haystack.js";
import { addTo, keptFor } from "../../core/kept.js";
/** @import {Program} from "../../core/run/program.js" */
/** @import {Grouping} from "../../core/run/scopes.js" */

/**
 * @typedef {"op"|"value"|"function"|"scope"|"source"} NameKind
 * @typedef {{place: string, ops: number[]}} SourcePlace
 */

/** @type {(program: Program) => Map<NameKind, Haystack>} */
const haystacksOf = keptFor(() => new Map());

/** @param {Program} program @param {NameKind} kind @param {Grouping|null} grouping of scopes, where they are here @returns {Haystack|null} */
export function haystackOf(program, kind, grouping) {
  const all = haystacksOf(program);
  const found = all.get(kind) ?? makeHaystack(program, kind, grouping);
  if (found) all.set(kind, found);
  return found;
}

/** @param {Program} program @param {NameKind} kind @param {Grouping|null} grouping @returns {Haystack|null} */
function makeHaystack(program, kind, grouping) {
  const texts = /** @type {Record<NameKind, () => string[]|null>} */ ({
    op: () =>
      program.ops.map((op) =>
        shortName(op) === sourceName(op) ? sourceName(op) : `${shortName(op)} ${sourceName(op)}`,
      ),
    value: () =>
      program.values.map(({ id, name }) =>
        shownName(program, id) === name ? name : `${shownName(program, id)} ${name}`,
      ),
    function: () => program.functions.map(({ name }) => `@${name}`),
    scope: () => grouping?.titles ?? null,
    source: () => sourcePlaces(program).map(({ place }) => place),
  })[kind]();
  return texts && new Haystack(texts.length, (entry) => texts[entry] ?? "");
}

/** The files and lines of the source, each with its ops; `file.py:30:23` counts as `file.py:30`. @type {(program: Program) => SourcePlace[]} */
export const sourcePlaces = keptFor((program) => {
  /** @type {Map<string, number[]>} */
  const ops = new Map();
  for (const { id, location } of program.ops) {
    const line = location?.replace(/:\d+$/u, "");
    if (!line) continue;
    for (const place of [line.replace(/:\d+$/u, ""), line]) addTo(ops, place, id);
  }
  return [...ops].map(([place, list]) => ({ place, ops: list }));
});
