/** The breakpoints that the menu "Add" offers. */
import { ANY, valueName } from "../../core/run/breakpoints.js";
import { sourceName } from "../../core/run/op_names.js";
import { otherTitle } from "../../core/run/other_run.js";
import { scopes } from "../../core/run/scopes.js";
import { sourceKey } from "../../core/run/source_lines.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { indexText } from "../../core/tensor/elements.js";
import { addBreakpoint, editBreakpoint } from "../../core/view_actions.js";
import { conditionsOf } from "./texts.js";
/** @import {BreakpointInfo, BreakpointKind} from "../../core/types.js" */
/** @import {Program} from "../../core/run/program.js" */
/** @import {MenuItem} from "../../ui/menu.js" */

/** The items of the menu. @returns {MenuItem[]} */
export function itemsToAdd() {
  const program = store.program.value;
  if (program === null) return [{ text: store.whyNoRun.value || "Run the program first." }];
  const op = store.currentOp.value ?? 0;
  const chosen = store.selectedValue.value;
  return [
    { text: "Stop at each" },
    ...placesOf(program, op).map(([text, kind, at]) =>
      item(text, { kind, at: at ?? "" }, at === ANY ? otherTitle() : at),
    ),
    ...(chosen ? valueItems(program, chosen) : []),
  ];
}

/** @param {Program} program @param {number} op @returns {[string, BreakpointKind, string|null][]} */
const placesOf = (program, op) => [
  ["op of a kind", "op", sourceName(program.op(op))],
  ["op of a function", "function", program.block(program.op(op).block).function],
  ["op of a source line", "source", sourceKey(program, op)],
  ["op of a scope", "scope", scopeOfOp(op)],
  ["finding of a kind", "finding", store.findings.value?.findings[0]?.kind ?? "nan"],
  ...(otherTitle() === null || isFile() ? [] : [DIFFERENCE]),
];

/** @param {Program} program @param {import("../../core/view_types.js").SelectedValue} chosen @returns {MenuItem[]} */
function valueItems(program, { value, address, name, path }) {
  if (path.length > 0) return [];
  const at = valueName(program, value);
  const standing = store.standing.value?.address === address ? store.standing.value.index : null;
  const element = standing && standing.length > 0 ? indexText(standing) : null;
  const other = isFile() ? null : otherTitle();
  const when = (/** @type {string} */ part) =>
    (conditionsOf(part) ?? []).map(([text, condition]) => item(text, { kind: "value", at, condition }));
  return [
    { text: `Stop when ${name}` },
    ...when(""),
    item("is computed", { kind: "value", at }),
    item("is read", { kind: "read", at }),
    ...(other ? [item(`differs from ${other}`, { kind: "differs", at })] : []),
    ...(element && !isFile()
      ? [
          { text: `Stop when element ${element} of ${name}` },
          ...when(element),
          item("is read", { kind: "read", at: `${at}${element}` }),
        ]
      : []),
  ];
}

/** @type {[string, BreakpointKind, string]} */
const DIFFERENCE = ["value in which a difference from the other run arises", "differs", ANY];

/** @param {string} text @param {BreakpointInfo} point @param {string|null} [note] null: the program has none @returns {MenuItem} */
function item(text, point, note) {
  const run = () => editBreakpoint(addBreakpoint(point));
  if (note === null) return { text, note: "this run has none", off: true, run };
  return { text, run, ...(note ? { note } : {}) };
}

/** @param {number} op @returns {string|null} */
function scopeOfOp(op) {
  const found = scopes();
  return found?.titles[found.ofOp[op] ?? -1] ?? found?.titles[0] ?? null;
}
