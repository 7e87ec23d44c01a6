"""The sentences about a checked exercise in the language of its lesson."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .labels import EXERCISE

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
        words = EXERCISE.get(self.language.partition("-")[0], EXERCISE["en"])
        return words[name].format(*parts)

    def reason(self, message: str) -> str:
        """The engine's sentence in the language; English where it has no translation."""
        for pattern, translations in REASONS:
            found = re.fullmatch(pattern, message)
            translated = translations.get(self.language.partition("-")[0])
            if found and translated:
                return translated.format(*found.groups())
        return message
