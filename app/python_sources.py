"""The user's own code that a program comes from, to be sent along with it to a server that cannot read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hloscope.engine.ir.locations import FileLocation
from hloscope.engine.ir.module import Module, walk
from hloscope.engine.program import BoundProgram

from .settings import Settings
from .source_files import SUFFIX

LARGEST = Settings.max_source_bytes
"""What a server takes, unless its settings say otherwise; larger files are left out."""


def source_texts(program: BoundProgram) -> dict[str, str]:
    """The texts of the Python files that locations of a program name, by these names.

    Files that are not there, not text or larger than 2 MiB are left out. As `sources` of `POST /api/sessions` they
    show the user's own lines beside the program, on whatever machine the server runs. Nothing is sent from here.
    """
    texts = {}
    for name in dict.fromkeys(place.file for place in _places(program.module)):
        text = _text(Path(name))
        if text is not None:
            texts[name] = text
    return texts


def _places(module: Module) -> Iterator[FileLocation]:
    for _, inner in module.all_modules():
        for function in inner.functions:
            for operation in walk(function.body) if function.body else ():
                if operation.location is not None:
                    yield from operation.location.files()


def _text(path: Path) -> str | None:
    try:
        if path.suffix != SUFFIX or not path.is_file() or path.stat().st_size > LARGEST:
            return None
        return path.read_text("utf-8")
    except (OSError, ValueError):
        return None
