"""The user's own code that a program comes from, to be sent along with it to a server that cannot read it."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hloscope.engine.errors import ProgramError
from hloscope.engine.frontend import parse
from hloscope.engine.ir.module import Module, walk
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source

from ..base.settings import Settings
from .source_files import SUFFIX


def source_texts(program: BoundProgram) -> dict[str, str]:
    """The texts of the Python files that the ops of a program come from, by the names that its locations give them.

    Of each op it is the file of the innermost call, which the page shows, or the cell of a notebook; the files of its callers, of
    libraries too, are left out. So are files that are not there, not text or larger than 2 MiB; and of more than 64 files, or of
    8 MiB together, those that the fewest ops come from: what a server takes, unless its settings say otherwise. As `sources` of `POST /api/sessions`
    they show the user's own lines beside the program, on whatever machine the server runs. Nothing is sent from here.
    """
    return texts_of_module(program.module, Settings(), Path())


def texts_of_text(program: Source, settings: Settings) -> dict[str, str]:
    """The same of a file's text, whose relative names are looked for beside it; nothing of a text that is no program."""
    try:
        module = parse(program, settings.limits())
    except ProgramError:
        return {}
    return texts_of_module(module, settings, Path(program.name).parent)


def texts_of_module(module: Module, settings: Settings, folder: Path) -> dict[str, str]:
    """The same within the limits of a server's settings; relative names are looked for in `folder`."""
    texts: dict[str, str] = {}
    left = settings.max_sources_bytes
    for name, _ in Counter(_files(module)).most_common():
        text = _text(folder / name, min(left, settings.max_source_bytes))
        if text is not None:
            texts[name] = text
            left -= len(text.encode())
        if len(texts) == settings.max_sources:
            break
    return texts


def _files(module: Module) -> Iterator[str]:
    """The file of each op."""
    for _, inner in module.all_modules():
        for function in inner.functions:
            for operation in walk(function.body) if function.body else ():
                place = operation.location.innermost if operation.location else None
                if place is not None:
                    yield place.file


def _text(path: Path, most: int) -> str | None:
    if path.suffix == SUFFIX and not path.is_file():
        return _cell_text(str(path), most)
    try:
        if path.suffix != SUFFIX or not path.is_file() or path.stat().st_size > most:
            return None
        return path.read_bytes().decode()
    except (OSError, ValueError):
        return None


def _cell_text(name: str, most: int) -> str | None:
    """The cell of a notebook: it is in no file, and notebooks keep it for tracebacks."""
    kept = linecache.cache.get(name)
    if kept is None or len(kept) == 1:  # not read yet
        return None
    text = "".join(kept[2])
    return text if len(text.encode()) <= most else None
