"""`hloscope lesson export`: a lesson with its recordings as one file."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from ..base.settings import Settings
from ..export.one_file import PageError, lesson_page
from ..lessons import Bounds, LessonErrors, Resolved, Shelf, parse_source, read_source, resolve
from ..lessons.exported import for_file
from ..lessons.sources import original_of, translations_of
from ..runs.chunks.outcome import WRONG
from ..runs.chunks.reading import Failure
from .lessons import say_errors

_SERVER = re.compile(r"https?://[\w.:\[\]-]+(/[\w./-]*)?")
PROGRAM_SUFFIXES = (".mlir", ".hlo", ".txt")


def export(options: argparse.Namespace, settings: Settings) -> int:
    """Writes the page, and says where and how large it is."""
    server = options.server.rstrip("/") if options.server else None
    if server is not None and not _SERVER.fullmatch(server):
        raise Failure(
            f"--server is an address such as https://hloscope.example.org, not {options.server:.200}"
        )
    files = _files(options.file, options.language)
    out = Path(options.out or f"{files[0].stem}.html")
    if out.suffix in PROGRAM_SUFFIXES or out.suffix == ".md":
        raise Failure(f"{out} would be overwritten by a page: name a file.html")
    bounds = Bounds.of_lesson(settings)
    resolved: dict[str, Resolved] = {}
    for path in files:
        try:
            source = read_source(path)
            found = resolve(parse_source(source), bounds, source["languages"])
        except LessonErrors as errors:
            say_errors(errors.found, str(path))
            return WRONG
        resolved[found.info["language"]] = found
    first = next(iter(resolved.values()))
    programs = [
        (run.program.file.rpartition("/")[2], run.recording, run.inputs)
        for run in first.runs
        if run.recording
    ]
    infos = {language: for_file(each.info, server) for language, each in resolved.items()}
    try:
        page = lesson_page(programs, infos)
    except PageError as error:
        raise Failure(f"the page cannot be made: {error}") from error
    out.write_bytes(page)
    print(f"{out}: {len(page):,} bytes, {', '.join(infos)}")
    return 0


def _files(named: str, language: str | None) -> list[Path]:
    """The lesson's files, that of the chosen language first."""
    path = Path(named)
    if not path.is_file():
        shelf = Shelf()
        if named not in shelf.names():
            known = ", ".join(shelf.names()) or "none"
            raise Failure(
                f"there is no file {named}, and no lesson of that name comes with hloscope: {known}"
            )
        path = shelf.path(named)
    original = original_of(path)
    first = original or path
    files = [first, *translations_of(first)]
    wanted = language or (path.absolute().parent.name if original else None)
    chosen = [file for file in files if wanted and file.absolute().parent.name == wanted]
    if language and not chosen and language != "en":
        raise Failure(f"{first.stem} has no translation of the language {language}")
    return [*chosen, *(file for file in files if file not in chosen)]
