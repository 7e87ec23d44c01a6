"""The Python sources of a program, to send with it to a server that cannot read them."""

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
from .source_files import MOST_SOURCES, SUFFIX


def source_texts(program: BoundProgram) -> dict[str, str]:
    """The texts of the Python files that a program's ops come from, by their names in locations.

    For each op, this is the file of the innermost call, which the page shows, or the notebook cell. Files of callers and
    libraries are left out, and so are files that do not exist or are not text. At most 64 files of together 8 MiB are
    returned, those with the most ops; these are a server's default limits. Sent as `sources` of
    `POST /api/sessions`, they show the user's own lines beside the program. This function sends nothing.
    """
    return texts_of_module(program.module, Settings(), Path())


def texts_of_text(program: Source, settings: Settings) -> dict[str, str]:
    """As `source_texts`, for the text of a program file; empty if it does not parse.

    Relative names are resolved in the folder of the file.
    """
    try:
        module = parse(program, settings.limits())
    except ProgramError:
        return {}
    return texts_of_module(module, settings, Path(program.name).parent)


def texts_of_module(module: Module, settings: Settings, folder: Path) -> dict[str, str]:
    """As `source_texts`, within a server's limits; relative names are resolved in `folder`."""
    texts: dict[str, str] = {}
    left = settings.max_sources_bytes
    for name, _ in Counter(_files(module)).most_common():
        text = _text(folder / name, left)
        if text is not None:
            texts[name] = text
            left -= len(text.encode())
        if len(texts) == MOST_SOURCES:
            break
    return texts


def _files(module: Module) -> Iterator[str]:
    """The source file of each op that has one."""
    for _, inner in module.all_modules():
        for function in inner.functions:
            for operation in walk(function.body) if function.body else ():
                innermost = operation.location.innermost if operation.location else None
                if innermost is not None:
                    yield innermost.file


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
    """The text of a notebook cell, which notebooks keep in `linecache` for tracebacks."""
    kept = linecache.cache.get(name)
    if kept is None or len(kept) == 1:  # not read yet
        return None
    text = "".join(kept[2])
    return text if len(text.encode()) <= most else None
