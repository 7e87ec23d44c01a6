"""XLA hangs in the collectives in which the check expects it, and the log that it prints is read."""

import subprocess
import sys
from pathlib import Path

import pytest

from hloscope.engine.communication import check_collectives, explain_hang, read_hang_log
from hloscope.engine.sharded_runs.sharded_inputs import needed_grid
from tests.programs import load_program

pytestmark = pytest.mark.oracle
SECONDS = 120


def test_the_log_of_a_hanging_job_names_its_collectives() -> None:
    job = Path(__file__).parent / "hanging_job.py"
    ended = subprocess.run(
        [sys.executable, str(job)], check=False, capture_output=True, text=True, timeout=SECONDS
    )
    assert ended.returncode != 0
    program = load_program(ended.stdout, "job.mlir")
    assert program.entry is not None
    grid = needed_grid(program, program.entry)
    (expected,) = check_collectives(program, program.entry)
    assert expected.severity == "error"
    assert "their ops do not match" in expected.message
    report = explain_hang(program, program.entry, grid, read_hang_log(ended.stderr, "job.log"))
    assert not report.others
    assert {note.op for note in report.notes} == {"stablehlo.all_reduce", "stablehlo.all_gather"}
    for note in report.notes:
        assert "2 of 4 threads wait in" in note.message
        assert "the log does not name their devices; 2 threads wait in" in note.message
