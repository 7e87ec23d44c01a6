/**
 * The lesson of this page and its progress. Others use `lesson`, `currentStep`, `goToLessonStep` and `onAnswered`; a
 * room replaces `exercises`, which states where exercises are checked.
 *
 * @typedef {{lesson_step: string, right: boolean, id: string, said: string|null}} AnsweredEvent said: null if the answer was shown
 */
import { batch, computed, effect, signal } from "@preact/signals";
import { isWithin } from "../../core/addresses.js";
import { getJson } from "../../core/api.js";
import { hide } from "../../core/hidden_values.js";
import { forAudience, recall, remember } from "../../core/preferences.js";
import { mayOpenLessons } from "../../core/reference_paths.js";
import { isFile } from "../../core/source.js";
import * as store from "../../core/store.js";
import { showTab } from "../../core/view_actions.js";
import { enterPlace, leavePlace } from "./places.js";
import { keepProgress, keptProgress, newProgress, UNANSWERED } from "./progress.js";
/** @import {LessonBlock, LessonInfo, LessonStep} from "../../core/types.js" */
/** @import {Answered} from "./progress.js" */

/** The id of a question that a poll asks the class: the lesson leaves it to the poll. @type {import("@preact/signals").Signal<string|null>} */
export const heldAsk = signal(null);

/** The page before the first step. */
export const INTRODUCTION = "introduction";
const LANGUAGE = "lesson-language";

/** Null: the page has no lesson. */
export const lesson = signal(/** @type {LessonInfo|null} */ (null));
/** The id of the step that is shown, or `INTRODUCTION`; null: no lesson. */
export const currentStep = signal(/** @type {string|null} */ (null));
export const progress = signal(newProgress("", 0));

/** Functions that check exercises and create copies; a room replaces them. */
export const exercises = {
  /** @param {string} step @returns {string} */
  checkPath: (step) =>
    `/api/lessons/${encodeURIComponent(lesson.peek()?.name ?? "")}/changes/${encodeURIComponent(step)}`,
  /** Headers that identify the member. @type {() => Record<string, string>} */
  headers: () => ({}),
  /** Create a session from a program and return its address; null: by the server, for users with a token. @type {((change: import("../../core/types.js").ChangeBlock, text: string) => Promise<string>)|null} */
  copy: null,
  /** Whether this reader may check a program, and step through it in a session. */
  canCheck: true,
  canOpen: true,
};

/** The exercises of a reader without the token. @param {boolean} isInRoom whether a room checks and copies programs @param {boolean} isOpen whether the server checks programs of everybody */
export function limitExercises(isInRoom, isOpen) {
  exercises.canCheck = isInRoom || isOpen;
  exercises.canOpen = isInRoom;
}

/** The introduction, if there is one, and the steps. @type {import("@preact/signals").ReadonlySignal<readonly LessonStep[]>} */
export const pages = computed(() => {
  const shown = lesson.value;
  if (shown === null) return [];
  const { intro, steps, title } = shown;
  return intro.length > 0 ? [{ id: INTRODUCTION, title, blocks: intro }, ...steps] : steps;
});

/** The shown step and its index among the pages. */
export const shownPage = computed(() => {
  const at = Math.max(
    0,
    pages.value.findIndex(({ id }) => id === currentStep.value),
  );
  const page = pages.value[at];
  return page ? { at, page } : null;
});

/** The address of the playground in the shown step; null for none. */
export const shownPlayground = computed(() => {
  const blocks = shownPage.value?.page.blocks ?? [];
  const all = blocks.flatMap((block) => (block.kind === "look" && block.playground ? [block.playground] : []));
  return all.find((address) => address === askedPlayground.value) ?? all[0] ?? null;
});

/** The playground shown last, if the step has several. */
const askedPlayground = signal(/** @type {string|null} */ (null));

/** Show a playground of the shown step. @param {string} address */
export function showPlayground(address) {
  askedPlayground.value = address;
  showTab("playground");
}

/** @type {Set<(event: AnsweredEvent) => void>} */
const listeners = new Set();

