/** A page with a lesson: the step is in the address, and a preview follows the file that is being written. */
import { effect } from "@preact/signals";
import { addressQuery } from "../../core/position_url.js";
import { showWholeTextAtFirst } from "../../core/preferences.js";
import { isFile } from "../../core/source.js";
import { followRevision } from "./revision.js";
import * as state from "./state.js";
/** @import {LessonInfo} from "../../core/types.js" */

/** @typedef {LessonInfo|string|null} GivenLesson the lesson, or its name */

/** Before the session is opened. @param {GivenLesson} given */
export async function openGivenLesson(given) {
  if (given === null || given === undefined) return;
  showWholeTextAtFirst();
  state.openLesson(typeof given === "string" ? await state.fetchLesson(given) : await inOwnLanguage(given));
  state.beginLesson(stepAsked(), false); // shown while the session is on its way
}

/** In the language that was chosen last, unless the address names one. @param {LessonInfo} given @returns {Promise<LessonInfo>} */
async function inOwnLanguage(given) {
  const wanted = state.chosenLanguage();
  const isNamed = new URLSearchParams(location.search).has("language");
  if (isNamed || !wanted || wanted === given.language || !given.languages.includes(wanted)) return given;
  // Who reads by a link, or is in a room, may not ask for lessons: what the page has is shown then.
  return state.fetchLesson(given.name, wanted).catch(() => given);
}

/** Once the session is there. An address that names a place in the run is followed. */
export function beginGivenLesson() {
  const found = state.lesson.peek();
  if (!found) return;
  state.beginLesson(stepAsked(), !new URLSearchParams(addressQuery()).has("step"));
  if (isFile()) return;
  effect(writeStep);
  addEventListener("hashchange", () => state.goToLessonStep(stepInAddress()));
  if (found.revision !== undefined) void followRevision(found.name, found.revision);
}

/** The step that the address names, where it can. */
const stepAsked = () => (isFile() ? null : stepInAddress());

/** Ids of steps are plain words. */
const stepInAddress = () => location.hash.slice(1);

/** Of a file the address behind the # says where one is in the run. */
function writeStep() {
  const url = new URL(location.href);
  url.hash = state.currentStep.value ?? "";
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}
