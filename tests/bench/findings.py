"""What it costs to find the ops in which values that are not finite are born, while a run is recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from statistics import median
from time import process_time
from unittest import mock

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import FindingLog
from hloscope.engine.inputs import Array
from hloscope.engine.ops.core.quiet import Flags
from hloscope.engine.program import BoundProgram
from tests.oracle.client import Oracle

from .measure import seconds, table
from .models import LIMITS
from .networks import loaded

PROGRAMS = ("mlp", "mlp_training", "lstm", "lstm_training", "gpt2_small")
ALLOWED = 1.03
TURN = 0.1
"""Seconds that a turn takes at least: short programs are run several times."""
HEAD = ["program", "steps", "recorded", "without findings", "ratio"]


def lines(oracle: Oracle, repetitions: int) -> Iterator[str]:
    """What to print."""
    rows, dear = [], []
    for name in PROGRAMS:
        text, inputs, _ = oracle.export(name)
        steps, with_findings, without, ratio = measured(loaded(text), inputs, repetitions)
        rows.append([name, f"{steps:,}", seconds(with_findings), seconds(without), f"{ratio:.3f}"])
        if ratio > ALLOWED:
            dear.append(name)
    yield table(HEAD, rows)
    yield f"above {ALLOWED} times the time without findings: {', '.join(dear) or 'none'}"


def measured(
    program: BoundProgram, inputs: Sequence[Array], repetitions: int
) -> tuple[int, float, float, float]:
    """Steps of a program, medians of the seconds of the processor with findings and without, in turns, and of their ratios."""
    steps, once = _record(program, inputs, find=True)
    runs = int(TURN / once) + 1
    turns = [
        [sum(_record(program, inputs, find=find)[1] for _ in range(runs)) / runs for find in (True, False)]
        for _ in range(repetitions)
    ]
    with_findings, without = zip(*turns, strict=True)
    ratios = [found / bare for found, bare in turns]
    return steps, median(with_findings), median(without), median(ratios)


def _record(program: BoundProgram, inputs: Sequence[Array], *, find: bool) -> tuple[int, float]:
    """The steps and seconds of one recording; without findings no flags are collected and no op is asked."""
    there = "hloscope.engine.debugger.recording"
    changed = {} if find else {"watch_run": lambda *_: FindingLog(), "Flags": lambda _: _Unwatched()}
    with mock.patch.multiple(there, **changed) if changed else nullcontext():  # type: ignore[call-overload]
        begin = process_time()
        recording = Recording(program, inputs, LIMITS)
        recording.record()
        return recording.step_count, process_time() - begin


class _Unwatched(Flags):
    """Flags that nobody raises."""

    def add(self, _kind: str, raised: int) -> None:
        """Leaves them down."""