/** Listen to answered questions and completed exercises; `right` is false for a wrong answer and for giving up. @param {(event: AnsweredEvent) => void} listener @returns {() => void} */
export function onAnswered(listener) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Show a step of the lesson and go to its first position. Unknown ids are ignored. @param {string} id @param {{moves?: boolean}} [options] moves: false leaves the debugger at its position */
export function goToLessonStep(id, { moves = true } = {}) {
  const page = pages.peek().find((other) => other.id === id);
  if (!page) return;
  const changes = currentStep.peek() !== id;
  batch(() => {
    if (changes) markRead();
    currentStep.value = id;
    change({ at: id });
  });
  if (!moves) return;
  void enterPlace(placesOf(page)[0] ?? null);
  if (shownPlayground.peek() !== null && !isFile()) showTab("playground", true);
}

/** The places of looks, and where the programs of exercises begin. @param {LessonStep} page @returns {import("../../core/types.js").LessonPlace[]} */
export const placesOf = ({ blocks }) =>
  blocks.flatMap((block) =>
    "place" in block && block.kind !== "ask" && block.place && !isWaiting(block) ? block.place : [],
  );

/** Whether a position shows what an open question hides. @param {LessonBlock} look @returns {boolean} */
export function isWaiting(look) {
  if (look.kind !== "look" || look.place === null) return false;
  const { run, address } = look.place;
  return (
    address !== null && covered.value.some(({ hidden }) => hidden.run === run && isWithin(address, hidden.address))
  );
}

/** The value whose elements can be the answer to an open question. @param {LessonBlock} block @returns {string[]} */
const clickedIn = (block) =>
  block.kind === "ask" &&
  block.ask === "cell" &&
  block.address !== null &&
  answerTo(block.id).state === "open" &&
  !block.hides.some(({ address }) => address === block.address)
    ? [block.address]
    : [];

/** What open questions hide: those of the shown step, and values that no earlier step has shown everywhere. */
const covered = computed(() => {
  const shown = shownPage.value?.page;
  const clicked = new Set((shown?.blocks ?? []).flatMap(clickedIn));
  return pages.value.flatMap((page) =>
    page.blocks.flatMap((block) =>
      block.kind === "ask" && answerTo(block.id).state === "open"
        ? block.hides
            .filter(({ beyond, address }) => (beyond || page === shown) && !clicked.has(address))
            .map((hidden) => ({ ask: block, hidden, isHere: page === shown }))
        : [],
    ),
  );
});

/** Mark the shown step as done, unless it has an open question: the user leaves it, or the lesson ends. */
export function markRead() {
  const page = shownPage.peek()?.page;
  if (page) markDone(page);
}

/** Whether the step has an open question. @param {LessonStep} page */
export const isOpen = ({ blocks }) => blocks.some((block) => "id" in block && answerTo(block.id).state === "open");

/** @param {LessonStep} page */
function markDone(page) {
  const { done } = progress.peek();
  if (page.id !== INTRODUCTION && !isOpen(page) && !done.includes(page.id)) change({ done: [...done, page.id] });
}

/** The answers so far. @param {string} id of a question or an exercise @returns {Answered} */
export const answerTo = (id) => progress.value.answers[id] ?? UNANSWERED;

/** @param {string} id of a question or an exercise @param {Partial<Answered>} changes */
export function keepAnswer(id, changes) {
  const { answers } = progress.peek();
  change({ answers: { ...answers, [id]: { ...UNANSWERED, ...answers[id], ...changes } } });
}

/** Record the answer to a question of the shown step. @param {string} id @param {boolean} right @param {string} said */
export function answer(id, right, said) {
  batch(() => {
    keepAnswer(id, { said, ...(right && { state: "right" }) });
    finishStep();
  });
  tell(id, right, said);
}

/** Record that the answer was shown. @param {string} id */
export function giveUp(id) {
  batch(() => {
    keepAnswer(id, { state: "shown" });
    finishStep();
  });
  tell(id, false, null);
}

/** A step with questions is done with the last of them. */
function finishStep() {
  const page = shownPage.peek()?.page;
  if (page?.blocks.some((block) => "id" in block)) markDone(page);
}

