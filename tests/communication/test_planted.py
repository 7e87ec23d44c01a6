"""Each program in `programs/` has one fault in its collectives, and a healthy twin in the same text.

Its last line states the diagnostic of the faulty version, at the line marked `FAULT`; the twin has none.
"""

from pathlib import Path

import pytest

from hloscope.app import reference
from hloscope.app.runs.launching import choose_grid
from hloscope.engine.communication import check_collectives
from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from tests.findings.planted import Planted, Version

PROGRAMS = sorted((Path(__file__).parent / "programs").iterdir())


def planted(path: Path) -> Planted:
    return Planted("", path.name, tuple(path.read_text("utf-8").split("\n")))


def diagnostics(planted: Planted, version: Version) -> tuple[Diagnostic, ...]:
    program = planted.program(version)
    assert program.entry is not None
    grid = choose_grid(program, program.entry, DEFAULT_LIMITS)
    return check_collectives(program, program.entry, grid)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_fault_is_reported_at_its_line(path: Path) -> None:
    program = planted(path)
    (found,) = diagnostics(program, "faulty")
    source = program.program("faulty").module.source
    assert source.line_and_column(found.span.start)[0] == program.faulty_line
    stated = [line for line in program.lines if line.startswith("// ")][-1]
    assert f"// {found.severity}: {found.message}".startswith(stated)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_healthy_twin_has_no_diagnostic(path: Path) -> None:
    assert diagnostics(planted(path), "sound") == ()


EXAMPLES = Path(reference.__file__).parent / "examples"
HEALTHY = sorted(path for path in EXAMPLES.rglob("*.*") if path.suffix in (".mlir", ".hlo"))


def test_the_examples_are_healthy_but_for_the_deadlock() -> None:
    alarms = {}
    for path in HEALTHY:
        loaded = load(Source(path.read_text("utf-8"), path.name))
        assert loaded.program is not None
        if loaded.program.entry and (found := check_collectives(loaded.program, loaded.program.entry)):
            alarms[path.name] = [(each.severity, each.op) for each in found]
    assert alarms == {"deadlock.mlir": [("warning", "stablehlo.while")]}
