/** The labels of the lesson panel in English; a lesson in another language brings its own, from app/lessons/labels.py. */
import { computed, signal } from "@preact/signals";
import { PROBLEMS } from "./answers.js";
import { lesson } from "./state.js";
import { withServer } from "./words_with_server.js";

export const ENGLISH = {
  ...PROBLEMS,
  ...withServer,
  introduction: "Introduction",
  step: "Step",
  steps: "Steps of the lesson",
  named: "{}: {}",
  done: "done",
  doneOf: "{} of {} steps done",
  language: "Language of the lesson",
  note: "Note",
  about: "About {} minutes",
  show: "Show me",
  waits: "after you answer its question",
  there: "You are there.",
  back: "Back",
  next: "Next",
  finish: "Finish",
  again: "Start again",
  answer: "Answer",
  here: "Here",
  hint: "Hint",
  hintOf: "Hint ({} of {})",
  showAnswer: "Show the answer",
  theAnswer: "The answer:",
  right: "Right.",
  wrong: "Not quite.",
  lookAgain: "Try again, take a hint or show the answer.",
  choose: "Choose it in the picture",
  aNumber: "a number",
  toDigits: "a number, to {} digits, Inf or NaN",
  aTruth: "true or false",
  aShape: "such as (3, 4)",
  anIndex: "a number per dimension",
  goThere: "Step to the place, then press Here. You are at step {}.",
  goThereOf: "Step to the place, then press Here. You are at step {} of process {}.",
  atStep: "step {}",
  or: " or ",
  more: " and {} more",
  skip: "Skip it",
  check: "Check",
  line: "Line {}",
  lines: "Lines {}",
  playgroundNeeds: "the playground needs a running hloscope.",
  othersNeed: "Other changes need a running hloscope",
  exerciseNeeds: "This exercise needs a running hloscope",
  lessonThere: "the lesson there",
  theCheck: "The check:",
  passes: "Your program passes.",
  yourResult: "Your result",
  expected: "Expected",
  expectedLater: "The expected result is shown once the question above is answered.",
  differs: "differs",
};

/** @typedef {keyof typeof ENGLISH} Label */

/** The labels of a page without a lesson: a room's, in the language of the browser. @type {import("@preact/signals").Signal<Pick<import("../../core/types.js").LessonInfo, "language"|"labels">|null>} */
export const withoutLesson = signal(null);
/** The lesson, or what stands in for it here. */
export const labelled = computed(() => lesson.value ?? withoutLesson.value);

/** The language of these labels, for the lang attribute. */
export const language = computed(() =>
  labelled.value?.labels ? (labelled.value.language.split("-")[0] ?? "en") : "en",
);

/** @param {Label} key @param {...(number|string)} parts for its placeholders, in order @returns {string} */
export const words = (key, ...parts) => wordsOf(labelled.value, key, ...parts);

/** The words in the language of a lesson. @param {Pick<import("../../core/types.js").LessonInfo, "labels">|null} lesson @param {Label} key @param {...(number|string)} parts @returns {string} */
export const wordsOf = (lesson, key, ...parts) => filled(lesson?.labels?.[key] ?? ENGLISH[key], parts);

/** A sentence with its placeholders filled. @param {string} sentence @param {readonly (number|string)[]} parts @returns {string} */
export function filled(sentence, parts) {
  const [first = "", ...rest] = sentence.split("{}");
  return first + rest.map((text, at) => `${parts[at]}${text}`).join("");
}
