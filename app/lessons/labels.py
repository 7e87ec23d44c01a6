"""The labels of the lesson panel in other languages than English, by their names in static/js/features/lesson/words.js."""

from __future__ import annotations

from collections.abc import Mapping

LABELS: Mapping[str, Mapping[str, str]] = {
    "de": {
        "introduction": "Einführung",
        "step": "Schritt",
        "steps": "Schritte der Lektion",
        "done": "erledigt",
        "doneOf": "{} von {} Schritten erledigt",
        "language": "Sprache der Lektion",
        "note": "Anmerkung",
        "about": "Etwa {} Minuten",
        "needs": "vorher lesen:",
        "show": "Zeig es mir",
        "waits": "sobald die Frage dazu beantwortet ist",
        "there": "Du bist dort.",
        "back": "Zurück",
        "next": "Weiter",
        "finish": "Abschließen",
        "again": "Von vorn beginnen",
        "answer": "Antworten",
        "here": "Hier",
        "hint": "Hinweis",
        "hintOf": "Hinweis ({} von {})",
        "showAnswer": "Antwort zeigen",
        "theAnswer": "Die Antwort:",
        "right": "Richtig.",
        "wrong": "Nicht ganz.",
        "lookAgain": "Sieh noch einmal hin, nimm einen Hinweis, oder lass dir die Antwort zeigen.",
        "choose": "Im Bild wählen",
        "aNumber": "eine Zahl",
        "toDigits": "eine Zahl, auf {} Stellen genau",
        "aTruth": "true oder false",
        "aShape": "etwa (3, 4)",
        "anIndex": "etwa 1, 0",
        "goThere": "Geh zu der Stelle und drück dann „Hier“. Du bist bei Schritt {}.",
        "goThereOf": "Geh zu der Stelle und drück dann „Hier“. Du bist bei Schritt {} von Prozess {}.",
        "atStep": "Schritt {}",
        "or": " oder ",
        "more": " und {} weitere",
        "integer": "Das ist keine ganze Zahl: Schreib sie in Ziffern, wie 3 oder -12.",
        "float": "Das ist keine Zahl: Schreib sie wie 3, -0.5, 1e-3, 1/3, NaN oder Inf.",
        "truth": "Das ist kein Wahrheitswert: Schreib true oder false.",
        "shape": "Das ist keine Form: Schreib ihre Größen wie 3x4 oder (3, 4), für einen Skalar ().",
        "cell": "Das ist kein Index: Schreib ihn wie 1, 0, mit einer Zahl für jede Dimension.",
        "comma": "Ist das Komma ein Dezimalkomma? Schreib einen Punkt.",
        "none": "Wähl eine der Antworten.",
        "skip": "Überspringen",
        "check": "Prüfen",
        "line": "Zeile {}",
        "lines": "Zeilen {}",
        "playgroundNeeds": "Der Playground braucht ein laufendes hloscope.",
        "othersNeed": "Andere Änderungen brauchen ein laufendes hloscope",
        "exerciseNeeds": "Diese Aufgabe braucht ein laufendes hloscope",
        "lessonThere": "die Lektion dort",
        "theCheck": "Geprüft wird:",
        "passes": "Dein Programm besteht die Prüfung.",
        "yourResult": "Dein Ergebnis",
        "expected": "Erwartet",
        "expectedLater": "Das erwartete Ergebnis siehst du, sobald die Frage darüber beantwortet ist.",
        "differs": "weicht ab",
        "all": "Alle Lektionen",
        "yours": "Jetzt mit eigenem Code",
        "nextLesson": "Nächste Lektion",
        "yourName": "Dein Name",
        "saveResult": "Mein Ergebnis signiert speichern",
        "resultSaved": "Gespeichert: {} von {} richtig. Gib die Datei ab; der Server behält nichts.",
        "askedByClass": "Diese Frage wird gerade der Klasse gestellt: Antworte dort.",
        "change": "Programm ändern",
        "signedInOnly": "Dieser Server führt Aufgaben nur für Angemeldete aus.",
        "yourProgram": "Dein Programm",
        "run": "Ausführen und prüfen",
        "runKeys": "Ausführen und prüfen (im Text Strg+Enter)",
        "running": "Läuft …",
        "stepThrough": "Meine Version Schritt für Schritt durchgehen",
        "undo": "Alle Änderungen zurücknehmen",
    },
}

HANDOUT: Mapping[str, Mapping[str, str]] = {
    "en": {
        "question": "Question",
        "answer": "Answer:",
        "exercise": "Exercise",
        "answers": "Answers",
        "or": " or ",
        "back": "Back to the lesson",
        "print": "This page is made to be printed: press Ctrl+P, or ⌘P on a Mac.",
    },
    "de": {
        "question": "Frage",
        "answer": "Antwort:",
        "exercise": "Aufgabe",
        "answers": "Antworten",
        "or": " oder ",
        "back": "Zurück zur Lektion",
        "print": "Diese Seite ist zum Ausdrucken gedacht: Drück Strg+P, auf einem Mac ⌘P.",
    },
}
"""The words of a printed lesson, by language."""


def labels_of(language: str) -> dict[str, str]:
    """The labels in a language such as `de-AT`; none for English, and for languages without labels."""
    return dict(LABELS.get(language.partition("-")[0], {}))


def handout_words(language: str) -> Mapping[str, str]:
    """The words of a printed lesson, or the English ones."""
    return HANDOUT.get(language.partition("-")[0], HANDOUT["en"])
