/** Going to an op: the first recorded step that executes it. */
import { goTo } from "./actions.js";
import { reportError, say } from "./messages.js";
import { firstStepOf } from "./run/executions.js";
import { whenHere } from "./run/recording.js";
import * as store from "./store.js";

/** Go to the first recorded step of an op. @param {number} op */
export async function goToOp(op) {
  try {
    const step = await whenHere(() => firstStepOf(store.outline.value, op));
    if (step !== null) return goTo(step);
    return say({ kind: "info", text: `The op of line ${lineOf(op)} is not among the recorded steps.` });
  } catch (error) {
    return reportError(error);
  }
}

/** The line of an op in the edited text. @param {number} op @returns {number} */
export const lineOf = (op) => store.draftLine(store.program.value?.ops[op]?.line ?? 0);
