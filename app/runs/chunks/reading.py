"""Programs from files and from standard input, whole or in chunks."""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hloscope.engine.entry import NOTHING_TO_RUN
from hloscope.engine.ir.module import Function
from hloscope.engine.limits import Limits
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source

from ...base.failure import Failure
from ...processes.arrays import Array
from ...xla.engine import XlaEngine
from ..formats.packing import refuse_folder
from ..formats.program_file import ProgramFile
from ..formats.reading import read_program
from ..saved_runs import SavedRun, is_saved_run, load_run

DIVIDER = "// -----"
"""Divider between the programs of one file, on a separate line."""
_DIVIDER = re.compile(rf"{DIVIDER}[^\n]*\n?")
_COMMENT = re.compile(r"//[^\n]*")


@dataclass(frozen=True)
class Chunk:
    """One program: a file, or a part of one."""

    source: Source
    number: int = 0
    """The part's index in its file."""
    is_blank: bool = False
    """Whether it is a part with comments alone, which is neither a program nor an error."""
    recorded: tuple[tuple[Array, ...], ...] = field(default=(), repr=False)
    """The arguments of each partition, from a recorded execution."""
    results: tuple[Array, ...] = field(default=(), repr=False)
    """The results of that execution, as XLA computed them."""
    is_converted: bool = False
    """Whether the file was no text."""
    saved: SavedRun | None = field(default=None, repr=False)
    """The recording that the file holds."""


def read_chunks(files: Sequence[str], limits: Limits, options: argparse.Namespace) -> list[Chunk]:
    """The programs in all files, read before the first is processed."""
    with XlaEngine() as engine:  # starts its process on the first request
        read = [read_chunk(file, limits, options, engine) for file in files]
    return [part for chunk in read for part in (_split(chunk) if options.split_input_file else [chunk])]


def _split(chunk: Chunk) -> Iterator[Chunk]:
    return iter([chunk]) if chunk.is_converted else split_source(chunk.source)


def split_source(source: Source) -> Iterator[Chunk]:
    """The parts between `// -----`, as in MLIR's tools; the rest of that line is a comment."""
    dividers = [divider.span() for divider in _DIVIDER.finditer(source.text)]
    start, line = 0, 1
    for number, (end, following) in enumerate([*dividers, (len(source.text),) * 2]):
        yield _part(source, start, end, line, number)
        line += source.text.count("\n", start, following)
        start = following


def _part(source: Source, start: int, end: int, line: int, number: int) -> Chunk:
    text = source.text[start:end]
    return Chunk(Source(text, source.name, line), number, not _COMMENT.sub("", text).strip())


def read_chunk(
    file: str, limits: Limits, options: argparse.Namespace, engine: XlaEngine | None = None
) -> Chunk:
    """The program in `file`, in any form, or the recording that it holds; `-` is standard input.

    `options` may have sizes and a platform for it.
    """
    if file != "-" and is_saved_run(Path(file)):
        saved = load_run(Path(file), limits)
        return Chunk(Source(saved.text, saved.file), is_converted=True, saved=saved)
    found = read_file(file, limits, options, engine)
    source = Source(found.text, found.name)
    return Chunk(source, recorded=found.partitions, results=found.results, is_converted=found.is_converted)


def read_file(
    file: str, limits: Limits, options: argparse.Namespace, engine: XlaEngine | None = None
) -> ProgramFile:
    """The program in `file`, and the other contents of the file."""
    most = limits.max_program_bytes
    name = "<stdin>" if file == "-" else file
    data = sys.stdin.buffer.read(most + 1) if file == "-" else _read(Path(file), most)
    # With several programs, a size may be for only one of them.
    strict = getattr(options, "after", None) is None and len(getattr(options, "files", ())) <= 1
    return read_program(
        data,
        name,
        sizes=dict(options.size),
        platform=options.platform,
        limits=limits,
        engine=engine,
        strict=strict,
    )


def _read(file: Path, most: int) -> bytes:
    if file.is_dir():
        refuse_folder(file)
        raise Failure(
            f"{file} is a folder: a dump of XLA is examined by `hloscope passes` and opened by `hloscope serve`"
        )
    with file.open("rb") as stream:
        return stream.read(most + 1)


def entry_function(program: BoundProgram, name: str | None) -> Function:
    """The function to run: the one named, or the program's own entry."""
    bound = program.functions.get(name.removeprefix("@")) if name else program.entry
    if bound is None:
        known = ", ".join(f"@{known}" for known in program.functions)
        problem = f"the program has no function @{name}" if name else "the program has no @main"
        raise Failure(f"{problem}: choose one of {known} with --entry" if known else NOTHING_TO_RUN)
    return bound.function
