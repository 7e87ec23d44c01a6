/** Go to a finding: its step, its value and its element. */
import { countText } from "../../core/tensor/elements.js";
import { goToIn, showProcess } from "../../core/actions.js";
import { parseAddress } from "../../core/addresses.js";
import { getJson, recordingPath } from "../../core/api.js";
import { reportError, say } from "../../core/messages.js";
import { harmfulInputs, isFindingHidden } from "../../core/run/findings.js";
import { isShort } from "../../core/run/rest.js";
import { whenHere } from "../../core/run/recording.js";
import * as store from "../../core/store.js";
import { chooseValue, noteAtStop } from "../../core/view_actions.js";
import { aimAt, openElementOf } from "../tensor/cursor_target.js";

/** @typedef {Pick<import("../../core/types.js").FindingMark, "process"|"step"|"address"|"index">} Place */

/** Go to the step of a finding; show its value, with the cursor on the element. @param {Place} mark */
export async function goToMark({ process, step, address, index: element }) {
  goToIn(process, step);
  const { index, path, step: made } = parseAddress(address);
  // The first result of the current op is shown automatically, also after further steps.
  const isFirst = index === 0 && path.length === 0;
  if (isFirst) chooseValue(null);
  const value = await whenHere(() => valueAt(address));
  // A value that an op read was produced elsewhere.
  if (value === null || made !== step) return;
  if (!isFirst) chooseValue(value, path);
  aimAt({ value, path, address }, element);
}

/** Go to the step that produced a value, and to one of its elements. @param {string} address @param {number[]} element */
export async function goToValue(address, element) {
  const { process, step, path } = parseAddress(address);
  // Inputs are available at every step.
  if (step === null) showProcess(process);
  else goToIn(process, step);
  const value = await whenHere(() => valueAt(address));
  if (value !== null) openElementOf({ value, path }, process, element);
}

/** Go to the first harmful finding, which the console names; inputs come before ops. */
export async function goToFirst() {
  const [given] = harmfulInputs();
  const first = store.findings.value?.findings.find((each) => each.grade === "harmful" && !isFindingHidden(each));
  if (given) await goToValue(given.address, given.index);
  else if (first) await goToMark(first.first);
}

/** The value of the program at an address. @param {string} address @returns {number|null} */
function valueAt(address) {
  const { process, step, frame, index } = parseAddress(address);
  const { value: program } = store.program;
  if (!program) return null;
  const outline = store.outlineOf(process);
  const made =
    step === null ? program.block(outline.block(frame ?? 0)).arguments : program.op(outline.op(step)).results;
  return made[index] ?? null;
}

/** Continue to the next step at which a harmful NaN or infinity arises. */
export const nextOrigin = () => toOrigin("forward");
/** Go back to the previous such step. */
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
    return noteAtStop(`No harmful NaN or infinity arises ${where} this step${soFarWords()}${givenWords()}.`);
  } catch (error) {
    return reportError(error);
  }
}

/** For a run that is not recorded to its end. @returns {string} */
const soFarWords = () => (isShort.value ? ` in the ${countText(store.steps.value)} steps recorded so far` : "");

/** A note about non-finite inputs: `; %x holds NaN in 1 of 3 elements`. @returns {string} */
function givenWords() {
  const [first, ...more] = harmfulInputs();
  if (!first) return "";
  return `; ${first.sentence}${more.length > 0 ? `, and ${countText(more.length)} more non-finite inputs` : ""}`;
}
