/** A page with a lesson: the step is in the address, and a preview reloads when the file changes. */
import { effect } from "@preact/signals";
import { addressQuery } from "../../core/position_url.js";
import { showWholeTextAtFirst } from "../../core/preferences.js";
import { isFile } from "../../core/source.js";
import { followRevision } from "./revision.js";
import * as state from "./state.js";
/** @import {LessonInfo} from "../../core/types.js" */

/** @typedef {LessonInfo|string|null} GivenLesson the lesson, or its name */

/** Load the lesson before the session opens. @param {GivenLesson} given */
export async function openGivenLesson(given) {
  if (given === null || given === undefined) return;
  showWholeTextAtFirst();
  state.openLesson(typeof given === "string" ? await state.fetchLesson(given) : given);
  state.beginLesson(stepAsked(), false); // shown while the session is on its way
}

/** Start the lesson once the session is shown. A position in the address takes precedence. */
export function beginGivenLesson() {
  const found = state.lesson.peek();
  if (!found) return;
  state.beginLesson(stepAsked(), !new URLSearchParams(addressQuery()).has("step"));
  if (isFile()) return;
  effect(writeStep);
  addEventListener("hashchange", () => state.goToLessonStep(stepInAddress()));
  if (found.revision !== undefined) void followRevision(found.name, found.revision);
}

/** The step in the address, if it is valid. */
const stepAsked = () => (isFile() ? null : stepInAddress());

/** Ids of steps are plain words. */
const stepInAddress = () => location.hash.slice(1);

/** In a saved page the fragment is the position in the run. */
function writeStep() {
  const url = new URL(location.href);
  url.hash = state.currentStep.value ?? "";
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}
