"""The words of lessons and rooms in each language, from `words/<language>.json`, which has a table for each place.

English is written in the page's scripts, and `{}` stands for a part of a sentence. The tables of other languages are
`lesson` by the names in static/js/features/lesson/words.js; `room` for members and `teacher` for teachers, by those in
words_with_server.js there; `refused`, what the server refuses in a room or an exercise, by the kind of error.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_LANGUAGES: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    file.stem: json.loads(file.read_text("utf-8"))
    for file in sorted(Path(__file__).with_name("words").glob("*.json"))
}


def _in_each_language(table: str) -> Mapping[str, Mapping[str, str]]:
    return {language: tables[table] for language, tables in _LANGUAGES.items() if table in tables}


PREFIX = "refused_"
"""Begins the names of the server's refusals among the labels of a page."""
LABELS = _in_each_language("lesson")
ROOM = _in_each_language("room")
TEACHER = _in_each_language("teacher")
REFUSALS = _in_each_language("refused")
HANDOUT = _in_each_language("handout")
"""The words of a printed lesson, English too."""
JOIN = _in_each_language("join")
"""The words of the page that asks for the code of a room, English too."""
EXERCISE = _in_each_language("exercise")
"""The sentences about a checked exercise, English too; `{}` stands for a value of the student's program."""
REASONS = _in_each_language("reasons")
"""Translations of the engine's frequent messages about a check that does not fit the student's program, by pattern."""


def labels_of(language: str) -> dict[str, str]:
    """The labels in a language such as `de-AT`; none for English, and for languages without labels."""
    name = language.partition("-")[0]
    refusals = {PREFIX + kind: sentence for kind, sentence in REFUSALS.get(name, {}).items()}
    return {**LABELS.get(name, {}), **ROOM.get(name, {}), **TEACHER.get(name, {}), **refusals}


def room_words(accepted: str) -> dict[str, object]:
    """The language of a room without a lesson, and its words; `accepted` is an Accept-Language header."""
    name = join_words(accepted)[0]
    return {"language": name, "labels": labels_of(name)} if name in ROOM else {}


def join_words(accepted: str) -> tuple[str, Mapping[str, str]]:
    """The language of the page that asks for a code, and its words; `accepted` is an Accept-Language header."""
    weights = [part.strip().partition(";q=") for part in accepted.split(",")]
    ranked = sorted(weights, key=lambda part: -_weight(part[2]))
    names = (tag.partition("-")[0].lower() for tag, _, _ in ranked)
    name = next((name for name in names if name in JOIN), "en")
    return name, JOIN[name]


def _weight(text: str) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 0


def handout_words(language: str) -> Mapping[str, str]:
    """The words of a printed lesson, or the English ones."""
    return HANDOUT.get(language.partition("-")[0], HANDOUT["en"])


@dataclass(frozen=True)
class ExerciseWords:
    """The sentences in a language such as `de-AT`; English for languages without them."""

    language: str = "en"

    def __call__(self, name: str, *parts: object) -> str:
        words = EXERCISE.get(self.language.partition("-")[0], EXERCISE["en"])
        return words[name].format(*parts)

    def reason(self, message: str) -> str:
        """The engine's message about a check that does not fit the program; in English if it has no translation."""
        for pattern, translation in REASONS.get(self.language.partition("-")[0], {}).items():
            if found := re.fullmatch(pattern, message):
                return translation.format(*found.groups())
        return message
