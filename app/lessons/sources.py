"""The files of a lesson: its text, its programs and pictures, and its original.

A `LessonSource` has all of them, for a worker without the disk; `parse_source` parses the lesson from it.
"""

import base64
import mimetypes
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..wire.lessons import LessonSource
from .format import LessonErrors, read_lesson
from .front_matter import ReadFile
from .markdown import references
from .tree import Lesson, LessonError

PROGRAMS = "programs"
LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})?")
_LANGUAGE_LINE = re.compile(r"^lang:[ \t]*['\"]?([A-Za-z-]+)", re.MULTILINE)
HEAD_CHARACTERS = 4096
LARGEST_TEXT = 1 << 20
LARGEST_IMAGE = 200 << 10
IMAGES = (".svg", ".png", ".jpg", ".jpeg", ".webp")


def find_program(lesson: Path, name: str) -> Path:
    """The file of a program: beside the lesson, or in `programs` beside it or above it.

    `FileNotFoundError` if there is none.
    """
    folder = lesson.absolute().parent
    if not _is_inside(name):
        raise FileNotFoundError(name)
    places = (folder, folder / PROGRAMS, folder.parent / PROGRAMS, folder.parent.parent / PROGRAMS)
    for place in places:
        if (place / name).is_file():
            return place / name
    raise FileNotFoundError(name)


def _is_inside(name: str) -> bool:
    """Whether a name stays in the folder, because lessons are untrusted."""
    return not Path(name).is_absolute() and ".." not in Path(name).parts


def read_source(path: Path, shown: str | None = None) -> LessonSource:
    """Read the files of the lesson at `path`, and of its original.

    `OSError`; `LessonErrors` if one is too large.
    """
    text = _read(path)
    original = original_of(path)
    found: LessonSource = {
        "name": path.stem,
        "file": shown or str(path),
        "text": text,
        "programs": {},
        "images": {},
        "original": _read(original) if original else None,
        "original_file": str(original) if original else None,
        "languages": languages_of(original or path),
    }

    def read(name: str) -> str:
        found["programs"][name] = _read(find_program(original or path, name))
        return found["programs"][name]

    with suppress(LessonErrors):  # the parser reports it
        lesson = _parse(found, read)
        for target in _image_names(lesson):
            _add_image(found, path, original, target)
    return found


def _read(path: Path) -> str:
    if path.stat().st_size > LARGEST_TEXT:
        error = LessonError(1, f"the file is larger than {LARGEST_TEXT:,} bytes", file=str(path))
        raise LessonErrors([error])
    return path.read_text("utf-8")


def parse_source(source: LessonSource) -> Lesson:
    """Parse the lesson of a source; `LessonErrors`."""

    def read(name: str) -> str:
        if name not in source["programs"]:
            raise FileNotFoundError(name)
        return source["programs"][name]

    return _parse(source, read)


def _parse(source: LessonSource, read: ReadFile) -> Lesson:
    original = None
    if source["original"] is not None:
        file = source["original_file"] or source["file"]
        try:
            original = read_lesson(source["name"], file, source["original"], read)
        except LessonErrors as errors:
            raise LessonErrors([_of_file(error, file) for error in errors.found]) from None
    return read_lesson(source["name"], source["file"], source["text"], read, original, source["images"])


def _of_file(error: LessonError, file: str) -> LessonError:
    error.file = error.file or file
    return error


def original_of(path: Path) -> Path | None:
    """The original of the lesson at `path`, if that lies in the folder of its language.

    It is `../en/NAME.md` or `../NAME.md`.
    """
    folder, language = path.absolute().parent, _language_in(path)
    if folder.name != language:  # any folder may have a name of two or three letters
        return None
    places = (folder.parent / "en" / path.name, folder.parent / path.name)
    return next((place for place in places if place.is_file() and _language_in(place) != language), None)


def translations_of(original: Path) -> Iterator[Path]:
    """The translations of a lesson, by language."""
    folder = original.absolute().parent
    above = [folder, *([folder.parent] if folder.name == _language_in(original) else [])]
    for other in sorted(each for base in above for each in base.iterdir()):
        file = other / original.name
        is_language = LANGUAGE.fullmatch(other.name) and other != folder
        if is_language and file.is_file() and original_of(file) == original.absolute():
            yield file


def languages_of(original: Path) -> list[str]:
    """The languages of a lesson, its own first."""
    return [_language_in(original) or "en", *(path.parent.name for path in translations_of(original))]


def _language_in(path: Path) -> str | None:
    """The language in a file's front matter."""
    try:
        with path.open(encoding="utf-8") as stream:
            found = _LANGUAGE_LINE.search(stream.read(HEAD_CHARACTERS))
    except (OSError, UnicodeDecodeError):
        return None
    return found[1] if found else None


def _image_names(lesson: Lesson) -> Iterator[str]:
    for line, text in lesson.texts():
        yield from (each.target for each in references(text, line) if each.is_image)


def _add_image(found: LessonSource, path: Path, original: Path | None, target: str) -> None:
    """Embed a picture beside the lesson, so that the page needs no other file."""
    if "//" in target or target.startswith("/") or not _is_inside(target):
        return
    for folder in (path.parent, *((original.parent,) if original else ())):
        file = folder / target
        if file.is_file() and file.suffix.lower() in IMAGES and file.stat().st_size <= LARGEST_IMAGE:
            kind = mimetypes.guess_type(file.name)[0] or "image/png"
            data = base64.b64encode(file.read_bytes()).decode()
            found["images"][target] = f"data:{kind};base64,{data}"
            return
