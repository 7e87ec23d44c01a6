/** The labels of the lesson panel in the lesson's language, or in English where that has none. */
import { computed } from "@preact/signals";
import { lesson } from "./state.js";
import { withServer } from "./words_with_server.js";

const ENGLISH = {
  introduction: "Introduction",
  step: "Step",
  steps: "Steps of the lesson",
  done: "done",
  doneOf: "{} of {} steps done",
  language: "Language of the lesson",
  note: "Note",
  about: "About {} minutes",
  show: "Show me",
  waits: "once its question is answered",
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
};

/** @typedef {typeof ENGLISH & typeof withServer.en} Words */
/** @type {Record<string, Words>} */
const WORDS = {
  en: { ...ENGLISH, ...withServer.en },
  de: {
    ...withServer.de,
    introduction: "Einführung",
    step: "Schritt",
    steps: "Schritte der Lektion",
    done: "erledigt",
    doneOf: "{} von {} Schritten erledigt",
    language: "Sprache der Lektion",
    note: "Anmerkung",
    about: "Etwa {} Minuten",
    show: "Zeig es mir",
    waits: "sobald die Frage dazu beantwortet ist",
    there: "Du bist dort.",
    back: "Zurück",
    next: "Weiter",
    finish: "Abschließen",
    again: "Von vorn beginnen",
    answer: "Antworten",
    here: "Hier",
    hint: "Hinweis",
    hintOf: "Hinweis ({} von {})",
    showAnswer: "Antwort zeigen",
    theAnswer: "Die Antwort:",
    right: "Richtig.",
    wrong: "Das ist es nicht.",
    lookAgain: "Sieh noch einmal hin, nimm einen Hinweis, oder lass dir die Antwort zeigen.",
    choose: "Im Bild wählen",
  },
};

/** The language of these labels, for the lang attribute. */
export const language = computed(() => {
  const own = lesson.value?.language.split("-")[0] ?? "en";
  return WORDS[own] ? own : "en";
});

/** @param {keyof Words} key @param {...number} numbers for its placeholders, in order @returns {string} */
export function words(key, ...numbers) {
  const [first = "", ...rest] = /** @type {Words} */ (WORDS[language.value])[key].split("{}");
  return first + rest.map((part, at) => `${numbers[at]}${part}`).join("");
}
