"""Programs from files and from standard input, whole or in chunks."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hloscope.engine.entry import NOTHING_TO_RUN
from hloscope.engine.ir.module import Function
from hloscope.engine.limits import Limits
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source

DIVIDER = "// -----"
"""What stands between the programs of one file, on a line of its own."""
_DIVIDER = re.compile(rf"{DIVIDER}[^\n]*\n?")
_COMMENT = re.compile(r"//[^\n]*")


class Failure(Exception):
    """The command cannot do what it was asked to; the message is for the user."""

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Chunk:
    """One program: a file, or a part of one."""

    source: Source
    number: int = 0
    """Which part of its file, from 0."""
    is_blank: bool = False
    """Whether it is a part of a file without anything but comments: no program, and nothing wrong."""


def read_chunks(files: Sequence[str], limits: Limits, *, split: bool) -> list[Chunk]:
    """The programs in all files, read before the first is looked at."""
    sources = [read_source(file, limits) for file in files]
    return [chunk for source in sources for chunk in (split_source(source) if split else [Chunk(source)])]


def split_source(source: Source) -> Iterator[Chunk]:
    """The parts between `// -----`, as MLIR's tools divide test files; what follows on that line is a comment."""
    dividers = [divider.span() for divider in _DIVIDER.finditer(source.text)]
    start, line = 0, 1
    for number, (end, following) in enumerate([*dividers, (len(source.text),) * 2]):
        yield _part(source, start, end, line, number)
        line += source.text.count("\n", start, following)
        start = following


def _part(source: Source, start: int, end: int, line: int, number: int) -> Chunk:
    text = source.text[start:end]
    return Chunk(Source(text, source.name, line), number, not _COMMENT.sub("", text).strip())


def read_source(file: str, limits: Limits) -> Source:
    """The program in `file`; `-` is standard input."""
    name = "<stdin>" if file == "-" else file
    data = sys.stdin.buffer.read() if file == "-" else _read(Path(file), limits)
    if len(data) > limits.max_program_bytes:
        raise Failure(_too_large(name, limits), 3)
    try:
        return Source(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        raise Failure(f"{name} is not text: byte {error.start} is not UTF-8") from None


def _read(file: Path, limits: Limits) -> bytes:
    if file.is_file() and file.stat().st_size > limits.max_program_bytes:
        raise Failure(_too_large(str(file), limits), 3)
    return file.read_bytes()


def _too_large(name: str, limits: Limits) -> str:
    return f"{name} is larger than max_program_bytes = {limits.max_program_bytes:,}"


def entry_function(program: BoundProgram, name: str | None) -> Function:
    """The function to run: the one named, or the program's own entry."""
    bound = program.functions.get(name.removeprefix("@")) if name else program.entry
    if bound is None:
        known = ", ".join(f"@{known}" for known in program.functions)
        problem = f"the program has no function @{name}" if name else "the program has no @main"
        raise Failure(f"{problem}: choose one of {known} with --entry" if known else NOTHING_TO_RUN)
    return bound.function
