/** The menus of a line and of a value: their executions, with links, and further actions on a line. */
import { goTo, runToLine } from "../core/actions.js";
import { keysOf } from "../core/keys.js";
import { say, reportError } from "../core/messages.js";
import { executionsOf, neighbours } from "../core/run/executions.js";
import { isIterated } from "../core/run/op_names.js";
import { whenHere } from "../core/run/recording.js";
import { isShort, recordRest } from "../core/run/rest.js";
import { shownName } from "../core/run/value_names.js";
import { isFile } from "../core/source.js";
import * as store from "../core/store.js";
import { countText } from "../core/tensor/elements.js";
import { breakpointOn, editCondition, toggleBreakpoint } from "../core/view_actions.js";
import { openMenu } from "./menu.js";
import { command } from "../core/commands.js";
import { runToLineWithXla } from "../core/run/later_start.js";
/** @import {MenuItem, MenuPlace as Place} from "./menu.js" */

/** Maximum number of listed executions, those nearest to the position. */
const LISTED = 8;

/** @param {number} line of the editor @param {Place} place */
export function openLineMenu(line, place) {
  const runLine = store.lineMap.value.toRun(line);
  const ops = new Set(runLine === null ? [] : (store.program.value?.opsOn(runLine) ?? []));
  /** @type {MenuItem[]} */
  const items = [
    {
      text: breakpointOn(line) ? "Remove breakpoint" : "Add breakpoint",
      keys: keysOf(command("toggleBreakpoint"))[0],
      run: () => toggleBreakpoint(line),
    },
    {
      text: "Edit condition…",
      ...(isFile() ? { note: "needs a server", off: true } : {}),
      run: () => editCondition(line),
    },
    { text: "Run to this line", keys: keysOf(command("runToLine"))[0], run: () => runToLine(line) },
    {
      text: "Run to this line with XLA",
      note: "XLA computes the earlier values",
      run: () => void runToLineWithXla(line),
    },
  ];
  open(`Line ${line}`, items, { ops, group: `Go to when line ${line} ran` }, place);
}

/** @param {number} value @param {Place} place */
export function openExecutionsMenu(value, place) {
  const program = store.program.value;
  if (program === null) return;
  const { op, block } = program.definition(value);
  const first = op ?? program.block(block).ops[0];
  const name = shownName(program, value);
  const group = op === null ? `Go to where ${name} was given` : `Go to when ${name} was made`;
  open(name, [], { ops: new Set(first === undefined ? [] : [first]), group }, place);
}

/** @param {string} label @param {MenuItem[]} items @param {{ops: ReadonlySet<number>, group: string}} what @param {Place} place */
function open(label, items, { ops, group }, place) {
  whenHere(() => executionItems(ops, group))
    .then((found) => openMenu({ label, items: [...items, ...found], ...place }))
    .catch(reportError);
}

/** @param {ReadonlySet<number>} ops @param {string} group @returns {MenuItem[]} */
function executionItems(ops, group) {
  const steps = ops.size > 0 ? executionsOf(store.outline.value, ops) : [];
  if (steps.length === 0) return [{ text: group }, ...notRunItems()];
  const { before, after } = neighbours(steps, store.position.value);
  const heading = `${group}: ${many(steps.length)}`;
  return [
    { text: heading },
    there("The next time", steps, after),
    there("The time before", steps, before),
    ...(steps.length > 1 ? severalItems(steps, before ?? 0) : []),
  ];
}

/** Whether unrecorded steps run it is unknown. @returns {MenuItem[]} */
function notRunItems() {
  const soFar = store.outline.value.complete ? "" : " so far";
  const item = { text: `It has not run${soFar}`, off: true, run: () => {} };
  return isShort.value ? [item, { text: "Record the rest of the run", run: recordRest }] : [item];
}

/** @param {number} count @returns {string} */
function many(count) {
  const soFar = store.outline.value.complete ? "" : " so far";
  return count === 1 ? `1 execution${soFar}` : `${countText(count)} executions${soFar}`;
}

/** @param {string} text @param {readonly number[]} steps @param {number|null} at @returns {MenuItem} */
function there(text, steps, at) {
  const step = at === null ? undefined : steps[at];
  if (at === null || step === undefined) return { text, note: "there is none", off: true, run: () => {} };
  return { text, note: placeOf(steps, at), run: () => void goTo(step) };
}

/** The first, the last, any by its number, and the neighbours. @param {readonly number[]} steps @param {number} near @returns {MenuItem[]} */
function severalItems(steps, near) {
  const from = Math.max(0, Math.min(near - LISTED / 2, steps.length - LISTED));
  const around = steps.slice(from, from + LISTED).map((step, i) => ({
    text: titleOf(steps, from + i),
    note: `step ${countText(step)}`,
    isOne: true,
    checked: step === store.position.value,
    run: () => void goTo(step),
  }));
  return [
    there("The first time", steps, 0),
    there("The last time", steps, steps.length - 1),
    byNumber(steps),
    { text: "Executions" },
    ...around,
  ];
}

/** A field for a number: that of the iteration, from 0, if every iteration of one loop runs the op once. @param {readonly number[]} steps @returns {MenuItem} */
function byNumber(steps) {
  const last = steps.length - 1;
  const isLoop = iterationOf(steps[0] ?? 0) === 0 && iterationOf(steps[last] ?? 0) === last;
  const least = isLoop ? 0 : 1;
  const number = { least, most: last + least, run: (/** @type {number} */ n) => goToNumber(steps, n - least) };
  const note = isLoop ? `0 to ${countText(last)}` : `of ${countText(steps.length)}`;
  return { text: isLoop ? "Iteration" : "Execution", note, number };
}

/** @param {readonly number[]} steps @param {number} at */
function goToNumber(steps, at) {
  const step = steps[at];
  if (step === undefined) say({ kind: "info", text: `There are ${many(steps.length)}.` });
  else goTo(step);
}

/** @param {readonly number[]} steps @param {number} at @returns {string} */
const placeOf = (steps, at) => `${titleOf(steps, at)} of ${countText(steps.length)}, step ${countText(steps[at] ?? 0)}`;

/** With its iteration, if it is in a loop. @param {readonly number[]} steps @param {number} at @returns {string} */
function titleOf(steps, at) {
  const iteration = iterationOf(steps[at] ?? 0);
  const number = `number ${countText(at + 1)}`;
  return iteration === null ? number : `${number}, iteration ${countText(iteration)}`;
}

/** The iteration of the innermost loop around a step, as far as it is loaded. @param {number} step @returns {number|null} */
function iterationOf(step) {
  const program = store.program.value;
  return store.whereHere(() => {
    const outline = store.outline.value;
    const frame = outline.frame(step);
    return program !== null && isIterated(outline, program, frame) ? outline.iteration(frame) : null;
  });
}
