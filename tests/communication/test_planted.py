"""Each program in `programs/` has one fault in its collectives, and a healthy twin in the same text.

Its last line states the diagnostic of the faulty version, at the line marked `FAULT`; the twin has none.
"""

from pathlib import Path

from hloscope.app import reference
from hloscope.app.runs.launching import choose_grid
from hloscope.engine.communication import check_collectives
from hloscope.engine.errors import Diagnostic
from hloscope.engine.frontend import load
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.source import Source
from tests.each import for_each
from tests.findings.planted import Planted, Version
from tests.programs import load_program

PROGRAMS = sorted((Path(__file__).parent / "programs").iterdir())


def planted(path: Path) -> Planted:
    return Planted("", path.name, tuple(path.read_text("utf-8").split("\n")))


def diagnostics(planted: Planted, version: Version) -> tuple[Diagnostic, ...]:
    program = planted.program(version)
    assert program.entry is not None
    grid = choose_grid(program, program.entry, DEFAULT_LIMITS)
    return check_collectives(program, program.entry, grid)


@for_each("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_fault_is_reported_at_its_line(path: Path) -> None:
    program = planted(path)
    (found,) = diagnostics(program, "faulty")
    source = program.program("faulty").module.source
    assert source.line_and_column(found.span.start)[0] == program.faulty_line
    stated = [line for line in program.lines if line.startswith("// ")][-1]
    assert f"// {found.severity}: {found.message}".startswith(stated)


@for_each("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_healthy_twin_has_no_diagnostic(path: Path) -> None:
    assert diagnostics(planted(path), "sound") == ()


DEADLOCKS = sorted((Path(__file__).parents[1] / "process_grid" / "deadlocks").iterdir())
CONFORMANCE = Path(__file__).parents[1] / "conformance"


def started_by_run_parallel(path: Path) -> list[Diagnostic]:
    program = load_program(path.read_text("utf-8"), path.name)
    return [each for function in program.functions.values() for each in check_collectives(program, function)]


@for_each("path", DEADLOCKS, ids=lambda path: path.stem)
def test_functions_of_run_parallel_are_checked(path: Path) -> None:
    """Each program deadlocks; the check does not follow items of the host's queues."""
    found = started_by_run_parallel(path)
    assert [each.severity for each in found] == ["error"] * (
        0 if "host_queue" in path.stem else max(1, len(found))
    )


def test_healthy_functions_of_run_parallel_have_no_diagnostic() -> None:
    paths = [path for path in sorted(CONFORMANCE.glob("*.mlir")) if "run_parallel" in path.read_text("utf-8")]
    assert len(paths) > 20
    assert {path.name: found for path in paths if (found := started_by_run_parallel(path))} == {}


EXAMPLES = Path(reference.__file__).parent / "examples"
HEALTHY = sorted(path for path in EXAMPLES.rglob("*.*") if path.suffix in (".mlir", ".hlo"))


def test_the_examples_are_healthy_but_for_a_deadlock_and_terms() -> None:
    alarms = {}
    for path in HEALTHY:
        loaded = load(Source(path.read_text("utf-8"), path.name))
        assert loaded.program is not None
        if loaded.program.entry and (found := check_collectives(loaded.program, loaded.program.entry)):
            alarms[path.name] = [(each.severity, each.op) for each in found]
    assert alarms == {
        "deadlock.mlir": [("warning", "stablehlo.while")],
        "sdy.replicated_to_unreduced.mlir": [("note", "sdy.replicated_to_unreduced")],
        "sdy.sharded_to_unreduced.mlir": [("note", "sdy.sharded_to_unreduced")],
    }
