/** A page with a lesson: the step is in the address, and a preview follows the file that is being written. */
import { effect } from "@preact/signals";
import { getJson } from "../../core/api.js";
import { addressQuery } from "../../core/position_url.js";
import { isFile } from "../../core/source.js";
import * as state from "./state.js";

/** @typedef {state.LessonInfo|string|null} GivenLesson the lesson, or its name */

/** How often a preview looks whether its files have changed. */
const LOOK_MS = 700;

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
  if (found.revision !== undefined) void follow(found.name, found.revision);
}

/** Ids of steps are plain words. */
const stepInAddress = () => location.hash.slice(1);

/** Of a file the address behind the # says where one is in the run. */
function writeStep() {
  const url = new URL(location.href);
  url.hash = state.currentStep.value ?? "";
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}

/** Load the page anew, at the same step, as soon as the lesson's files have changed. @param {string} name @param {string} known */
async function follow(name, known) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const revision = await getJson(`/api/lessons/${encodeURIComponent(name)}/revision`).then(
      (found) => found.revision,
      () => known, // the server is being started again, or the file is half written
    );
    if (revision !== known) return location.reload();
  }
}
