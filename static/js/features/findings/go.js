/** Going to what went wrong: to the step, the value and the element. */
import { goToIn, showProcess } from "../../core/actions.js";
import { parseAddress } from "../../core/addresses.js";
import { getJson, recordingPath } from "../../core/api.js";
import { reportError, say } from "../../core/messages.js";
import { harmfulInputs } from "../../core/run/findings.js";
import { isShort } from "../../core/run/rest.js";
import { whenHere } from "../../core/run/recording.js";
import * as store from "../../core/store.js";
import { chooseValue, noteAtStop } from "../../core/view_actions.js";
import { aimAt, openElementOf } from "../tensor/cursor_target.js";

/** @typedef {Pick<import("../../core/types.js").FindingMark, "process"|"step"|"address"|"index">} Place */

/** Go to the step in which it happened; the value that it happened to is shown, its cursor on the element. @param {Place} mark */
export async function goToMark({ process, step, address, index: element }) {
  goToIn(process, step);
  const { index, path, step: made } = parseAddress(address);
  // The first result of the current op is shown by itself, also when one steps on.
  const isFirst = index === 0 && path.length === 0;
  if (isFirst) chooseValue(null);
  const value = await whenHere(() => valueAt(address));
  // What an op read is told at the op, but was made elsewhere.
  if (value === null || made !== step) return;
  if (!isFirst) chooseValue(value, path);
  aimAt({ value, path, address }, element);
}

/** Go to where a value was made, or came in, and to an element of it. @param {string} address @param {number[]} element */
export async function goToValue(address, element) {
  const { process, step, path } = parseAddress(address);
  // What was given is there all along.
  if (step === null) showProcess(process);
  else goToIn(process, step);
  const value = await whenHere(() => valueAt(address));
  if (value !== null) openElementOf({ value, path }, process, element);
}

/** The value of the program that is at an address. @param {string} address @returns {number|null} */
function valueAt(address) {
  const { process, step, frame, index } = parseAddress(address);
  const { value: program } = store.program;
  if (!program) return null;
  const outline = store.outlineOf(process);
  const made =
    step === null ? program.block(outline.block(frame ?? 0)).arguments : program.op(outline.op(step)).results;
  return made[index] ?? null;
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
    /** @type {import("../../core/types.js").OriginStop|null} */
    const found = await getJson(`${recordingPath(key)}/findings/origin?${query}`);
    if (key !== store.recordingKey.value) return undefined;
    if (found) return goToMark(found);
    const where = direction === "forward" ? "after" : "before";
    return noteAtStop(`No NaN or infinity that does harm is born ${where} this step${soFarWords()}${givenWords()}.`);
  } catch (error) {
    return reportError(error);
  }
}

/** Of a run that is not recorded to its end. @returns {string} */
const soFarWords = () =>
  isShort.value ? ` in the ${store.steps.value.toLocaleString("en")} steps recorded so far` : "";

/** That the run was given some: `; %x holds NaN in 1 of 3 elements`. @returns {string} */
function givenWords() {
  const [first, ...more] = harmfulInputs();
  if (!first) return "";
  return `; ${first.sentence}${more.length > 0 ? `, and ${more.length.toLocaleString("en")} more inputs are not finite` : ""}`;
}
