"""The programs in a folder or a zip archive, each with the inputs beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from hloscope.engine.errors import InputError
from hloscope.engine.limits import Limits

from ...passes.dump_files import DumpLimits, Place, open_place

SUFFIXES = frozenset({".bc", ".bin", ".hlo", ".mlir", ".mlirbc", ".pb", ".stablehlo", ".txt"})
"""Suffixes of program files; `.gz` may follow."""
INPUTS = ".npz"
"""Suffix of the inputs of the program with the same name."""


@dataclass(frozen=True)
class Program:
    """A program of a batch."""

    name: str
    """Its path below the top."""
    size: int
    inputs: str | None
    """The path of its inputs."""


@dataclass(frozen=True)
class Programs:
    """The programs of a batch and their files."""

    source: str
    place: Place
    limits: Limits
    programs: tuple[Program, ...]
    left_out: int
    """The number of other files."""

    def contents(self, program: Program) -> list[bytes]:
        """The bytes of a program and of its inputs."""
        found = [self.place.read(program.name, self.limits.max_program_bytes)]
        if program.inputs is not None:
            found.append(self.place.read(program.inputs, self.limits.session_memory_bytes))
        return found


def find_programs(path: str | Path, limits: Limits) -> Programs:
    """All programs below the top of a folder or an archive; `InputError` if there is none."""
    hint = f"Give a folder or a zip archive of programs ({', '.join(sorted(SUFFIXES))})."
    place = open_place(path, DumpLimits(limits.max_program_bytes), hint=hint)
    files = dict(place.paths())
    programs = tuple(_programs(files))
    if not programs:
        raise InputError(f"{path} holds no programs", hint=hint)
    inputs = sum(program.inputs is not None for program in programs)
    return Programs(str(path), place, limits, programs, len(files) - len(programs) - inputs)


def _programs(files: dict[str, int]) -> Iterator[Program]:
    for name, size in sorted(files.items()):
        bare = PurePosixPath(name.removesuffix(".gz"))
        if bare.suffix in SUFFIXES:
            inputs = str(bare.with_suffix(INPUTS))
            yield Program(name, size, inputs if inputs in files else None)
