"""Programs with one planted fault each, and their healthy twins: one text, with lines that only one of both has.

The folder `programs/<kind>` has those for a kind of finding. A comment at the end of a line names the version that has it,
`// faulty` or `// sound`; `FAULT` marks the line of the op at fault. `// inputs faulty:` and `// inputs sound:` state inputs
of one version. Lines have the same numbers in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hloscope.app.runs.launching import ArgumentSource, choose_grid, launch
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.executor import Executor
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.program import BoundProgram
from tests.debugger.programs import recorded
from tests.programs import load_program

_MARK = re.compile(r"\s*//(?: (?P<version>faulty|sound))?(?: (?P<fault>FAULT))?$")
_INPUTS = re.compile(r"// inputs(?: (?P<version>faulty|sound))?: (?P<given>.*)")
Version = Literal["faulty", "sound"]


@dataclass(frozen=True)
class Planted:
    """One program in both versions."""

    kind: str
    """The kind of finding that it is for."""
    file: str
    lines: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of its file, without the ending."""
        return self.file.partition(".")[0]

    @property
    def faulty_line(self) -> int:
        """The line of the op at fault, from 1."""
        (line,) = (number for number, line in enumerate(self.lines, 1) if _mark(line)["fault"])
        return line

    def text(self, version: Version) -> str:
        """The program, with empty lines in place of lines of the other version."""
        return "\n".join(_line(line, version) for line in self.lines)

    def inputs(self, version: Version) -> tuple[ArgumentSource, ...]:
        """The stated inputs."""
        stated = [found for line in self.lines if (found := _INPUTS.fullmatch(line))]
        chosen = [found["given"] for found in stated if found["version"] in (None, version)]
        return tuple(ArgumentSource.parse(part) for given in chosen for part in given.split(";"))

    def program(self, version: Version) -> BoundProgram:
        """The verified program."""
        return load_program(self.text(version), self.file)

    def record(self, version: Version, executor: Executor | None = None) -> Recording:
        """The recording of a whole run."""
        program = self.program(version)
        assert program.entry is not None
        grid = choose_grid(program, program.entry, DEFAULT_LIMITS)
        given = launch(program, program.entry, grid, self.inputs(version), {}, DEFAULT_LIMITS)
        return recorded(program, given, executor=executor)


def planted_programs() -> Iterator[Planted]:
    """All programs, by kind and name."""
    for path in sorted((Path(__file__).parent / "programs").glob("*/*")):
        yield Planted(path.parent.name, path.name, tuple(path.read_text().split("\n")))


def _mark(line: str) -> dict[str, str | None]:
    found = _MARK.search(line)
    return found.groupdict() if found else {"version": None, "fault": None}


def _line(line: str, version: Version) -> str:
    return _MARK.sub("", line) if _mark(line)["version"] in (None, version) else ""