/** @param {string} id @param {boolean} right @param {string|null} said */
function tell(id, right, said) {
  const step = currentStep.peek();
  if (step !== null) for (const listener of [...listeners]) listener({ lesson_step: step, right, id, said });
}

/** @param {Partial<import("./progress.js").Progress>} changes */
function change(changes) {
  progress.value = { ...progress.peek(), ...changes };
  const name = lesson.peek()?.name;
  if (name && !forAudience.peek()) keepProgress(name, progress.peek());
}

/** Forget all answers and start again. */
export function startAnew() {
  const shown = lesson.peek();
  if (!shown) return;
  keepProgress(shown.name, null);
  batch(() => {
    progress.value = newProgress(shown.version, shown.steps.length);
    currentStep.value = null;
  });
  goToLessonStep(pages.peek()[0]?.id ?? "");
}

/** The language chosen last. */
export const chosenLanguage = () => recall(LANGUAGE);

/** The lesson in a language, by its name. @param {string} name @param {string|null} [language] null: its own @returns {Promise<LessonInfo>} */
export function fetchLesson(name, language = chosenLanguage()) {
  const query = language ? `?language=${encodeURIComponent(language)}` : "";
  return getJson(`/api/lessons/${encodeURIComponent(name)}${query}`);
}

/** @param {string} language */
export async function chooseLanguage(language) {
  const shown = lesson.peek();
  if (!shown) return;
  remember(LANGUAGE, language);
  if (!mayOpenLessons()) return openPageIn(language);
  lesson.value = { ...(await fetchLesson(shown.name, language)), session: shown.session };
}

/** Readers by a link and members of a room have the lesson from the page itself. @param {string} language @returns {Promise<never>} */
export function openPageIn(language) {
  const url = new URL(location.href);
  url.searchParams.set("language", language);
  location.replace(url);
  return new Promise(() => {});
}

/** Set the lesson of this page. @param {LessonInfo} found */
export function openLesson(found) {
  batch(() => {
    lesson.value = found;
    // The answers of the machine's owner are not those of the class.
    const kept = forAudience.peek() ? null : keptProgress(found.name, found.version);
    progress.value = kept ?? newProgress(found.version, found.steps.length);
  });
  effect(hideAsked);
  effect(leavePlace);
}

/** Start the lesson once the session is shown: at the last step, or at the beginning. @param {string|null} asked the step in the address @param {boolean} moves whether the debugger moves there too */
export function beginLesson(asked, moves) {
  const known = [asked, progress.peek().at].find((id) => pages.peek().some((page) => page.id === id));
  goToLessonStep(known ?? pages.peek()[0]?.id ?? "", { moves });
}

/** Hide what would reveal an answer while its question is open. */
function hideAsked() {
  const run = store.run.value;
  const here = covered.value.filter(({ hidden }) => hidden.run === run?.number);
  const named = (/** @type {typeof here} */ found) => [
    ...new Set(found.map(({ hidden }) => `${run?.key} ${hidden.address}`)),
  ];
  hide({
    values: named(here),
    ways: named(here.filter(({ ask, isHere }) => isHere && SOURCES.includes(ask.ask))),
    sizes: here.flatMap(({ ask }) => sizesOf(ask)),
    marks: run && openAsks.value.some((ask) => ask.ask === "step" && ask.run === run.number) ? [run.key] : [],
    rules: openAsks.value.some(({ ask }) => SOURCES.includes(ask)) ? RULES : [],
  });
}

/** The open questions of all steps. */
const openAsks = computed(() =>
  pages.value.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === "ask" && answerTo(block.id).state === "open" ? [block] : [])),
  ),
);

/** What the index map of any op tells about a start that lies outside, which a lesson may ask about another run. */
const RULES = ["Run-time positions are clamped"];

/** Questions whose answer is an element, or copied from one. @type {readonly import("../../core/types.js").AskBlock["ask"][]} */
const SOURCES = ["number", "cell"];

/** The sizes that a question asks for, as they are in the program. @param {import("../../core/types.js").AskBlock} ask @returns {string[]} */
export const sizesOf = ({ ask, truth, hides }) =>
  ask === "shape" && hides.length > 0 && Array.isArray(truth) ? [truth.join("x")] : [];
