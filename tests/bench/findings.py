"""What it costs to find the ops in which values that are not finite are born, while a run is recorded."""

from __future__ import annotations

import gc
import resource
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from statistics import median
from time import process_time
from typing import Any
from unittest import mock

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.findings import FindingLog
from hloscope.engine.inputs import Array
from hloscope.engine.process_grid import GridRun
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
    """Steps of a program, medians of the seconds of the processor with findings and without, and of their ratios.

    Both are run in turns, and each turn begins with the other one, so that neither has the warmer caches. Half of the
    turns count, those in which other processes have interrupted least: threads of BLAS that wait for one that was
    interrupted use up the processor's time.
    """
    steps, once = _record(program, inputs, find=True)
    runs = int(TURN / once) + 1
    turns = [_turn(program, inputs, runs, begin=bool(turn % 2)) for turn in range(2 * repetitions)]
    quiet = sorted(turns, key=lambda turn: turn[0])[:repetitions]
    _, with_findings, without = zip(*quiet, strict=True)
    ratios = [found / bare for _, found, bare in quiet]
    return steps, median(with_findings), median(without), median(ratios)


def _turn(
    program: BoundProgram, inputs: Sequence[Array], runs: int, *, begin: bool
) -> tuple[int, float, float]:
    """How often others have interrupted, and seconds of a recording with findings and without; `begin`: with them first.

    What earlier recordings have left is cleared away before, not meanwhile.
    """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    taken = {}
    for find in (begin, not begin):
        gc.collect()
        taken[find] = sum(_record(program, inputs, find=find)[1] for _ in range(runs)) / runs
    interrupts = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw - before
    return interrupts, taken[True], taken[False]


def _record(program: BoundProgram, inputs: Sequence[Array], *, find: bool) -> tuple[int, float]:
    """The steps and seconds of one recording; without findings no flags are collected and no op is asked."""
    there = "hloscope.engine.debugger.recording"
    changed = {} if find else {"watch_run": lambda *_: FindingLog(), "GridRun": _unwatched}
    with mock.patch.multiple(there, **changed) if changed else nullcontext():  # type: ignore[call-overload]
        begin = process_time()
        recording = Recording(program, inputs, LIMITS)
        recording.record()
        return recording.step_count, process_time() - begin


def _unwatched(*arguments: Any) -> GridRun:
    """A run as a recording starts it, without the flags: those are its last argument."""
    return GridRun(*arguments[:-1])
