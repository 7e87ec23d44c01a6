/** The labels of the lesson panel in the lesson's language, or in English where that has none. */
import { computed } from "@preact/signals";
import { lesson } from "./state.js";

const ENGLISH = {
  introduction: "Introduction",
  step: "Step",
  steps: "Steps of the lesson",
  done: "done",
  doneOf: "{} of {} steps done",
  language: "Language of the lesson",
  note: "Note",
  about: "About {} minutes",
  needs: "read before:",
  show: "Show me",
  waits: "once you have answered",
  there: "You are there.",
  back: "Back",
  next: "Next",
  finish: "Finish",
  again: "Start again",
  all: "All lessons",
  yours: "Now your code",
  nextLesson: "Next lesson",
  yourName: "Your name",
  saveResult: "Save my result, signed",
  resultSaved: "Saved: {} of {} right. Hand in the file; the server keeps nothing.",
  answer: "Answer",
  here: "Here",
  hint: "Hint",
  hintOf: "Hint ({} of {})",
  showAnswer: "Show the answer",
  askedByClass: "The class is being asked this question: answer it there.",
  theAnswer: "The answer:",
  right: "Right.",
  wrong: "Not quite.",
  lookAgain: "Try again, take a hint or show the answer.",
  choose: "Choose it in the picture",
};

/** @type {Record<string, typeof ENGLISH>} */
const WORDS = {
  en: ENGLISH,
  de: {
    introduction: "Einführung",
    step: "Schritt",
    steps: "Schritte der Lektion",
    done: "erledigt",
    doneOf: "{} von {} Schritten erledigt",
    language: "Sprache der Lektion",
    note: "Anmerkung",
    about: "Etwa {} Minuten",
    needs: "vorher lesen:",
    show: "Zeig es mir",
    waits: "sobald du geantwortet hast",
    there: "Du bist dort.",
    back: "Zurück",
    next: "Weiter",
    finish: "Abschließen",
    again: "Von vorn beginnen",
    all: "Alle Lektionen",
    yours: "Jetzt mit eigenem Code",
    nextLesson: "Nächste Lektion",
    yourName: "Dein Name",
    saveResult: "Mein Ergebnis signiert speichern",
    resultSaved: "Gespeichert: {} von {} richtig. Gib die Datei ab; der Server behält nichts.",
    answer: "Antworten",
    here: "Hier",
    hint: "Hinweis",
    hintOf: "Hinweis ({} von {})",
    showAnswer: "Antwort zeigen",
    askedByClass: "Diese Frage wird gerade der Klasse gestellt: Antworte dort.",
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

/** @param {keyof typeof ENGLISH} key @param {...number} numbers for its placeholders, in order @returns {string} */
export function words(key, ...numbers) {
  const [first = "", ...rest] = (WORDS[language.value] ?? ENGLISH)[key].split("{}");
  return first + rest.map((part, at) => `${numbers[at]}${part}`).join("");
}
