"""The available lessons: those of hloscope, and one being written, in a preview; the text of a new one is here too."""

import contextlib
import hashlib
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ..wire.lessons import LessonSource, LessonTitle, LinkedLesson
from .format import LessonErrors
from .resolve import version_of
from .sources import original_of, parse_source, read_source, translations_of

TEXTS = Path(__file__).parent / "texts"
FIRST = "en"
Entry = tuple[int, LessonTitle]
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
        path = self._path_in(name, language)
        return read_source(path) if self.is_own(name) else _shipped_source(path)

    def _path_in(self, name: str, language: str | None) -> Path:
        path = self._files[name]
        wanted = {language, language.partition("-")[0]} if language else set()
        return next((other for other in translations_of(path) if other.parent.name in wanted), path)

    def _entry(self, name: str, language: str | None) -> Entry:
        """The list entry of a lesson, with its order; `LessonErrors` if it cannot be read."""
        path = self._path_in(name, language)
        return _entry_of(read_source(path)) if self.is_own(name) else _shipped_entry(path)

    def titles(self, language: str | None, names: Iterable[str] | None = None) -> list[LessonTitle]:
        """The readable lessons with these names, or all, in reading order.

        By groups, which stand in the order of their first lessons.
        """
        found: list[Entry] = []
        for name in self._files if names is None else names:
            # One that is being written may have errors, which its own page shows.
            with contextlib.suppress(LessonErrors, OSError):
                found.append(self._entry(name, language))
        titles = [title for _, title in sorted(found, key=lambda each: (each[0], each[1]["name"]))]
        groups = list(dict.fromkeys(title["group"] for title in titles if title["group"] is not None))
        return sorted(titles, key=lambda each: groups.index(each["group"]) if each["group"] else len(groups))

    def neighbours(self, name: str, language: str | None) -> tuple[list[LinkedLesson], LinkedLesson | None]:
        """The lessons to read before a lesson, and the one after it in reading order; None after the last one."""
        titles = self.titles(language)
        links: dict[str, LinkedLesson] = {
            title["name"]: {"name": title["name"], "title": title["title"], "language": title["language"]}
            for title in titles
        }
        at = next((at for at, title in enumerate(titles) if title["name"] == name), None)
        if at is None:
            return [], None
        needs = [links[need] for need in titles[at]["needs"] if need in links]
        return needs, links[titles[at + 1]["name"]] if at + 1 < len(titles) else None

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


def _entry_of(source: LessonSource) -> Entry:
    lesson = parse_source(source)
    front = lesson.front
    title: LessonTitle = {
        "name": source["name"],
        "title": front.title,
        "summary": front.summary,
        "minutes": front.minutes,
        "group": front.group,
        "needs": list(front.needs),
        "language": front.language,
        "languages": source["languages"],
        "version": version_of(lesson),
        "steps": [step.id for step in lesson.steps],
    }
    return LAST if front.order is None else front.order, title


@cache
def _shipped_entry(path: Path) -> Entry:
    return _entry_of(_shipped_source(path))


@cache
def _shipped_source(path: Path) -> LessonSource:
    return read_source(path, f"{path.parent.name}/{path.name}")


BEGINNING = Path(__file__).parent / "beginning"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")


def write_beginning(folder: Path, name: str) -> Path:
    """Write `NAME.md`, and its programs below `programs/`, into a folder.

    `ValueError` if the name is invalid or a file exists.
    """
    plain = name.removesuffix(".md")
    if not _NAME.fullmatch(plain):
        raise ValueError(
            f"a lesson's name has lowercase letters, digits, hyphens and _, starting with a letter, unlike {name:.60}"
        )
    texts = {
        folder / f"{plain}.md": (BEGINNING / "lesson.md").read_text("utf-8").replace("NAME", plain),
        folder / "programs" / f"{plain}.mlir": (BEGINNING / "program.mlir").read_text("utf-8"),
        folder / "programs" / f"{plain}_solved.mlir": (BEGINNING / "solution.mlir").read_text("utf-8"),
    }
    for path in texts:
        if path.exists():
            raise ValueError(f"{path} already exists: choose another name")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder / f"{plain}.md"
