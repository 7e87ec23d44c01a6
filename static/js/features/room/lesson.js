/** What rooms need of lessons. */
export { currentStep, exercises, goToLessonStep, onAnswered, shownPage } from "../lesson/state.js";
import { lesson } from "../lesson/state.js";

/** The name of the lesson of this page, if it has one. @returns {string|null} */
export const name = () => lesson.peek()?.name ?? null;
