/** Going to what went wrong: to the step, the value and the element. */
import { goToIn } from "./actions.js";
import { parseAddress } from "./addresses.js";
import { getJson, recordingPath } from "./api.js";
import { reportError, say } from "./messages.js";
import * as store from "./store.js";
import { chooseValue, noteAtStop } from "./view_actions.js";

/** Go to the step in which it happened; the value that it happened to is shown. @param {Pick<import("./types.js").FindingMark, "process"|"step"|"address">} mark */
export function goToMark({ process, step, address }) {
  goToIn(process, step);
  const { index } = parseAddress(address);
  // The first result of the current op is shown by itself, also when one steps on.
  const value = index === 0 ? null : resultOf(process, step, index);
  chooseValue(value);
}

/** Go to where a value was made, or came in. @param {string} address @param {number|null} value of the program */
export function goToValue(address, value) {
  const { process, step } = parseAddress(address);
  if (step !== null) goToIn(process, step);
  if (value !== null) chooseValue(value);
}

/** @param {number} process @param {number} step @param {number} index @returns {number|null} */
function resultOf(process, step, index) {
  const outline = store.outlineOf(process);
  const op = store.whereHere(() => outline.op(step));
  return op === null ? null : (store.program.value?.op(op).results[index] ?? null);
}

/** Run to the next step in which a NaN or an infinity is born that does harm. */
export const nextOrigin = () => toOrigin("forward");
/** Go back to the step before in which one was. */
export const previousOrigin = () => toOrigin("back");

/** @param {"forward"|"back"} direction */
async function toOrigin(direction) {
  const key = store.recordingKey.value;
  if (key === null) return say({ kind: "info", text: "Run the program first." });
  const query = `step=${store.position.value}&process=${store.process.value}&direction=${direction}`;
  try {
    /** @type {import("./types.js").OriginStop|null} */
    const found = await getJson(`${recordingPath(key)}/findings/origin?${query}`);
    if (key !== store.recordingKey.value) return undefined;
    if (found) return goToMark(found);
    const where = direction === "forward" ? "after" : "before";
    return noteAtStop(`No NaN or infinity that does harm is born ${where} this step.`);
  } catch (error) {
    return reportError(error);
  }
}
