"""Deadlocks of the programs in `deadlocks/` are found and explained.

Each program ends with its expected report, as `// deadlock:`, `//   line` and `// hint:`.
"""

from pathlib import Path

import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.process_grid import Launch
from tests.each import for_each
from tests.programs import load_program

FOLDER = Path(__file__).parent / "deadlocks"
X = np.ones(4, np.float32)


def stopped(path: Path) -> Recording:
    program = load_program(path.read_text("utf-8"), path.name)
    launch = Launch.same_inputs(Grid(1, 2), (X,)) if path.suffix == ".hlo" else [X]
    recording = Recording(program, launch)
    assert recording.record().kind == "failed"
    return recording


def told(path: Path) -> list[str]:
    lines = path.read_text("utf-8").splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("// deadlock:"))
    return [line.removeprefix("//").strip() for line in lines[begin:]]


@for_each("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
def test_deadlock(path: Path) -> None:
    recording = stopped(path)
    diagnostic = recording.state.diagnostic
    assert diagnostic is not None
    if recording.deadlock is None:
        lines = [diagnostic.text]
    else:
        lines = [f"{recording.deadlock.kind}: {recording.deadlock.sentence}", *recording.deadlock.lines]
        assert diagnostic.op
        assert diagnostic.span.start > 0
        assert recording.deadlock.sentence in diagnostic.text
    expected = [
        f"deadlock: {lines[0]}",
        *lines[1:],
        *([f"hint: {diagnostic.hint}"] if diagnostic.hint else []),
    ]
    assert told(path) == expected


def test_waits_are_data_for_a_picture() -> None:
    report = stopped(FOLDER / "deadlock.mlir").deadlock
    assert report is not None
    assert report.cycle == (1, 2)
    first, second = report.waits
    assert (first.process, first.channel, first.missing, first.what) == (1, 1, (2,), "meet")
    assert (second.process, second.channel, second.missing) == (2, 2, (1,))
    assert [state for number in range(3) if (state := stopped_state(number))] == [
        "waiting",
        "waiting",
        "waiting",
    ]


def stopped_state(number: int) -> str:
    return stopped(FOLDER / "deadlock.mlir").state_of(number)


def test_all_processes_come_to_the_tick_at_which_one_fails() -> None:
    recording = stopped(FOLDER / "mismatched_ops.mlir")
    ends = [track.end_tick for track in recording.tracks[1:]]
    assert max(ends) - min(ends) <= 1
