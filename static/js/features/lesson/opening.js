/** A page with a lesson: the step is in the address, and a preview follows the file that is being written. */
import { effect } from "@preact/signals";
import { addressQuery } from "../../core/position_url.js";
import { isFile } from "../../core/source.js";
import { followRevision } from "./revision.js";
import * as state from "./state.js";

/** @typedef {state.LessonInfo|string|null} GivenLesson the lesson, or its name */

/** Before the session is opened. @param {GivenLesson} given */
export async function openGivenLesson(given) {
  if (given === null || given === undefined) return;
  state.openLesson(typeof given === "string" ? await state.fetchLesson(given) : given);
}

/** Once the session is there. An address that names a place in the run is followed. */
export function beginGivenLesson() {
  const found = state.lesson.peek();
  if (!found) return;
  const asked = isFile() ? null : stepInAddress();
  state.beginLesson(asked, !new URLSearchParams(addressQuery()).has("step"));
  if (isFile()) return;
  effect(writeStep);
  addEventListener("hashchange", () => state.goToLessonStep(stepInAddress()));
  if (found.revision !== undefined) void followRevision(found.name, found.revision);
}

/** Ids of steps are plain words. */
const stepInAddress = () => location.hash.slice(1);

/** Of a file the address behind the # says where one is in the run. */
function writeStep() {
  const url = new URL(location.href);
  url.hash = state.currentStep.value ?? "";
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}
