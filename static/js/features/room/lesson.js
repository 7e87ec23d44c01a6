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
export { Refused, refusal } from "../lesson/refused.js";
export { language, withoutLesson, words, wordsOf } from "../lesson/words.js";
import { html } from "htm/preact";
import { countText } from "../../core/tensor/elements.js";
import { language, words } from "../lesson/words.js";
import { lesson, pages } from "../lesson/state.js";

/** The lesson of this page, if it has one. */
export const shown = () => lesson.peek();

/** The title of the lesson of this page, in its language. */
export const title = () => lesson.value?.title ?? "";

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

/** Words that say which language they are in. @param {import("../lesson/words.js").Label} key */
export const marked = (key) => html`<span lang=${language.value}>${words(key)}</span>`;

/** A number with its noun; in French, 0 is singular. @param {import("../lesson/words.js").Label} one @param {import("../lesson/words.js").Label} many @param {number} count @param {...(number|string)} parts the placeholders: if none is given, the number */
export function countWords(one, many, count, ...parts) {
  const isOne = new Intl.PluralRules(language.value).select(count) === "one";
  return words(isOne ? one : many, ...(parts.length > 0 ? parts : [countText(count)]));
}

/** As `countWords`, of a noun without a placeholder, which follows its number. @param {import("../lesson/words.js").Label} one @param {import("../lesson/words.js").Label} many @param {number} count */
export const numberAnd = (one, many, count) => `${countText(count)} ${countWords(one, many, count)}`;
