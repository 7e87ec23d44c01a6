"""What a run in more digits costs beside the run itself: values in f64, and the error of each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from time import process_time

from hloscope.engine.comparison.shadow import Shadow
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.inputs import Array
from hloscope.engine.program import BoundProgram
from tests.oracle.client import Oracle
from tests.programs import load_program

from .measure import seconds, table
from .models import LIMITS

PROGRAMS = ("mlp", "mlp_training", "lstm", "gpt2_small")
ALLOWED = 4.0
HEAD = ["program", "steps", "recorded", "in more digits", "ratio"]


def lines(oracle: Oracle, repetitions: int) -> Iterator[str]:
    """What to print."""
    rows, dear = [], []
    for name in PROGRAMS:
        text, inputs, _ = oracle.export(name)
        program = load_program(text)
        pairs = [_measured(program, inputs) for _ in range(repetitions)]
        steps = pairs[0][0]
        recorded, beside = (median(column) for column in list(zip(*pairs, strict=True))[1:])
        ratio = median(wide / run for _, run, wide in pairs)
        rows.append([name, f"{steps:,}", seconds(recorded), seconds(beside), f"{ratio:.1f}"])
        if ratio > ALLOWED:
            dear.append(name)
    yield table(HEAD, rows)
    yield f"above {ALLOWED:g} times the run: {', '.join(dear) or 'none'}"


def _measured(program: BoundProgram, inputs: Sequence[Array]) -> tuple[int, float, float]:
    """Steps, and the seconds of the processor of a run and of its shadow, one right after the other."""
    begin = process_time()
    recording = Recording(program, inputs, LIMITS)
    recording.record()
    recorded = process_time() - begin
    begin = process_time()
    for _ in Shadow(recording).make():
        pass
    return recording.step_count, recorded, process_time() - begin
