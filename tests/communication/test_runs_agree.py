"""What the check says, against runs: a run fails where an error is reported, and never deadlocks without a diagnostic."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from hloscope.app import reference
from hloscope.app.runs.launching import ArgumentSource, launch
from hloscope.engine.communication import check_collectives
from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import DeadlockError, GridRun
from hloscope.engine.process_grid.grid_events import GridListener
from hloscope.engine.program import BoundFunction, BoundProgram
from tests.findings.planted import Planted
from tests.programs import load_program

GRIDS = (Grid(1, 2), Grid(2, 1), Grid(1, 4), Grid(4, 1), Grid(2, 2))
FOLDER = Path(__file__).parent
EXAMPLES = Path(reference.__file__).parent / "examples"
STEPS = 20_000


def programs() -> Iterator[BoundProgram]:
    for path in sorted((FOLDER / "programs").iterdir()):
        planted = Planted("", path.name, tuple(path.read_text("utf-8").split("\n")))
        yield planted.program("faulty")
        yield planted.program("sound")
    for path in sorted((*EXAMPLES.rglob("*.mlir"), *EXAMPLES.rglob("*.hlo"))):
        program = load_program(path.read_text("utf-8"), path.name)
        yield program


def outcome(program: BoundProgram, function: BoundFunction, grid: Grid) -> str | None:
    inputs = [ArgumentSource.parse("normal:1")] * len(function.function.arguments)
    try:
        run = GridRun(program, launch(program, function, grid, inputs, {}, DEFAULT_LIMITS), GridListener())
        run.run(stop=STEPS)
    except InputError:
        return None
    except ProgramError as error:
        return "deadlock" if isinstance(error, DeadlockError) else "failure"
    return "end" if run.finished else "pause"


@pytest.mark.more
def test_runs_end_as_the_check_says() -> None:
    found: Counter[tuple[str, str]] = Counter()
    for program in programs():
        function = program.entry
        if function is None:
            continue
        for grid in GRIDS:
            severities = {each.severity for each in check_collectives(program, function, grid)}
            worst = next((each for each in ("error", "warning") if each in severities), "clean")
            ended = outcome(program, function, grid)
            if ended is not None:
                found[worst, ended] += 1
    assert found["error", "end"] == found["error", "pause"] == found["clean", "deadlock"] == 0
    assert found["error", "deadlock"] >= 5
    assert found["error", "failure"] >= 5
    assert found["clean", "end"] >= 100
