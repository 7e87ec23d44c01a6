/** The words of the list of lessons. Those of the panel in other languages come with each lesson. */
import { counted } from "../../core/tensor/elements.js";

const ENGLISH = {
  title: ["From ", " to ring attention"],
  about: "Each lesson is a program that runs beside its text: you predict what it computes, step through it, and see.",
  open: "Anybody who can reach this server can open these lessons, by their links, without signing in.",
  closed: [
    "The link of a lesson opens it for people who have not signed in to this server. They read and answer; its exercises run for them only if the server was started with ",
    ".",
  ],
  more: "More lessons",
  language: "Language",
  yourProgress: "Your progress",
  allProgress: "All lessons, progress",
  progressOf: (/** @type {string} */ title) => `${title}, progress`,
  summary: (
    /** @type {number} */ finished,
    /** @type {number} */ lessons,
    /** @type {number} */ done,
    /** @type {number} */ steps,
    /** @type {number} */ hours,
  ) =>
    `${finished} of ${counted(lessons, "lesson")} done, ${done} of ${counted(steps, "step")}; all take about ${hours} hours.`,
  begin: (/** @type {string} */ title) => `Begin with ${title}`,
  goOn: (/** @type {string} */ title) => `Continue with ${title}`,
  copyProgress: "Copy a link to my progress",
  progressLink: "Link to my progress",
  stored:
    "Progress is stored in this browser. The link contains which steps are done, not your answers; open it on another machine to continue there.",
  done: "Done",
  isDone: "done",
  doneOf: (/** @type {number} */ done, /** @type {number} */ of) => `${done} of ${counted(of, "step")} done`,
  steps: (/** @type {number} */ count) => counted(count, "step"),
  needs: "Read before:",
  minutes: (/** @type {number} */ count) => `${count} minutes`,
  handout: "Handout",
  handoutOf: (/** @type {string} */ title) => `A handout of ${title}, to print`,
  copyLink: "Copy link",
  copyLinkTo: (/** @type {string} */ title) => `Copy the link to ${title}`,
  linkTo: (/** @type {string} */ title) => `Link to ${title}`,
  copied: "Copied",
  copyByHand: "Copy it by hand",
};

/** @param {number} count @param {string} one @param {string} many */
const german = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** @type {typeof ENGLISH} */
const GERMAN = {
  title: ["Von ", " zu Ring Attention"],
  about:
    "Jede Lektion ist ein Programm, das neben ihrem Text läuft: Du sagst voraus, was es berechnet, gehst es Schritt für Schritt durch und siehst nach.",
  open: "Wer diesen Server erreicht, kann diese Lektionen über ihre Links öffnen, ohne sich anzumelden.",
  closed: [
    "Über ihren Link können auch Leute eine Lektion öffnen, die auf diesem Server nicht angemeldet sind. Sie lesen und antworten; die Aufgaben laufen für sie nur, wenn der Server mit ",
    " gestartet wurde.",
  ],
  more: "Weitere Lektionen",
  language: "Sprache",
  yourProgress: "Dein Fortschritt",
  allProgress: "Fortschritt in allen Lektionen",
  progressOf: (title) => `Fortschritt in: ${title}`,
  summary: (finished, lessons, done, steps, hours) =>
    `${finished} von ${german(lessons, "Lektion", "Lektionen")} erledigt, ${done} von ${german(steps, "Schritt", "Schritten")}; alle zusammen dauern etwa ${hours} Stunden.`,
  begin: (title) => `Anfangen: ${title}`,
  goOn: (title) => `Weitermachen: ${title}`,
  copyProgress: "Link zu meinem Fortschritt kopieren",
  progressLink: "Link zu meinem Fortschritt",
  stored:
    "Der Fortschritt ist in diesem Browser gespeichert. Im Link steht, welche Schritte erledigt sind, nicht deine Antworten; öffne ihn auf einem anderen Gerät, um dort weiterzumachen.",
  done: "Erledigt",
  isDone: "erledigt",
  doneOf: (done, of) => `${done} von ${german(of, "Schritt", "Schritten")} erledigt`,
  steps: (count) => german(count, "Schritt", "Schritte"),
  needs: "Vorher lesen:",
  minutes: (count) => german(count, "Minute", "Minuten"),
  handout: "Arbeitsblatt",
  handoutOf: (title) => `Arbeitsblatt zum Ausdrucken: ${title}`,
  copyLink: "Link kopieren",
  copyLinkTo: (title) => `Link kopieren: ${title}`,
  linkTo: (title) => `Link: ${title}`,
  copied: "Kopiert",
  copyByHand: "Kopier ihn von Hand",
};

/** None and one are singular. @param {number} count @param {string} one @param {string} many */
const french = (count, one, many) => `${count} ${count < 2 ? one : many}`;

/** @type {typeof ENGLISH} */
const FRENCH = {
  title: ["De ", " à ring attention"],
  about:
    "Chaque leçon est un programme qui s'exécute à côté de son texte\u00a0: vous prédisez ce qu'il calcule, vous le parcourez pas à pas, et vous vérifiez.",
  open: "Toute personne qui a accès à ce serveur peut ouvrir ces leçons par leurs liens, sans se connecter.",
  closed: [
    "Le lien d'une leçon l'ouvre aussi aux personnes qui ne sont pas connectées à ce serveur. Elles lisent et répondent\u00a0; les exercices ne s'exécutent pour elles que si le serveur a été lancé avec ",
    ".",
  ],
  more: "Autres leçons",
  language: "Langue",
  yourProgress: "Votre progression",
  allProgress: "Progression dans toutes les leçons",
  progressOf: (title) => `Progression dans\u00a0: ${title}`,
  summary: (finished, lessons, done, steps, hours) =>
    `Terminées\u00a0: ${finished} sur ${french(lessons, "leçon", "leçons")}, ${done} sur ${french(steps, "étape", "étapes")}\u00a0; le tout dure environ ${french(hours, "heure", "heures")}.`,
  begin: (title) => `Commencer\u00a0: ${title}`,
  goOn: (title) => `Continuer\u00a0: ${title}`,
  copyProgress: "Copier un lien vers ma progression",
  progressLink: "Lien vers ma progression",
  stored:
    "La progression est enregistrée dans ce navigateur. Le lien dit quelles étapes sont terminées, pas vos réponses\u00a0; ouvrez-le sur une autre machine pour y continuer.",
  done: "Terminée",
  isDone: "terminée",
  doneOf: (done, of) => `Étapes terminées\u00a0: ${done} sur ${of}`,
  steps: (count) => french(count, "étape", "étapes"),
  needs: "À lire avant\u00a0:",
  minutes: (count) => french(count, "minute", "minutes"),
  handout: "Version à imprimer",
  handoutOf: (title) => `Version à imprimer\u00a0: ${title}`,
  copyLink: "Copier le lien",
  copyLinkTo: (title) => `Copier le lien\u00a0: ${title}`,
  linkTo: (title) => `Lien\u00a0: ${title}`,
  copied: "Copié",
  copyByHand: "Copiez-le à la main",
};

/** @type {Record<string, typeof ENGLISH>} */
const WORDS = { de: GERMAN, fr: FRENCH };

/** The words in a language, or in English. @param {string} language */
export const ladderWords = (language) => WORDS[language.split("-")[0] ?? ""] ?? ENGLISH;
