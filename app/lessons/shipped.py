"""The available lessons: those of hloscope, and one being written, during a preview."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ..wire.lessons import LessonSource, LessonTitle
from .format import LessonErrors
from .resolve import version_of
from .sources import original_of, parse_source, read_source, translations_of

TEXTS = Path(__file__).parent / "texts"
FIRST = "en"
LAST = 1000
"""The position in the list of a lesson without `order`."""


def shipped_files() -> list[Path]:
    """The lessons of hloscope, in their first language."""
    return sorted((TEXTS / FIRST).glob("*.md"))


class Shelf:
    """Find lessons by name and language. `own`: the file of one being written, always reread."""

    def __init__(self, own: Path | None = None) -> None:
        self.own = own
        self._files = {path.stem: path for path in shipped_files()}
        if own is not None:
            self._files[own.stem] = original_of(own) or own

    def names(self) -> list[str]:
        """All names."""
        return list(self._files)

    def is_own(self, name: str) -> bool:
        """Whether a lesson is the one being written."""
        return self.own is not None and name == self.own.stem

    def path(self, name: str) -> Path:
        """The file of a lesson in its first language; `KeyError`."""
        return self._files[name]

    def source(self, name: str, language: str | None) -> LessonSource:
        """A lesson in a language, or its first one if untranslated.

        `KeyError`, `OSError`, `LessonErrors`.
        """
        path = self._files[name]
        if language:
            wanted = {language, language.partition("-")[0]}
            path = next((other for other in translations_of(path) if other.parent.name in wanted), path)
        return read_source(path) if self.is_own(name) else _shipped_source(path)

    def title(self, name: str, language: str | None) -> LessonTitle:
        """The list entry of a lesson; `LessonErrors` if it cannot be read."""
        lesson = parse_source(source := self.source(name, language))
        front = lesson.front
        return {
            "name": name,
            "title": front.title,
            "summary": front.summary,
            "minutes": front.minutes,
            "needs": list(front.needs),
            "language": front.language,
            "languages": source["languages"],
            "version": version_of(lesson),
            "steps": [step.id for step in lesson.steps],
        }

    def titles(self, language: str | None, names: Iterable[str] | None = None) -> list[LessonTitle]:
        """The readable lessons with these names, or all, in reading order."""
        found: list[tuple[int, LessonTitle]] = []
        for name in self._files if names is None else names:
            try:
                order = parse_source(self.source(name, None)).front.order
                found.append((LAST if order is None else order, self.title(name, language)))
            except (LessonErrors, OSError):  # one being written; its own page shows the errors
                continue
        return [title for _, title in sorted(found, key=lambda each: (each[0], each[1]["name"]))]

    def lessons_on(self, op: str) -> list[LessonTitle]:
        """The lessons that link to the page of an op, in reading order: they teach it."""
        link = re.compile(rf"\(/ops/{re.escape(op)}[)#]")
        names = [name for name in self._files if not self.is_own(name)]
        return self.titles(None, [name for name in names if link.search(self.source(name, None)["text"])])

    def revision(self, name: str) -> str:
        """A hash of all bytes of a lesson's files in any language; `KeyError`."""
        files = [self._files[name], *translations_of(self._files[name])]
        return hashlib.sha256("".join(map(_bytes_of, files)).encode()).hexdigest()[:16]


def _bytes_of(path: Path) -> str:
    try:
        return json.dumps(read_source(path))
    except (OSError, UnicodeDecodeError, LessonErrors) as error:
        return repr(error)


@cache
def _shipped_source(path: Path) -> LessonSource:
    return read_source(path, f"{path.parent.name}/{path.name}")
