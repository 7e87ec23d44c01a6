/** A click on a value in the graph: select it, and go to the step that made it. */
import { goTo } from "../../core/actions.js";
import { revealLine } from "../../core/cursor.js";
import { reportError } from "../../core/messages.js";
import { whenHere } from "../../core/run/recording.js";
import { continueTo } from "../../core/run/stepping.js";
import { lastRuns } from "../../core/run/values.js";
import * as store from "../../core/store.js";
import { chooseValue } from "../../core/view_actions.js";
/** @import {Program} from "../../core/run/program.js" */

/** @param {Program} program @param {number} value */
export function goToValue(program, value) {
  chooseValue(value);
  const { op } = program.definition(value);
  if (op === null) return showLine(program.lineOfArgument(value) ?? 1);
  return goToOp(program, op);
}

/** @param {Program} program @param {number} op */
export function goToOp(program, op) {
  whenHere(() => stepOf(program, op))
    .then((step) => {
      if (step === null) return showLine(program.op(op).line);
      return step === store.position.peek() ? undefined : goTo(step);
    })
    .catch(reportError);
}

/** The step in which an op last ran, seen from the position, else the next one that runs it; null for none. @param {Program} program @param {number} op @returns {number|null} */
function stepOf(program, op) {
  const [outline, at] = [store.outline.peek(), store.position.peek()];
  const last = lastRuns(outline, program, at, [op]).get(op);
  if (last) return last.step;
  const next = continueTo(outline, at, new Set([op]));
  return next !== null && next < outline.steps && outline.op(next) === op ? next : null;
}

/** @param {number} line */
const showLine = (line) => revealLine(store.draftLine(line), { focus: false });
