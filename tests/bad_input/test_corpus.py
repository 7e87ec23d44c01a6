"""Each wrong program's errors name the position, the reason and the remedy.

The first lines of a program state its expected diagnostics, in order:

    // expect: LINE:COLUMN kind [label] "the message, or a part of it"
    // hint: the hint, or a part of it
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest

from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load
from hloscope.engine.source import Source
from tests.each import for_each

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted([*FOLDER.glob("*.mlir"), *FOLDER.glob("*.hlo")])
_EXPECTED = re.compile(r'// expect: (\d+):(\d+) (\w+)(?: \[(\w+)\])? "(.*)"')


@dataclass
class Expected:
    """An expected diagnostic, from the first lines of a program."""

    line: int
    column: int
    kind: str
    label: str | None
    words: str
    hint: str | None = None


def expected(text: str) -> list[Expected]:
    """The diagnostics that the first lines of a program state."""
    found: list[Expected] = []
    for line in text.split("\n"):
        if match := _EXPECTED.fullmatch(line):
            found.append(Expected(int(match[1]), int(match[2]), match[3], match[4], match[5]))
        elif line.startswith("// hint: ") and found:
            found[-1].hint = line.removeprefix("// hint: ")
        else:
            break
    return found


def _check(source: Source, found: Diagnostic | None, wanted: Expected | None) -> None:
    assert found is not None, f"nothing is said about {wanted}"
    assert wanted is not None, found.format(source)
    place = source.line_and_column(found.span.start)
    assert (*place, found.kind, found.label) == (wanted.line, wanted.column, wanted.kind, wanted.label)
    assert wanted.words in found.message
    assert (wanted.hint or "") in (found.hint or "")


def test_there_are_enough() -> None:
    for suffix, least in ((".mlir", 40), (".hlo", 100)):
        assert sum(path.suffix == suffix for path in PROGRAMS) >= least
    assert all(expected(path.read_text("utf-8")) for path in PROGRAMS)


@for_each("path", PROGRAMS, ids=lambda path: path.name)
def test_says_where_and_what(path: Path) -> None:
    text = path.read_text("utf-8")
    source = Source(text, path.name)
    loaded = load(source)
    assert loaded.program is None
    for found, wanted in zip_longest(loaded.diagnostics, expected(text)):
        _check(source, found, wanted)


@pytest.mark.parametrize(
    "name", ["unknown_op.mlir", "wrong_reshape.mlir", "unknown_opcode.hlo", "unclosed_string.hlo"]
)
def test_command_line_says_the_same(name: str) -> None:
    (path,) = FOLDER.glob(f"*_{name}")
    wanted = expected(path.read_text("utf-8"))[0]
    command = [sys.executable, "-m", "hloscope", "check", path.name]
    root = Path(__file__).parent.parent.parent
    environment = {"PYTHONPATH": str(root)}
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=False, env=environment)
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert f"{path.name}:{wanted.line}:{wanted.column}: error: " in said
    assert wanted.words in said
    assert "Traceback" not in said
