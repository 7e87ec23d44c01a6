/** The parts of lessons that rooms use. */
export {
  currentStep,
  exercises,
  goToLessonStep,
  heldAsk,
  keepAnswer,
  onAnswered,
  shownPage,
  sizesOf,
} from "../lesson/state.js";
export { readList } from "../lesson/answers.js";
export { language, withoutLesson, words, wordsOf } from "../lesson/words.js";
import { words } from "../lesson/words.js";
import { lesson, pages } from "../lesson/state.js";

/** The name of the lesson of this page, if it has one. @returns {string|null} */
export const name = () => lesson.peek()?.name ?? null;

/** The steps of the lesson of this page. */
export const steps = () => lesson.value?.steps ?? [];

/** The number of a lesson step, and its title with the number. @param {string} id @returns {{at: number, title: string}} */
export function placeOf(id) {
  const steps = lesson.value?.steps ?? [];
  const at = steps.findIndex((step) => step.id === id);
  return {
    at,
    title: at < 0 ? (pages.value.find((page) => page.id === id)?.title ?? id) : `${at + 1}. ${steps[at]?.title}`,
  };
}

/** The question of the lesson with an id. @param {string} id @returns {import("../../core/types.js").AskBlock|null} */
export function askOf(id) {
  const blocks = pages.value.flatMap((page) => page.blocks);
  return blocks.flatMap((block) => (block.kind === "ask" && block.id === id ? [block] : []))[0] ?? null;
}

/** A number with its noun. @param {import("../lesson/words.js").Label} one @param {import("../lesson/words.js").Label} many @param {number} count @param {string} [text] the number as it is written */
export const countWords = (one, many, count, text = String(count)) => words(count === 1 ? one : many, text);
