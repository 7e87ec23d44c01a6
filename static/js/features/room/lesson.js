/** What rooms need of lessons: the step that is shown, a way to another one, and word of answers. */
import { signal } from "@preact/signals";

/** The id of the step that is shown; null without a lesson. */
export const currentStep = signal(/** @type {string|null} */ (null));

/** @param {string} id @param {{moves?: boolean}} [options] */
export function goToLessonStep(id, options = {}) {
  void [id, options];
}

/** @param {(event: {lesson_step: string, right: boolean}) => void} listener @returns {() => void} */
export function onAnswered(listener) {
  return () => void listener;
}

/** The name of the lesson of this page, if it has one. @returns {string|null} */
export const name = () => null;
