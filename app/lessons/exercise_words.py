"""The sentences about a checked exercise, by language and name; `{}` stands for a value of the student's program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "errors": "The program has errors: see the messages below it.",
        "process": "The check is for process {}, which this program does not have.",
        "inapplicable": "The check `{}` does not apply to this program: {}.",
        "unfinished": "The program did not finish: {}.",
        "stopped": "The program runs but does not finish: {}",
        "uncomputable": "The check `{}` cannot be computed: {}.",
        "several": "The check `{}` has more than one truth value: write all(…) around it.",
        "passes": "Your program passes.",
        "not_yet": "Not yet: the check is `{}`.",
        "arguments": "The program must take the arguments of the lesson's program.",
        "differs": "Not yet: the program returns something other than the exercise asks for.",
        "differs_again": "Not yet: the program returns something other than the exercise asks for with other inputs.",
        "count": "the number of results",
        "result": "result {}",
        "result_of": "result {} of process {}",
        "argument": "argument {}",
    },
    "de": {
        "errors": "Das Programm hat Fehler: siehe die Meldungen darunter.",
        "process": "Geprüft wird Prozess {}, und den hat dieses Programm nicht.",
        "inapplicable": "Die Prüfung `{}` passt nicht zu diesem Programm: {}.",
        "unfinished": "Das Programm kam nicht zum Ende: {}.",
        "stopped": "Das Programm läuft, kommt aber nicht zum Ende: {}",
        "uncomputable": "Die Prüfung `{}` lässt sich nicht berechnen: {}.",
        "several": "Die Prüfung `{}` hat mehr als einen Wahrheitswert: Schreib all(…) darum.",
        "passes": "Dein Programm besteht die Prüfung.",
        "not_yet": "Noch nicht: Geprüft wird `{}`.",
        "arguments": "Das Programm muss die Argumente des Programms der Lektion nehmen.",
        "differs": "Noch nicht: Das Programm gibt etwas anderes zurück, als die Aufgabe verlangt.",
        "differs_again": "Noch nicht: Das Programm gibt mit anderen Eingaben etwas anderes zurück, als die Aufgabe verlangt.",
        "count": "die Anzahl der Ergebnisse",
        "result": "Ergebnis {}",
        "result_of": "Ergebnis {} von Prozess {}",
        "argument": "Argument {}",
    },
    "fr": {
        "errors": "Le programme contient des erreurs : voyez les messages en dessous.",
        "process": "La vérification porte sur le processus {}, que ce programme n'a pas.",
        "inapplicable": "La vérification `{}` ne s'applique pas à ce programme : {}.",
        "unfinished": "Le programme n'est pas allé au bout : {}.",
        "stopped": "Le programme s'exécute mais ne va pas au bout : {}",
        "uncomputable": "La vérification `{}` ne peut pas être calculée : {}.",
        "several": "La vérification `{}` a plusieurs valeurs de vérité : entourez-la de all(…).",
        "passes": "Votre programme passe la vérification.",
        "not_yet": "Pas encore : la vérification est `{}`.",
        "arguments": "Le programme doit prendre les arguments du programme de la leçon.",
        "differs": "Pas encore : le programme renvoie autre chose que ce que l'exercice demande.",
        "differs_again": "Pas encore : avec d'autres entrées, le programme renvoie autre chose que ce que l'exercice demande.",
        "count": "le nombre de résultats",
        "result": "résultat {}",
        "result_of": "résultat {} du processus {}",
        "argument": "argument {}",
    },
}

REASONS: Sequence[tuple[str, Mapping[str, str]]] = (
    (
        r"the program has no value (%\S+)",
        {"de": "Das Programm hat keinen Wert {}", "fr": "le programme n'a pas de valeur {}"},
    ),
    (
        r"(%\S+) has no value here",
        {"de": "{} hat am Ende keinen Wert", "fr": "{} n'a pas de valeur à la fin"},
    ),
    (
        r"index (\S+) is out of bounds for axis (\d+) with size (\d+): the value is (.+)",
        {
            "de": "Index {} liegt außerhalb von Dimension {} der Größe {}; der Wert hat die Form {}",
            "fr": "l'indice {} est hors de la dimension {} de taille {}, et la forme de la valeur est {}",
        },
    ),
    (
        r"the shapes (.+) do not broadcast",
        {
            "de": "Die Formen {} passen nicht zueinander",
            "fr": "les formes {} ne sont pas compatibles",
        },
    ),
)
"""What the engine often says of a check that does not fit the student's program: a pattern, and its translations."""


@dataclass(frozen=True)
class ExerciseWords:
    """The sentences in a language such as `de-AT`; English for languages without them."""

    language: str = "en"

    def __call__(self, name: str, *parts: object) -> str:
        words = WORDS.get(self.language.partition("-")[0], WORDS["en"])
        return words[name].format(*parts)

    def reason(self, message: str) -> str:
        """The engine's sentence in the language; English where it has no translation."""
        for pattern, translations in REASONS:
            found = re.fullmatch(pattern, message)
            translated = translations.get(self.language.partition("-")[0])
            if found and translated:
                return translated.format(*found.groups())
        return message
