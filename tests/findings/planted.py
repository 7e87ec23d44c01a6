"""Programs with one fault each, and their twins without it: one text with lines that only one of both has.

A comment at the end of a line says whose it is, `// faulty` or `// sound`, and `FAULT` that the op of this line is at
fault. `// inputs faulty:` and `// inputs sound:` do the same for inputs. The lines of both have the same numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hloscope.app.runs.launching import ArgumentSource, choose_grid, launch
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.frontend import load
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source

_MARK = re.compile(r"\s*//(?: (?P<version>faulty|sound))?(?: (?P<fault>FAULT))?$")
_INPUTS = re.compile(r"// inputs(?: (?P<version>faulty|sound))?: (?P<given>.*)")
Version = Literal["faulty", "sound"]


@dataclass(frozen=True)
class Planted:
    """One program in both versions."""

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
        """The program, with empty lines where the other version has some."""
        return "\n".join(_line(line, version) for line in self.lines)

    def inputs(self, version: Version) -> tuple[ArgumentSource, ...]:
        """What is stated of the inputs."""
        stated = [found for line in self.lines if (found := _INPUTS.fullmatch(line))]
        chosen = [found["given"] for found in stated if found["version"] in (None, version)]
        return tuple(ArgumentSource.parse(part) for given in chosen for part in given.split(";"))

    def program(self, version: Version) -> BoundProgram:
        """The program as it is run."""
        loaded = load(Source(self.text(version), self.file))
        assert loaded.program is not None, [found.text for found in loaded.diagnostics]
        return loaded.program

    def record(self, version: Version) -> Recording:
        """A whole run."""
        program = self.program(version)
        assert program.entry is not None
        grid = choose_grid(program, program.entry, DEFAULT_LIMITS)
        given = launch(program, program.entry, grid, self.inputs(version), {}, DEFAULT_LIMITS)
        recording = Recording(program, given)
        recording.record()
        assert recording.state.kind == "done", recording.state.reason
        return recording


def planted_programs() -> Iterator[Planted]:
    """All of them, by name."""
    for path in sorted((Path(__file__).parent / "programs").iterdir()):
        yield Planted(path.name, tuple(path.read_text().split("\n")))


def _mark(line: str) -> dict[str, str | None]:
    found = _MARK.search(line)
    return found.groupdict() if found else {"version": None, "fault": None}


def _line(line: str, version: Version) -> str:
    return _MARK.sub("", line) if _mark(line)["version"] in (None, version) else ""
